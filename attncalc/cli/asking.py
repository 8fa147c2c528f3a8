"""Questions in the terminal, and their answers: from the keyboard, or from a pipe a line each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from attncalc.cli.lines import read_line
from attncalc.cli.report import complain
from attncalc.errors import AttncalcError, UsageError
from attncalc.messages import speaker
from attncalc.messages.safe_text import visible

Answer = TypeVar("Answer")


class Asker:
    """Asks on standard error, so that standard output is free for the result.

    At the keyboard an answer that does not do is asked for again, with the reason; in a pipe it is refused.
    """

    def __init__(self, language: str) -> None:
        if sys.stdin is None or sys.stdin.closed:
            raise UsageError.of("new-no-answers", "new")
        self.language, self.say = language, speaker(language)
        self.typed = sys.stdin.isatty()
        self.lines = 0
        if self.typed:
            self._tell(self.say("new-intro") + "\n")

    def ask(self, question: str, default: str, read: Callable[[str], Answer]) -> Answer:
        """The answer to a question, as it is read; an empty one is the default."""
        while True:
            text = self._line(question, default).strip() or default
            try:
                return read(text)
            except AttncalcError as error:
                if not self.typed:
                    place = f"stdin:{self.lines}"
                    raise UsageError(fault._replace(place=place) for fault in error.faults) from None
                complain(error.sentences(self.language), self.language, lead="")

    def _line(self, question: str, default: str) -> str:
        if self.typed:
            code = "new-prompt-default" if default else "new-prompt"
            self._tell(self.say(code, question=visible(question), default=default))
        try:
            line = read_line(self.lines + 1)
        except KeyboardInterrupt:
            self._tell("\n")
            complain([self.say("new-ended")], self.language)
            raise
        self.lines += 1
        if not line:
            self._end(question)
        return line

    def _end(self, question: str) -> None:
        """The input is at its end: the questions are left, or the answers were too few."""
        if self.typed:
            self._tell("\n")
            raise UsageError.of("new-ended")
        if self.lines == 1:
            raise UsageError.of("new-no-answers", "new")
        raise UsageError.of("new-answers-end", "stdin", question=question)

    def _tell(self, text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
