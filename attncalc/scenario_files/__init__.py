"""From a file, standard input or a built-in name to a checked scenario."""
