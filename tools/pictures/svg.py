"""Draws an SVG file of boxes, lines and texts, in the reader's light or dark theme."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Point = tuple[float, float]

# Each colour in the light theme and in the dark one.
COLOURS = {
    "page": ("#ffffff", "#151b23"),
    "edge": ("#d0d7de", "#3d444d"),
    "text": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#9198a1"),
    "own": ("#0b7a5c", "#2fbf8f"),
    "own_soft": ("#d9f2e8", "#12382c"),
    "other": ("#8a5a00", "#d9a23b"),
    "other_soft": ("#fbeed3", "#3a2c0e"),
    "plain_soft": ("#eef1f4", "#232a33"),
    "wait": ("#c9d1d9", "#4a525c"),
}
_FONT = "font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"


class Picture:
    """A picture of a fixed size; things that are drawn later lie above earlier ones."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size = width, height
        self._title = title
        self._parts: list[str] = []
        self.box((0.5, 0.5), (width - 1, height - 1), "page", "edge", radius=8)

    def box(
        self, at: Point, size: Point, fill: str, edge: str | None = None, radius: float = 5
    ) -> None:
        """A rectangle, with an edge if a colour is given for it."""
        stroke = f" stroke='var(--{edge})'" if edge else ""
        place = f"x='{at[0]:g}' y='{at[1]:g}' width='{size[0]:g}' height='{size[1]:g}'"
        self._parts.append(f"<rect {place} rx='{radius:g}' fill='var(--{fill})'{stroke}/>")

    def text(
        self,
        at: Point,
        text: str,
        colour: str = "text",
        size: float = 13,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        """A line of text; `at` is on its baseline."""
        weight = " font-weight='600'" if bold else ""
        look = f"font-size='{size:g}' text-anchor='{anchor}'{weight} fill='var(--{colour})'"
        self._parts.append(f"<text x='{at[0]:g}' y='{at[1]:g}' {look}>{escape(text)}</text>")

    def labelled(
        self,
        at: Point,
        size: Point,
        lines: Sequence[str],
        fill: str = "plain_soft",
        edge: str = "edge",
    ) -> None:
        """A box with lines of text in its middle, the first of them bold."""
        self.box(at, size, fill, edge)
        first = at[1] + size[1] / 2 - 8 * (len(lines) - 1) + 4.5
        for number, line in enumerate(lines):
            place = at[0] + size[0] / 2, first + 16 * number
            colour = "text" if number == 0 else "soft"
            self.text(place, line, colour, 13 if number == 0 else 12, "middle", number == 0)

    def line(self, points: Sequence[Point], colour: str, width: float = 1) -> None:
        """A line through the points."""
        through = " ".join(f"{x:g},{y:g}" for x, y in points)
        look = f"fill='none' stroke='var(--{colour})' stroke-width='{width:g}'"
        self._parts.append(f"<polyline points='{through}' {look} stroke-linejoin='round'/>")

    def arrow(self, begin: Point, end: Point, colour: str = "soft") -> None:
        """A straight arrow, drawn downwards or to the right."""
        down = end[1] > begin[1] and begin[0] == end[0]
        self.line([begin, end], colour, 1.5)
        x, y = end
        sides = [(x - 4, y - 6), (x, y), (x + 4, y - 6)]
        if not down:
            sides = [(x - 6, y - 4), (x, y), (x - 6, y + 4)]
        self.line(sides, colour, 1.5)

    def as_text(self) -> str:
        """The file's text."""
        light, dark = (
            ";".join(f"--{name}:{both[theme]}" for name, both in COLOURS.items())
            for theme in (0, 1)
        )
        width, height = self._size
        head = (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'"
            f" width='{width}' height='{height}' role='img'>"
        )
        style = [
            f"<style>svg{{{light};{_FONT}}}",
            f"@media (prefers-color-scheme:dark){{svg{{{dark}}}}}</style>",
        ]
        title = f"<title>{escape(self._title)}</title>"
        return "\n".join([head, title, *style, *self._parts, "</svg>\n"])
