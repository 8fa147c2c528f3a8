"""The rows of a calculation, in the order of the subject."""
