"""The Chinese sentences of pictures."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
