// A library that has nothing of its own.
