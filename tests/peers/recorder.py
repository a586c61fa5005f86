"""Genuine sessions on demand: run an agent against the stub and copy out what it stored.

Two prompts, if no other tale is asked for: both ask for reasoning, the second also for one shell call, whose output
holds a code fence. Below `--out`:

    store/          the agent's own files, at the paths they had below its home
    export.json     OpenCode only: its own `export` of the session
    wire.jsonl      ACP agents: both directions (format: acp_client.py)
    model.jsonl     what the agent asked the stub (format: model_stub.py)
    stderr.log
    manifest.json   packages, turns, session ids, files with size and SHA-256, and what was found in them
"""
from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import processes
from acp_client import AcpClient
from catalogue import PEERS, Peer, Places, MODEL, configure
from model_stub import Stub
from tales import GREET, SHELL, TALES, Acp, CannotTell, ClaudePrint, CodexExec, tell

PROMPTS = (GREET, SHELL)
# Texts of the stub (and of the first prompt) that prove a part of the turn was stored.
SIGNS = {"prompt": b"then greet me", "answer": b"Stub reply to", "tool_output": b"result 42/51",
         "reasoning": b"I weigh two ways"}
TIMEOUT = 120.0  # seconds for one command or one request


class RecordingFailed(Exception):
    """The agent did not do what was asked; the message says what."""


@dataclass
class Room:
    """Everything a recipe needs."""
    places: Places
    home: Path
    out: Path
    env: dict[str, str]

    @property
    def work(self) -> Path:
        return self.home / "work"

    def run(self, argv: list[str], output: Path | None = None) -> str:
        """Run one command in the workspace; its stdout as text, and also in `output`."""
        target = output or self.out / "stdout.log"
        with open(target, "wb") as stdout, open(self.out / "stderr.log", "ab") as stderr:
            code = processes.run(argv, cwd=str(self.work), env=self.env, timeout=TIMEOUT, stdout=stdout, stderr=stderr)
        text = target.read_text(encoding="utf-8", errors="replace")
        if output is None:
            target.unlink()
        if code:
            raise RecordingFailed(f"{argv[-3:]} ended with {code}; see {self.out / 'stderr.log'}")
        return text


def acp(room: Room, peer: Peer, tale: str) -> list[dict]:
    counter = itertools.count()

    def start() -> AcpClient:
        number = next(counter)
        wire = room.out / ("wire.jsonl" if number == 0 else f"wire.{number}.jsonl")
        return AcpClient(peer.command(room.places), str(room.work), env=room.env, timeout=TIMEOUT, log=str(wire),
                         stderr=str(room.out / f"stderr.{number}.log"))

    return tell(Acp(start), TALES[tale])


def opencode(room: Room, peer: Peer, tale: str) -> list[dict]:
    turns = acp(room, peer, tale)
    room.run([*PEERS["opencode-export"].command(room.places), turns[0]["session"]], room.out / "export.json")
    return turns


def codex_exec(room: Room, peer: Peer, tale: str) -> list[dict]:
    return tell(CodexExec(lambda words: room.run([*peer.command(room.places), *words])), TALES[tale])


def claude_print(room: Room, peer: Peer, tale: str) -> list[dict]:
    return tell(ClaudePrint(lambda words: room.run([*peer.command(room.places), *words])), TALES[tale])


def pi(room: Room, peer: Peer) -> list[str]:
    command = [*peer.command(room.places), "--provider", "stub", "--model", MODEL, "--thinking", "high", "-nc"]
    room.run([*command, "-p", PROMPTS[0]])
    room.run([*command, "-c", "-p", PROMPTS[1]])
    return [path.stem.split("_", 1)[1] for path in room.home.glob(".pi/agent/sessions/*/*.jsonl")]


def grok(room: Room, peer: Peer) -> list[str]:
    command = [*peer.command(room.places), "--always-approve", "--output-format", "json"]
    session = json.loads(room.run([*command, "-p", PROMPTS[0]]))["sessionId"]
    room.run([*command, "-r", session, "-p", PROMPTS[1]])
    return [session]


def gptme(room: Room, peer: Peer) -> list[str]:
    name = "2026-01-01-carryall-peer"
    program = str(Path(room.places.python("gptme")).parent / "gptme")
    # The stub answers with native tool calls, so gptme is told to use that format.
    room.run([program, "--non-interactive", "--no-workspace", "--model", f"local/{MODEL}", "--tool-format", "tool",
              "--tools", "shell", "--name", name, PROMPTS[0], "-", PROMPTS[1]])
    return [path.name for path in room.home.glob(".local/share/gptme/logs/*") if path.is_dir()]


def aider(room: Room, peer: Peer) -> list[str]:
    # No model turn: the history is written by Aider's own writer, with texts like those the stub would give.
    room.run([*peer.command(room.places), "--write", str(room.work / ".aider.chat.history.md"), *PROMPTS])
    return []


# Agents that can be told any tale.
TELLERS: dict[str, Callable[[Room, Peer, str], list[dict]]] = {
    "opencode": opencode, "claude": acp, "codex": acp, "gemini": acp, "qwen": acp,
    "codex-exec": codex_exec, "claude-print": claude_print,
}
# Agents that know the plain one only.
RECIPES: dict[str, Callable[[Room, Peer], list[str]]] = {"pi": pi, "grok": grok, "gptme": gptme, "aider": aider}


def play(name: str, room: Room, tale: str) -> list[dict]:
    """The turns of the recorded session."""
    peer = PEERS[name]
    if name in TELLERS:
        return TELLERS[name](room, peer, tale)
    if tale != "plain":
        raise RecordingFailed("it only knows the plain tale")
    sessions = RECIPES[name](room, peer) or [""]
    return [{"verb": verb, "prompt": prompt, "session": sessions[0]} for verb, prompt in TALES[tale]]


def record(name: str, into: str, home: str, out: str, tale: str = "plain") -> dict:
    """Make the session; returns the manifest. The home should be fresh: everything stored in it is copied."""
    peer, started = PEERS[name], time.monotonic()
    target = Path(out).resolve()
    target.mkdir(parents=True, exist_ok=True)
    work = Path(home).resolve() / "work"
    work.mkdir(parents=True, exist_ok=True)
    (work / "README.md").write_text("# Demo\n\nA folder for a recorded session.\n", encoding="utf-8")
    with Stub(0, str(target / "model.jsonl"), str(work), tag=f"{name.replace('-', '')}{int(time.time()):x}") as stub:
        room = Room(Places(into), Path(home).resolve(), target, configure([name], home, stub.port, into))
        try:
            turns = play(name, room, tale)
        except CannotTell as error:
            raise RecordingFailed(str(error)) from error
    files = copy_store(peer, room.home, target / "store")
    found = {sign: any(needle in (target / f["path"]).read_bytes() for f in files) for sign, needle in SIGNS.items()}
    manifest = {"peer": name, "packages": peer.packages(), "tale": tale, "turns": turns,
                "sessions": list(dict.fromkeys(turn["session"] for turn in turns)),
                "seconds": round(time.monotonic() - started, 1), "found": found, "files": files}
    (target / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    if tale == "plain" and not (found["prompt"] and found["answer"] and found["tool_output"]):
        raise RecordingFailed(f"the stored files lack something: {found}; see {target / 'manifest.json'}")
    return manifest


def copy_store(peer: Peer, home: Path, store: Path) -> list[dict]:
    files = []
    for path in sorted({p for pattern in peer.stored for p in home.glob(pattern) if p.is_file()}):
        target = store / path.relative_to(home)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
        data = target.read_bytes()
        files.append({"path": str(target.relative_to(store.parent)), "bytes": len(data),
                      "sha256": hashlib.sha256(data).hexdigest()})
    return files
