#!/usr/bin/env python3
"""A deterministic model on the loopback interface, for running real agents without a network.

    model_stub.py PORT [--log FILE] [--workspace DIR] [--tag TAG]

PORT 0 takes a free port. The first line on stdout is `listening on 127.0.0.1:<port>`; SIGTERM or SIGINT ends it.

It speaks four dialects, streaming and not:

    POST …/chat/completions                     OpenAI Chat Completions     (OpenCode, Qwen, Pi, Grok, gptme)
    POST …/responses                            OpenAI Responses            (Codex, OpenAI SDKs)
    POST …/messages, …/messages/count_tokens    Anthropic Messages          (Claude)
    POST …:generateContent, :streamGenerateContent, :countTokens            (Gemini)
    GET  …/models                               one model, `stub-model`

What it answers depends only on the last thing the user said, so a test can say what it wants to see. Magic words,
upper case, whole words, combinable:

    READTOOL    call the agent's file-reading tool on <workspace>/README.md
    SHTOOL      call the agent's shell tool (prints a line, a code fence, a line, then `result 42/51`)
    FAILTOOL    call the shell tool with a command that exits 3
    TWOTOOLS    two shell calls in one answer
    WRITETOOL   write <workspace>/notes.txt with the agent's writing tool, or as a patch where it takes patches
    EDITTOOL    change the word `Demo` in <workspace>/README.md with the agent's editing tool
    AGENTTOOL   start a subagent whose prompt is `THINK, then use SHTOOL from below.`, and wait for it
    THINK       reasoning before the answer, in the dialect's own form
    SLOW        one word every 0.15 s (time to cancel, or to export in the middle of a turn)
    LONG n      an answer of n kB (1 kB = 1000 bytes), numbered lines
    FENCE       an answer whose code fence is never closed
    HTML        an answer with live markup: script, event handler, javascript: link, unclosed comment
    SECRET      an answer with invented credentials (built at run time; no scanner should find them in this file)

Tool words are spent once a tool result is the last message; the other words then shape the text that follows. Without a
magic word the answer is `Stub reply to: <prompt>`. Requests for JSON by schema get the smallest object that fits.

Every request is one JSON line in the log: number, dialect, path, headers without credentials, body, the whole reply that
was chosen, and afterwards whether the client stayed to the end. Agents also call the model for titles, routing and
suggestions: never count requests in a test; look for the one you mean.
"""
from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import random
import re
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "stub-model"
CREATED = 1_760_000_000  # a constant, so that two recordings differ in nothing the stub controls
SLOW_SECONDS_PER_WORD = 0.15

# Token counts: constants that cannot be mistaken for one another.
INPUT, CACHED, OUTPUT, REASONING = 1200, 512, 37, 11


# ---------------------------------------------------------------------------------------------------------------------
# What was asked, and what to answer. Nothing here knows a dialect.
# ---------------------------------------------------------------------------------------------------------------------

@dataclass
class Ask:
    """One request, reduced to what decides the answer."""
    prompt: str                       # last user text, without the context that agents wrap around it
    tool_answered: bool               # the last message is a tool result
    tools: dict[str, dict]            # tool name -> JSON schema of its arguments
    schema: dict | None = None        # the client wants JSON of this shape
    answer: str = ""                  # the text of that result, where a dialect needs it


@dataclass
class Call:
    name: str
    arguments: dict
    namespace: str = ""               # Responses only: the group of tools it belongs to


@dataclass
class Reply:
    text: str = ""
    thought: str = ""
    calls: list[Call] = field(default_factory=list)
    delay: float = 0.0                # seconds before each piece of text

    def pieces(self) -> list[str]:
        """The text in streamable pieces whose concatenation is exactly the text."""
        if self.delay:
            return re.findall(r"\S+\s*|\s+", self.text)
        size = max(24, len(self.text) // 400)
        return [self.text[i:i + size] for i in range(0, len(self.text), size)] or [""]


# Agents put their own context into user messages, in these elements. What is left is what the user typed.
INJECTED = re.compile(
    r"<(system-reminder|environment_context|session_context|user_instructions|user_info|hook_context|command-name"
    r"|command-message|command-args|local-command-caveat|local-command-stdout|subagent_notification)\b[^>]*>.*?</\1>",
    re.S)


WRAPPED = re.compile(r"</?user_query>")  # Grok puts the user's own words into this one


def prompt_of(texts: list[str]) -> str:
    kept = (WRAPPED.sub("", INJECTED.sub("", text)).strip() for text in texts)
    return "\n".join(text for text in kept if text)


def has(word: str, prompt: str) -> bool:
    return re.search(rf"\b{word}\b", prompt) is not None


def decide(ask: Ask, workspace: str) -> Reply:
    reply = Reply(text=answer_text(ask))
    if ask.schema is not None:
        reply.text = json.dumps(smallest_instance(ask.schema))
        return reply
    if has("THINK", ask.prompt):
        reply.thought = "The request names what it wants. I weigh two ways and take the shorter one."
    if has("SLOW", ask.prompt):
        reply.delay = SLOW_SECONDS_PER_WORD
    if not ask.tool_answered:
        reply.calls = tool_calls(ask, workspace)
    elif started := re.search(r'"agent_id":\s*"([^"]+)"', ask.answer):  # Codex: started, and not waited for yet
        space = ask.tools.get("wait_agent", {}).get("namespace", "")
        reply.calls = [Call("wait_agent", {"targets": [started[1]]}, space)]
    if reply.calls:
        reply.text = ""
    return reply


def answer_text(ask: Ask) -> str:
    parts = []
    if long := re.search(r"\bLONG\s+(\d+)\b", ask.prompt):
        parts.append(long_text(int(long.group(1)) * 1000))
    if has("FENCE", ask.prompt):
        parts.append("An open fence follows.\n\n````markdown\n```rust\nfn main() {}\n```\n~~~\n# not a heading")
    if has("HTML", ask.prompt):
        parts.append('Live markup: <script>alert("carryall")</script> <img src=x onerror=alert(1)> '
                     '[link](javascript:alert(1)) </details></article> &amp; <!-- never closed')
    if has("SECRET", ask.prompt):
        parts.append(secrets_text())
    if has("SLOW", ask.prompt):
        parts.append(" ".join(["Slowly:", *WORDS[:20]]))
    if parts:
        return "\n\n".join(parts)
    if ask.tool_answered:
        return "The tool answered. A fence:\n\n```rust\nfn main() {}\n```\n\nDone: café ✓"
    return "Stub reply to: " + ask.prompt[:200]


WORDS = """anchor basket candle dapple ember fallow garnet hollow inlet juniper kettle lantern meadow nettle orchard
pebble quarry ribbon saddle timber umber velvet willow yonder zephyr amber bramble copper dusk fern""".split()


def long_text(size: int) -> str:
    """Numbered lines of mixed words: agents that look for a model going in circles must not find one."""
    choose, lines, total = random.Random(size), [], 0
    for number in itertools.count(1):
        line = f"Line {number:06d} " + " ".join(choose.choices(WORDS, k=10)) + ".\n"
        lines.append(line)
        total += len(line)
        if total >= size:
            return "".join(lines)[:size]


def secrets_text() -> str:
    """Invented values in well-known shapes, assembled here so that this file itself holds none."""
    return "\n".join([
        "Credentials, all invented:",
        "OPENAI_API_KEY=" + "sk-" + "proj-" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9" * 2,
        "token: " + "gh" + "p_" + "Z9y8X7w6V5u4T3s2R1q0" + "P9o8N7m6L5k4J3h2",
        "aws_access_key_id = " + "AK" + "IA" + "QZ7XW5VU3TS1RQ9P",
        "database: postgres://demo:" + "pa55" + "-w0rd-invented" + "@db.invalid:5432/app",
    ])


SUBAGENT_PROMPT = "THINK, then use SHTOOL from below."
WRITE_TOOLS = ("write", "Write", "write_file", "WriteFile")
EDIT_TOOLS = ("edit", "Edit", "replace", "edit_file")
AGENT_TOOLS = ("Agent", "Task", "task", "agent", "spawn_agent")
READ_TOOLS = ("read", "Read", "read_file", "ReadFile", "read_text_file")
SHELL_TOOLS = ("bash", "Bash", "shell", "Shell", "exec_command", "run_shell_command", "run_terminal_command",
               "run_terminal_cmd", "shell_command", "local_shell")


def tool_calls(ask: Ask, workspace: str) -> list[Call]:
    shell = next((name for name in SHELL_TOOLS if name in ask.tools), None)
    read = next((name for name in READ_TOOLS if name in ask.tools), None)
    # Octal in, decimal out: the output is not in the command, so finding it proves that the command ran. (Some agents
    # refuse `$(`, so no arithmetic expansion.)
    hello = "printf 'one\\n```\\ntwo\\nresult %d/%d\\n' 052 063"
    if has("READTOOL", ask.prompt) and read:
        return [read_call(read, ask.tools[read], os.path.join(workspace, "README.md"))]
    if has("READTOOL", ask.prompt) and shell:
        return [shell_call(shell, ask.tools[shell], "cat README.md")]
    for word, make in (("WRITETOOL", write_call), ("EDITTOOL", edit_call), ("AGENTTOOL", agent_call)):
        if has(word, ask.prompt) and (call := make(ask.tools, workspace, shell)):
            return [call]
    if not shell:
        return []
    if has("TWOTOOLS", ask.prompt):
        return [shell_call(shell, ask.tools[shell], command) for command in (hello, "printf 'second %d\\n' 026")]
    if has("FAILTOOL", ask.prompt):
        return [shell_call(shell, ask.tools[shell], "echo 'about to fail' >&2; exit 3")]
    if has("SHTOOL", ask.prompt):
        return [shell_call(shell, ask.tools[shell], hello)]
    return []


def read_call(name: str, schema: dict, path: str) -> Call:
    properties = (schema or {}).get("properties", {})
    key = next((p for p in properties if "path" in p.lower()), "path")
    return Call(name, {key: path})


def write_call(tools: dict, workspace: str, shell: str | None) -> Call | None:
    text = "one\n\ttwo <b>\nthree\n"
    if name := next((name for name in WRITE_TOOLS if name in tools), None):
        properties = (tools[name] or {}).get("properties", {})
        path = next((p for p in properties if "path" in p.lower()), "path")
        return Call(name, {path: os.path.join(workspace, "notes.txt"), "content": text})
    patch = "".join(f"+{line}\n" for line in text.splitlines())
    return patch_call(tools, shell, f"*** Add File: notes.txt\n{patch}")


def edit_call(tools: dict, workspace: str, shell: str | None) -> Call | None:
    if name := next((name for name in EDIT_TOOLS if name in tools), None):
        values = {"path": os.path.join(workspace, "README.md"), "old": "# Demo", "new": "# Changed"}
        properties = (tools[name] or {}).get("properties", {})
        keys = {word: next((p for p in properties if word in p.lower()), word) for word in values}
        arguments = {keys[word]: value for word, value in values.items()}
        if "replace_all" in properties:
            arguments["replace_all"] = False  # Claude Code adds it when it is not there
        return Call(name, arguments)
    return patch_call(tools, shell, "*** Update File: README.md\n@@\n-# Demo\n+# Changed\n")


def patch_call(tools: dict, shell: str | None, hunks: str) -> Call | None:
    """Codex takes patches from its shell tool, too, and applies them itself."""
    if shell != "exec_command":
        return None
    return shell_call(shell, tools[shell], f"apply_patch <<'EOF'\n*** Begin Patch\n{hunks}*** End Patch\nEOF")


def agent_call(tools: dict, _workspace: str, _shell: str | None) -> Call | None:
    name = next((name for name in AGENT_TOOLS if name in tools), None)
    if name is None:
        return None
    if name == "spawn_agent":
        return Call(name, {"message": SUBAGENT_PROMPT}, tools[name].get("namespace", ""))
    arguments = {"description": "Look from below", "prompt": SUBAGENT_PROMPT}
    schema = tools[name] or {}
    if "run_in_background" in schema.get("properties", {}):
        arguments["run_in_background"] = False
    for other in schema.get("required", []):
        arguments.setdefault(other, smallest_instance(schema["properties"][other]))
    return Call(name, arguments)


def shell_call(name: str, schema: dict, command: str) -> Call:
    properties = (schema or {}).get("properties", {})
    key = next((p for p in ("command", "cmd", "script") if p in properties), "command")
    as_list = properties.get(key, {}).get("type") == "array" or name == "local_shell"
    arguments = {key: ["bash", "-lc", command] if as_list else command}
    required = (schema or {}).get("required", [])
    for other in required:  # some shells insist on a description or a flag
        if other not in arguments:
            arguments[other] = smallest_instance(properties.get(other, {"type": "string"}))
    return Call(name, arguments)


def smallest_instance(schema: dict):
    """The smallest value that satisfies the common subset of JSON Schema (types in either case, enum, anyOf)."""
    if "const" in schema:
        return schema["const"]
    if options := schema.get("enum"):
        return "user" if "user" in options else options[0]  # Gemini asks who speaks next: never the model again
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return smallest_instance(schema[key][0])
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest_instance(properties.get(name, {})) for name in schema.get("required", properties)}
    return {"array": [], "integer": 0, "number": 0, "boolean": False, "null": None}.get(kind, "stub")


def text_parts(content) -> list[str]:
    """Texts of a message body that is a string or a list of parts."""
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or [] if isinstance(part, dict) and isinstance(part.get("text"), str)]


def last_user_prompt(bodies: list[list[str]]) -> str:
    """The newest user message that still holds text when the injected context is taken out."""
    return next((prompt for prompt in map(prompt_of, reversed(bodies)) if prompt), "")


# ---------------------------------------------------------------------------------------------------------------------
# HTTP
# ---------------------------------------------------------------------------------------------------------------------

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Stub"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_json({})

    def do_GET(self):
        self.server.record({"method": "GET", "path": self.path})
        if "models" in self.path:
            entry = {"id": MODEL, "object": "model", "type": "model", "display_name": "Stub", "created": CREATED,
                     "created_at": "2025-10-09T08:53:20Z", "owned_by": "stub"}
            return self.send_json({"object": "list", "data": [entry], "has_more": False,
                                   "models": [{"name": "models/" + MODEL}]})
        return self.send_json({})

    def do_POST(self):
        path = self.path.split("?")[0]
        try:
            body = json.loads(self.read_body() or b"{}")
        except ValueError as error:
            self.server.record({"method": "POST", "path": self.path, "bad_body": str(error)})
            return self.send_json({"error": {"type": "invalid_request_error", "message": str(error)}}, 400)
        dialect = dialect_for(path)
        number = next(self.server.numbers)
        entry = {"n": number, "method": "POST", "path": self.path, "dialect": dialect.__name__ if dialect else None,
                 "headers": {k.lower(): v for k, v in self.headers.items() if k.lower() not in CREDENTIAL_HEADERS},
                 "body": body}
        if dialect is None:  # telemetry and the like: be polite, say nothing
            self.server.record(entry)
            return self.send_json({"input_tokens": INPUT, "totalTokens": INPUT} if "oken" in path else {})
        ask = dialect.read(body)
        reply = decide(ask, self.server.workspace)
        answer = dialect(self, body, reply, f"{self.server.tag}{number:05d}")
        calls = [{"id": answer.call_id(i), "namespace": call.namespace, "name": call.name, "arguments": call.arguments}
                 for i, call in enumerate(reply.calls)]
        entry |= {"prompt": ask.prompt, "reply": {"calls": calls, "text": reply.text, "thought": reply.thought}}
        self.server.record(entry)
        try:
            answer.answer("stream" in path)
            self.server.record({"n": number, "end": "complete"})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.server.record({"n": number, "end": "client went away"})

    def read_body(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", ""):
            data = b""
            while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data

    def send_json(self, value, status: int = 200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def start_events(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, value, name: str | None = None):
        data = value if isinstance(value, str) else json.dumps(value)
        self.wfile.write(((f"event: {name}\n" if name else "") + f"data: {data}\n\n").encode())
        self.wfile.flush()


CREDENTIAL_HEADERS = {"authorization", "x-api-key", "x-goog-api-key", "cookie"}


class Dialect:
    """Base: a request body, the reply to give, and an id suffix unique to this request."""

    CALL = "call_"

    def __init__(self, http: Handler, body: dict, reply: Reply, ident: str):
        self.http, self.body, self.reply, self.ident = http, body, reply, ident

    def call_id(self, index: int) -> str:
        return f"{self.CALL}{self.ident}_{index}"

    @staticmethod
    def read(body: dict) -> Ask:
        raise NotImplementedError

    def answer(self, path_says_stream: bool):
        if self.body.get("stream"):
            self.http.start_events()
            self.stream()
        else:
            self.http.send_json(self.whole())

    def whole(self) -> dict:
        raise NotImplementedError

    def stream(self):
        raise NotImplementedError

    def text_pieces(self):
        for piece in self.reply.pieces():
            time.sleep(self.reply.delay)
            yield piece


# ---------------------------------------------------------------------------------------------------------------------
# OpenAI Chat Completions
# ---------------------------------------------------------------------------------------------------------------------

class Chat(Dialect):
    @staticmethod
    def read(body: dict) -> Ask:
        messages = body.get("messages", [])
        tools = {t["function"]["name"]: t["function"].get("parameters") or {}
                 for t in body.get("tools") or [] if t.get("type") == "function"}
        shape = body.get("response_format") or {}
        return Ask(
            prompt=last_user_prompt([text_parts(m.get("content")) for m in messages if m.get("role") == "user"]),
            tool_answered=bool(messages) and messages[-1].get("role") == "tool", tools=tools,
            schema=(shape.get("json_schema") or {}).get("schema") if shape.get("type") == "json_schema" else None)

    USAGE = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
             "prompt_tokens_details": {"cached_tokens": CACHED},
             "completion_tokens_details": {"reasoning_tokens": REASONING}}

    def base(self, kind: str) -> dict:
        return {"id": "chatcmpl-" + self.ident, "object": kind, "created": CREATED,
                "model": self.body.get("model", MODEL)}

    def calls(self) -> list[dict]:
        return [{"id": self.call_id(i), "type": "function",
                 "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}
                for i, c in enumerate(self.reply.calls)]

    def whole(self) -> dict:
        message = {"role": "assistant", "content": self.reply.text or None}
        if self.reply.thought:
            message["reasoning_content"] = self.reply.thought
        if self.reply.calls:
            message["tool_calls"] = self.calls()
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if self.reply.calls else "stop"}
        return {**self.base("chat.completion"), "choices": [choice], "usage": self.USAGE}

    def stream(self):
        def delta(value: dict, finish: str | None = None):
            self.http.event({**self.base("chat.completion.chunk"),
                             "choices": [{"index": 0, "delta": value, "finish_reason": finish}]})
        delta({"role": "assistant", "content": ""})
        if self.reply.thought:
            delta({"reasoning_content": self.reply.thought})
        if self.reply.calls:
            for index, call in enumerate(self.calls()):
                delta({"tool_calls": [{"index": index, **call}]})
            delta({}, "tool_calls")
        else:
            for piece in self.text_pieces():
                delta({"content": piece})
            delta({}, "stop")
        self.http.event({**self.base("chat.completion.chunk"), "choices": [], "usage": self.USAGE})
        self.http.event("[DONE]")


# ---------------------------------------------------------------------------------------------------------------------
# OpenAI Responses
# ---------------------------------------------------------------------------------------------------------------------

class Responses(Dialect):
    @staticmethod
    def read(body: dict) -> Ask:
        items = body.get("input", [])
        if isinstance(items, str):
            items = [{"type": "message", "role": "user", "content": items}]
        tools = {}
        for tool in body.get("tools") or []:
            if tool.get("type") in ("function", "local_shell"):
                tools[tool.get("name") or tool["type"]] = tool.get("parameters") or {}
            for inner in tool.get("tools") or []:
                tools[inner["name"]] = {**(inner.get("parameters") or {}), "namespace": tool["name"]}
        shape = (body.get("text") or {}).get("format") or {}
        answer = Responses.last_answer(items)
        return Ask(
            prompt=last_user_prompt([text_parts(i.get("content")) for i in items if i.get("role") == "user"]),
            tool_answered=answer is not None, tools=tools, answer=str(answer or ""),
            schema=shape.get("schema") if shape.get("type") == "json_schema" else None)

    @staticmethod
    def last_answer(items: list[dict]):
        """The newest tool result, if the user said nothing since; context that the agent injects does not count."""
        for item in reversed(items):
            if str(item.get("type", "")).endswith("_output"):
                return item.get("output", "")
            if item.get("role") == "assistant" or item.get("role") == "user" and prompt_of(text_parts(item["content"])):
                return None
        return None

    def items(self) -> list[dict]:
        items = []
        if self.reply.thought:
            items.append({"type": "reasoning", "id": "rs_" + self.ident, "encrypted_content": "c3R1Yi1vcGFxdWU=",
                          "summary": [{"type": "summary_text", "text": self.reply.thought}]})
        for i, call in enumerate(self.reply.calls):
            group = {"namespace": call.namespace} if call.namespace else {}
            items.append({"type": "function_call", "id": f"fc_{self.ident}_{i}", "call_id": self.call_id(i),
                          **group, "name": call.name, "arguments": json.dumps(call.arguments), "status": "completed"})
        if not self.reply.calls:
            part = {"type": "output_text", "text": self.reply.text, "annotations": [], "logprobs": []}
            items.append({"type": "message", "id": "msg_" + self.ident, "role": "assistant", "status": "completed",
                          "content": [part]})
        return items

    def whole(self) -> dict:
        usage = {"input_tokens": INPUT, "input_tokens_details": {"cached_tokens": CACHED}, "output_tokens": OUTPUT,
                 "output_tokens_details": {"reasoning_tokens": REASONING}, "total_tokens": INPUT + OUTPUT}
        return {"id": "resp_" + self.ident, "object": "response", "created_at": CREATED, "status": "completed",
                "model": self.body.get("model", MODEL), "output": self.items(), "usage": usage, "error": None,
                "incomplete_details": None, "instructions": None, "metadata": {}, "parallel_tool_calls": True,
                "tool_choice": "auto", "tools": [], "temperature": 1.0, "top_p": 1.0}

    def stream(self):
        counter = itertools.count()

        def event(kind: str, **fields):
            self.http.event({"type": kind, "sequence_number": next(counter), **fields}, kind)

        whole = self.whole()
        started = {**whole, "status": "in_progress", "output": [], "usage": None}
        event("response.created", response=started)
        event("response.in_progress", response=started)
        for index, item in enumerate(whole["output"]):
            self.stream_item(event, index, item)
        event("response.completed", response=whole)

    def stream_item(self, event, index: int, item: dict):
        at = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            event("response.output_item.added", output_index=index,
                  item={**item, "status": "in_progress", "content": []})
            at["content_index"] = 0
            empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            event("response.content_part.added", **at, part=empty)
            for piece in self.text_pieces():
                event("response.output_text.delta", **at, delta=piece, logprobs=[])
            event("response.output_text.done", **at, text=self.reply.text, logprobs=[])
            event("response.content_part.done", **at, part=item["content"][0])
        elif item["type"] == "reasoning":
            event("response.output_item.added", output_index=index, item={**item, "summary": []})
            at["summary_index"] = 0
            event("response.reasoning_summary_part.added", **at, part={"type": "summary_text", "text": ""})
            event("response.reasoning_summary_text.delta", **at, delta=self.reply.thought)
            event("response.reasoning_summary_text.done", **at, text=self.reply.thought)
            event("response.reasoning_summary_part.done", **at, part=item["summary"][0])
        else:
            event("response.output_item.added", output_index=index,
                  item={**item, "arguments": "", "status": "in_progress"})
            event("response.function_call_arguments.delta", **at, delta=item["arguments"])
            event("response.function_call_arguments.done", **at, arguments=item["arguments"], name=item["name"])
        event("response.output_item.done", output_index=index, item=item)


# ---------------------------------------------------------------------------------------------------------------------
# Anthropic Messages
# ---------------------------------------------------------------------------------------------------------------------

class Messages(Dialect):
    CALL = "toolu_"

    @staticmethod
    def read(body: dict) -> Ask:
        messages = body.get("messages", [])
        shape = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        return Ask(
            prompt=last_user_prompt([text_parts(m.get("content")) for m in messages if m.get("role") == "user"]),
            tool_answered=Messages.is_answered(messages),
            tools={t["name"]: t.get("input_schema") or {} for t in body.get("tools") or [] if "name" in t},
            schema=shape.get("schema"))

    @staticmethod
    def is_answered(messages: list[dict]) -> bool:
        """A tool result comes after the last words of the user; context that the agent injects does not count."""
        for message in reversed(messages):
            content = message.get("content")
            if isinstance(content, list) and any(part.get("type") == "tool_result" for part in content):
                return True
            if message.get("role") == "assistant" or message.get("role") == "user" and prompt_of(text_parts(content)):
                return False
        return False

    def blocks(self) -> list[dict]:
        blocks = []
        # Thinking blocks may only be sent to a client that switched thinking on.
        if self.reply.thought and (self.body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
            blocks.append({"type": "thinking", "thinking": self.reply.thought, "signature": "c3R1Yi1zaWduYXR1cmU="})
        for i, call in enumerate(self.reply.calls):
            blocks.append({"type": "tool_use", "id": self.call_id(i), "name": call.name,
                           "input": call.arguments})
        if not self.reply.calls:
            blocks.append({"type": "text", "text": self.reply.text})
        return blocks

    def whole(self) -> dict:
        usage = {"input_tokens": INPUT - CACHED, "cache_creation_input_tokens": 0, "cache_read_input_tokens": CACHED,
                 "output_tokens": OUTPUT}
        return {"id": "msg_" + self.ident, "type": "message", "role": "assistant",
                "model": self.body.get("model", MODEL), "content": self.blocks(),
                "stop_reason": "tool_use" if self.reply.calls else "end_turn", "stop_sequence": None, "usage": usage}

    def stream(self):
        def event(kind: str, **fields):
            self.http.event({"type": kind, **fields}, kind)

        whole = self.whole()
        event("message_start", message={**whole, "content": [], "stop_reason": None,
                                        "usage": {**whole["usage"], "output_tokens": 1}})
        for index, block in enumerate(whole["content"]):
            self.stream_block(event, index, block)
        event("message_delta", delta={"stop_reason": whole["stop_reason"], "stop_sequence": None},
              usage={"output_tokens": OUTPUT})
        event("message_stop")

    def stream_block(self, event, index: int, block: dict):
        def delta(**fields):
            event("content_block_delta", index=index, delta=fields)

        if block["type"] == "thinking":
            event("content_block_start", index=index,
                  content_block={"type": "thinking", "thinking": "", "signature": ""})
            delta(type="thinking_delta", thinking=block["thinking"])
            delta(type="signature_delta", signature=block["signature"])
        elif block["type"] == "tool_use":
            event("content_block_start", index=index, content_block={**block, "input": {}})
            delta(type="input_json_delta", partial_json=json.dumps(block["input"]))
        else:
            event("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in self.text_pieces():
                delta(type="text_delta", text=piece)
        event("content_block_stop", index=index)


# ---------------------------------------------------------------------------------------------------------------------
# Gemini generateContent
# ---------------------------------------------------------------------------------------------------------------------

class Gemini(Dialect):
    @staticmethod
    def read(body: dict) -> Ask:
        contents = body.get("contents", [])
        tools = {f["name"]: f.get("parametersJsonSchema") or f.get("parameters") or {}
                 for t in body.get("tools") or [] for f in t.get("functionDeclarations", [])}
        config = body.get("generationConfig") or {}
        schema = config.get("responseJsonSchema") or config.get("responseSchema")
        if schema is None and config.get("responseMimeType") == "application/json":
            schema = {"type": "object"}
        return Ask(
            prompt=last_user_prompt([text_parts(c.get("parts")) for c in contents if c.get("role") == "user"]),
            tool_answered=bool(contents) and any("functionResponse" in p for p in contents[-1].get("parts", [])),
            tools=tools, schema=schema)

    USAGE = {"promptTokenCount": INPUT, "cachedContentTokenCount": CACHED, "candidatesTokenCount": OUTPUT,
             "thoughtsTokenCount": REASONING, "totalTokenCount": INPUT + OUTPUT + REASONING}

    def chunk(self, parts: list[dict], finish: str | None = None) -> dict:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        return {"candidates": [candidate], "usageMetadata": self.USAGE, "modelVersion": MODEL,
                "responseId": "r" + self.ident}

    def thoughts(self) -> list[dict]:
        # The CLI reads `**subject** description`.
        return [{"text": "**Weighing options** " + self.reply.thought, "thought": True}] if self.reply.thought else []

    def calls(self) -> list[dict]:
        return [{"functionCall": {"name": c.name, "args": c.arguments, "id": self.call_id(i)},
                 "thoughtSignature": "c3R1Yi1zaWduYXR1cmU="} for i, c in enumerate(self.reply.calls)]

    def answer(self, path_says_stream: bool):
        if not path_says_stream:  # in this API the path decides, not the body
            parts = self.thoughts() + (self.calls() or [{"text": self.reply.text}])
            return self.http.send_json(self.chunk(parts, "STOP"))
        self.http.start_events()
        if self.reply.thought:
            self.http.event(self.chunk(self.thoughts()))
        if self.reply.calls:
            return self.http.event(self.chunk(self.calls(), "STOP"))
        for piece in self.text_pieces():
            self.http.event(self.chunk([{"text": piece}]))
        self.http.event(self.chunk([{"text": ""}], "STOP"))


def dialect_for(path: str) -> type[Dialect] | None:
    path = path.rstrip("/")
    if path.endswith("/chat/completions"):
        return Chat
    if path.endswith("/responses"):
        return Responses
    if path.endswith("/messages"):
        return Messages
    if path.endswith(":generateContent") or path.endswith(":streamGenerateContent"):
        return Gemini
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Server
# ---------------------------------------------------------------------------------------------------------------------

class Stub(ThreadingHTTPServer):
    """Use as a context manager to run it inside another program: `with Stub(0, workspace=d) as stub: stub.port`."""
    daemon_threads = True

    def __init__(self, port: int, log: str | None = None, workspace: str | None = None, tag: str = "stub"):
        super().__init__(("127.0.0.1", port), Handler)
        self.workspace = os.path.abspath(workspace or os.getcwd())
        self.tag = tag                       # makes ids of two runs differ
        self.numbers = itertools.count(1)
        self._log = open(log, "a", encoding="utf-8") if log else None
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        return self.server_address[1]

    def record(self, entry: dict):
        if self._log:
            with self._lock:
                self._log.write(json.dumps({"t": round(time.time(), 3), **entry}) + "\n")
                self._log.flush()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("port", type=int, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--log", help="append one JSON line per request to this file")
    parser.add_argument("--workspace", help="directory whose README.md READTOOL reads (default: the current one)")
    parser.add_argument("--tag", default="stub", help="part of every id, so that two runs do not share ids")
    options = parser.parse_args()
    stub = Stub(options.port, options.log, options.workspace, options.tag)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=stub.shutdown).start())
    print(f"listening on 127.0.0.1:{stub.port}", flush=True)
    stub.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
