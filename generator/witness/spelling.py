"""C declarations as witnesses spell them, read into the model's types."""

from __future__ import annotations

import re

from generator.decide.shape import resolve
from generator.model import Api, CType

_KEYWORDS = re.compile(r"\b(struct|enum|union|class|restrict|__restrict__)\b")
_WORDS = {
    "unsigned": "unsigned int",
    "long int": "long",
    "long long int": "long long",
    "unsigned long int": "unsigned long",
    "unsigned long long int": "unsigned long long",
    "_Bool": "bool",
}
# Types that are the same on the 64-bit Linux ABI, for which the model has the sizes.
_SAME = {
    "size_t": "unsigned long",
    "uint64_t": "unsigned long",
    "unsigned long long": "unsigned long",
    "cuuint64_t": "unsigned long",
    "int64_t": "long",
    "long long": "long",
    "uint32_t": "unsigned int",
    "cuuint32_t": "unsigned int",
    "int32_t": "int",
}


def declared(text: str) -> tuple[str, str]:
    """A parameter's declaration as its type's text and its name: `const int *ids` gives both."""
    text, bounds = re.subn(r"\[\w*\]\s*$", "", text.strip())
    match = re.fullmatch(r"(.*?[\s*&])(\w+)", text, re.DOTALL)
    kind, name = (match[1], match[2]) if match else (text, "")
    return kind.strip() + "*" * bounds, name


def split(text: str) -> list[str]:
    """A list of parameters, split at its outer commas."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def read_type(text: str) -> CType:
    """A type's text in any usual spelling: `struct cudaExtent const*`."""
    head, *stars = _KEYWORDS.sub("", text).split("*")
    const = bool(re.search(r"\bconst\b", head))
    base = " ".join(re.sub(r"\bconst\b", "", head).split())
    pointers = tuple("const" in star for star in stars)
    return CType(_WORDS.get(base, base), const, pointers)


def canonical(api: Api, written: CType, *, const: bool = True) -> CType:
    """A type with the API's names replaced by their targets: two spellings of it are equal then.

    The const of a value or of an outermost pointer means nothing to a caller. Without `const`, no
    const counts.
    """
    seen = resolve(api, written)
    while forms := api.handles.get(seen.base):
        handle = forms[-1].node
        seen = CType(handle.struct, handle.const, (seen.const, *seen.pointers), seen.extents)
    if aliases := api.aliases.get(seen.base):  # of a pointer to something known
        target = aliases[-1].node.type
        pointers = (*target.pointers[:-1], seen.const, *seen.pointers)
        seen = CType(target.base, target.const, pointers, seen.extents)
    pointers = seen.pointers + (False,) * len(seen.extents)
    pointers = tuple(one and const for one in (*pointers[:-1], False)) if pointers else ()
    base = _SAME.get(seen.base, seen.base)
    return CType(base, const and seen.const and bool(pointers), pointers)
