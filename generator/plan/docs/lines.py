"""Text broken into the lines of a docstring."""

from __future__ import annotations

import textwrap

WIDTH = 96


def lines(text: str, indent: str = "") -> list[str]:
    """Lines that stay within the width; `indent` stands before all but the first."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
