"""A line of standard input that does not end takes no memory."""

from __future__ import annotations

import pytest
from calling import call

from attncalc.cli.lines import MOST_IN_A_LINE

READERS = [("new",), ("quiz", "draw"), ("step", "draw", "--plain")]
REFUSED = {
    "en": "stdin:2: is longer than 1048576 bytes, the longest line that is read",
    "zh": "stdin:2: 这一行超过了 1048576 字节，一行最多只读这么长",
}
"""As the second line."""


@pytest.mark.parametrize("args", READERS)
@pytest.mark.parametrize("language", REFUSED)
def test_a_line_that_is_too_long_is_refused(args: tuple[str, ...], language: str) -> None:
    """Of `/dev/zero` no more is read than a line may hold."""
    done = call(*args, stdin=b"\n" + bytes(MOST_IN_A_LINE + 1), language=language)
    assert (done.code, done.err) == (2, f"attncalc: {REFUSED[language]}\n")


@pytest.mark.parametrize("args", READERS)
def test_a_line_as_long_as_may_be_is_read(args: tuple[str, ...]) -> None:
    """Blanks do not make an answer long."""
    done = call(*args, stdin=b"\n" + b" " * (MOST_IN_A_LINE - 1) + b"\n")
    assert REFUSED["en"] not in done.err
