"""Circles in a graph of files."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def circles(graph: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other, each in the order of a walk around it."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups = []

    def visit(name: str) -> None:  # Tarjan's algorithm
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            at = stack.index(name)
            group, stack[at:] = stack[at:], []
            if len(group) > 1:
                groups.append(group)

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return groups
