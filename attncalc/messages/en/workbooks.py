"""The English sentences of spreadsheets."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
