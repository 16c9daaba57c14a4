"""Parameters broken into lines."""

from __future__ import annotations


def filled(parts: list[str], width: int) -> list[str]:
    """Parameters on as few indented lines as they fit on."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f" {part},"
        else:
            lines.append(f"    {part},")
    return lines
