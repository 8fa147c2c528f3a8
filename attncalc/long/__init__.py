"""Long contexts: what they cost, and how they are calculated without ever holding all scores."""
