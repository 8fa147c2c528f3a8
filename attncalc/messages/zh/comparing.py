"""The Chinese sentences of comparing calculations, and of moving one number."""

from __future__ import annotations

MESSAGES: dict[str, str] = {}
