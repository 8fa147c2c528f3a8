"""The English sentences, a file a subject."""
