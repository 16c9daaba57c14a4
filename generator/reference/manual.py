"""The place of a function in its vendor's manual."""

from __future__ import annotations

from generator.manifest import Manifest


def place(manifest: Manifest, group: str, function: str) -> str | None:
    """The address: a page of its own, or the manual's page with the text that a browser looks for.

    Text fragments (`#:~:text=`) are of https://wicg.github.io/scroll-to-text-fragment/.
    """
    if not manifest.manual:
        return None
    pattern = manifest.manual_page or manifest.manual.partition("#")[0] + "#:~:text={function}"
    if group == "other" and ("{GROUP}" in pattern or "{groupName}" in pattern):
        return manifest.manual
    return pattern.format(
        function=function,
        GROUP=group.upper().replace("_", "__"),
        groupName=manifest.manual_groups.get(group, _camel(group)),
    )


def _camel(group: str) -> str:
    first, *others = group.split("_")
    return first + "".join(one.capitalize() for one in others)
