"""What happens in a recorded session: tales, told to an agent turn by turn, and the agents that can be told any of them.

A tale is a list of (verb, prompt):

    new      a new session, and its first prompt
    go       the next prompt of the same session, in the same process if the agent has one
    again    the next prompt, after the agent was ended and started anew: a resumed session
    fork     a fork of the session, and the fork's first prompt; later turns go on in the fork
    compact  the agent's own compaction; no prompt
"""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

from acp_client import AcpClient

GREET = "THINK, then greet me."
SHELL = "THINK, then use SHTOOL in this folder."

TALES: dict[str, list[tuple[str, str]]] = {
    "plain": [("new", GREET), ("go", SHELL)],
    "resumed": [("new", GREET), ("again", SHELL), ("again", "THINK, and go on.")],
    "forked": [("new", GREET), ("go", SHELL), ("fork", "THINK, and take the other way."), ("go", "SHTOOL there, too.")],
    "tools": [("new", "THINK, then READTOOL."), ("go", "WRITETOOL please"), ("go", "EDITTOOL please"),
              ("go", "TWOTOOLS at once"), ("go", "a FAILTOOL"), ("go", "HTML FENCE")],
    "agent": [("new", "THINK, then AGENTTOOL."), ("go", "and now?")],
    "compacted": [("new", GREET), ("go", SHELL), ("compact", ""), ("go", "THINK, and go on.")],
}


class CannotTell(Exception):
    """The agent did not do what a turn asked for; the message says what."""


class Teller(Protocol):
    """An agent that can be told a tale; every turn returns the id of the session it took place in."""

    def new(self, prompt: str) -> str: ...
    def go(self, session: str, prompt: str) -> str: ...
    def again(self, session: str, prompt: str) -> str: ...
    def fork(self, session: str, prompt: str) -> str: ...
    def compact(self, session: str, prompt: str) -> str: ...
    def close(self) -> None: ...


def tell(teller: Teller, tale: list[tuple[str, str]]) -> list[dict]:
    """Every turn that took place: verb, prompt, session."""
    turns, session = [], ""
    try:
        for verb, prompt in tale:
            session = teller.new(prompt) if verb == "new" else getattr(teller, verb)(session, prompt)
            turns.append({"verb": verb, "prompt": prompt, "session": session})
    finally:
        teller.close()
    return turns


class Acp:
    """Over the Agent Client Protocol; `start` makes a client of a new process."""

    def __init__(self, start: Callable[[], AcpClient]):
        self.start = start
        self.client = start()
        self.client.initialize()

    def new(self, prompt: str) -> str:
        return self.go(self.client.new(), prompt)

    def go(self, session: str, prompt: str) -> str:
        turn = self.client.prompt(session, prompt)
        if turn.stop_reason != "end_turn":
            raise CannotTell(f"stop reason {turn.stop_reason}")
        self.client.settle()  # titles and late writes
        return session

    def again(self, session: str, prompt: str) -> str:
        self.client.close()
        self.client = self.start()
        self.client.initialize()
        self.client.load(session)
        return self.go(session, prompt)

    def fork(self, session: str, prompt: str) -> str:
        forked = self.client.call("session/fork", {"sessionId": session, "cwd": self.client.cwd, "mcpServers": []})
        return self.go(forked["sessionId"], prompt)

    def compact(self, session: str, _prompt: str) -> str:
        return self.go(session, "/compact")

    def close(self) -> None:
        self.client.close()


class CodexExec:
    """One process a turn; `run` runs `codex exec` with further words and returns its events."""

    def __init__(self, run: Callable[[list[str]], str]):
        self.run = run

    def new(self, prompt: str) -> str:
        return self._turn([prompt])

    def go(self, session: str, prompt: str) -> str:
        return self._turn(["resume", session, prompt])

    again = go

    def fork(self, session: str, prompt: str) -> str:
        return self._turn(["fork", session, prompt])

    def compact(self, session: str, prompt: str) -> str:
        raise CannotTell("codex exec has no compaction of its own")

    def close(self) -> None:
        pass

    def _turn(self, words: list[str]) -> str:
        events = [json.loads(line) for line in self.run(words).splitlines() if line.startswith("{")]
        return next(event["thread_id"] for event in events if event["type"] == "thread.started")


class ClaudePrint:
    """One process a turn; `run` runs `claude --print` with further words and returns its result."""

    def __init__(self, run: Callable[[list[str]], str]):
        self.run = run

    def new(self, prompt: str) -> str:
        return self._turn([prompt])

    def go(self, session: str, prompt: str) -> str:
        return self._turn(["--resume", session, prompt])

    again = go

    def fork(self, session: str, prompt: str) -> str:
        return self._turn(["--resume", session, "--fork-session", prompt])

    def compact(self, session: str, _prompt: str) -> str:
        return self.go(session, "/compact")

    def close(self) -> None:
        pass

    def _turn(self, words: list[str]) -> str:
        return json.loads(self.run(words))["session_id"]
