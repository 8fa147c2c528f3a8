"""Fuzzing: inputs from strangers, changed at random; what the program may do with them is answer or refuse."""
