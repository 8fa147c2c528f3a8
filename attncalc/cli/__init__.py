"""The command line: options in, one call of the library, text out."""
