"""What is shown, in a small neutral vocabulary: composers make blocks of a trace, renderers decide how they look."""
