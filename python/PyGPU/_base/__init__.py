"""What the whole package stands on: imports on demand, the user's line, addresses for ctypes."""
