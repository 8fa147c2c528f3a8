"""Arrays in, arrays out: the mathematics that is taught, a line and its shapes each."""
