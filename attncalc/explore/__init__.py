"""Questions asked of a trace: no printing, no input."""
