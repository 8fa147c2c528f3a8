"""The Chinese sentences of asking where a number comes from, and of moving through a calculation."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
