"""Pictures of a trace: which boxes and texts, how large and where; `renderers` writes them down."""
