"""How the board is laid out, by how wide and how high the window is."""

from __future__ import annotations

CSS = """
Screen { layout: vertical; overflow: hidden; background: $background; }
#header, #footer, #title { height: 1; }
#header { text-style: bold; }
#message { height: auto; max-height: 3; color: $text-error; }
#steps { width: 26; border-right: solid $primary; }
#told { height: 9; border-top: solid $primary; }
#title { text-style: bold; }
#grid { height: 1fr; }
#sources { width: 40%; border-left: solid $primary; display: none; }
#sources Static { height: 1; }
#sources Grid { height: 1fr; }
.-narrow #steps, .-tiny #header, .-tiny #footer, .-low #header { display: none; }
.-tiny #told { height: 2; border-top: none; }
.-low #told { height: 4; }
.-ascii #steps, .-ascii #sources, .-ascii #told { border: none; scrollbar-size: 0 0; }
.-high #told { height: 14; }
.-wide #sources { display: block; }
"""
