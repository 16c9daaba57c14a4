"""The types of a generated wrapper's parameters and results, taken apart."""

from __future__ import annotations


def split(type: str) -> tuple[str, str]:
    """`Array<cudaStream_t>` is ("Array", "cudaStream_t"); a type without a template ("", itself).

    Of several template arguments the first is given.
    """
    if not type.endswith(">"):
        return "", type
    template, _, arguments = type[:-1].partition("<")
    return template.rpartition(":")[2], _first(arguments)


def _first(arguments: str) -> str:
    depth = 0
    for at, char in enumerate(arguments):
        depth += (char == "<") - (char == ">")
        if char == "," and not depth:
            return arguments[:at]
    return arguments
