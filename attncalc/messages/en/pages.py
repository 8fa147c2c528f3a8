"""The English sentences of pages of HTML."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
