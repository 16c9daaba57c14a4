"""PyGPU's logo: a block of threads, of which some make the letter P."""

from __future__ import annotations

from tools.pictures.svg import COLOURS

_LETTER = ("11110", "10001", "11110", "10000", "10002")
_NAMES = {"0": "wait", "1": "own", "2": "other"}
_CELL, _STEP = 20, 25


def logo(theme: int) -> str:
    """The SVG file's text, for the light theme (0) or the dark one (1)."""
    size = _STEP * len(_LETTER) - _STEP + _CELL
    cells = [
        f"<rect x='{_STEP * column}' y='{_STEP * row}' width='{_CELL}' height='{_CELL}' rx='4'"
        f" fill='{COLOURS[_NAMES[kind]][theme]}'/>"
        for row, kinds in enumerate(_LETTER)
        for column, kind in enumerate(kinds)
    ]
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {size} {size}' width='{size}'"
        f" height='{size}' role='img'>"
    )
    return "\n".join([head, "<title>PyGPU</title>", *cells, "</svg>\n"])
