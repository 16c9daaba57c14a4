"""Where headers come from, and the generator's own freestanding headers."""
