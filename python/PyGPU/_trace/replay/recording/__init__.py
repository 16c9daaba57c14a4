"""Recording the calls of a program with their data, while it runs."""
