"""The two faces of a walk: the full-screen program and the line dialogue."""
