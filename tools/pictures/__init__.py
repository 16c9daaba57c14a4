"""Draws the pictures of README and docs from the code, its measurements and its runs."""
