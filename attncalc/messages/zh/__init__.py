"""The Chinese sentences, a file a subject."""
