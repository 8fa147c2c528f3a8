"""Practice: answers as people and programs write them, mistakes and how they are told apart, new exercises."""
