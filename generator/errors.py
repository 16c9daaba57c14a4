"""The errors that the generator's commands report as one line."""

from __future__ import annotations


class GeneratorError(Exception):
    """A mistake in the input. The text is one line: the place, and what to do about it."""
