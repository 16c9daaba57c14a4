"""What a docstring says of a value: phrases with holes, so that C++ holds each phrase once."""

from __future__ import annotations

from dataclasses import dataclass

# Each phrase by a name; the C++ records have the name, and what goes into the holes.
PHRASES = {
    # What a parameter takes.
    "raw": "passed on as a bare address: an int, a buffer, a device array or None",
    "raw bytes": "passed on as a bare address: an int, bytes, a buffer, a device array or None",
    "bool or": "bool or ",
    "int": "int",
    "number": "int ({})",
    "float": "float",
    "complex": "complex",
    "or memory": ", or memory or the address of one",
    "enum": "a {} or int",
    "handle": "a {}, an address or None",
    "struct": "a {}, a dict or a tuple of its fields",
    "dim3": "a dim3, an int, or 1 to 3 of them",
    "readable": "memory that C reads{}: a buffer, device array, address or None",
    "writable": "memory that C writes{}: a writable buffer, device array, address or None",
    "location": "a memory location{}: an address, device array, buffer or None",
    "freed": "; not memory that PyGPU itself frees",
    "image": "code: bytes or another buffer, an address",
    "function": "a function, kernel or symbol: a handle, an address or a ctypes function",
    "text": "str, bytes, a path or None",
    "array": "a sequence of {}{}; or its address, or None",
    "ended array": "a sequence of {}{}, to which a 0 is added; or its address, or None",
    "items": "a sequence of {}{}, or None",
    "changed items": "a sequence of {}{}, left as it is; or None",
    "itself": "a {}, a buffer, an address or None; C gets no copy",
    "memory": ", a buffer, an address or None",
    "zeros": ", or None for zeros",
    "ended": "a {} or an address: it ends, and the object is null",
    "destroyed": "a {} or an address: it ends, and its owner gives it up",
    "unregisters a": "a {}: unregisters its callable",
    "unregisters": "; unregisters its callable",
    "user data": "any object, for the callable",
    "arguments": (
        "a sequence of ctypes or numpy scalars, structs, handles and objects in device memory; or"
        " (values, types) with ctypes or numpy types; or the address of a void **. C copies them."
    ),
    "record": "the {} of the call before, or None for the first; a copy of the next is a result",
    "packed": (
        "a buffer with all arguments as they lie in memory, or the address of a list; or None."
    ),
    "field": "what {} takes",
    # Both ways.
    "typed": "as {} decides: {}; else {}",
    "each typed": "each as {} decides: {}; else {}",
    "or none": "{} or None",
    "words": "{}",
    # What a result is.
    "address": "int, an address",
    "not owned": "{}, not owned",
    "view": "a view on C's own {}, or None",
    "new": "a new {}",
    "list": "a list of ",
    "or None": " or None",
    "str": "str",
    "text or None": "str or None",
    "bytes": "bytes",
    "code": "bytes, without the NUL behind them",
    # What is true of it besides.
    "counts": ": {} of {}",
    "at most": ": the most {} of {} to take",
    "count": "the most {} of {} to take; {} by default",
    "count of all": "the most {} of {} to take; left out, as many as there are",
    "default": "; {} by default",
    "result": "; stays as it is, its new value is a result",
    "kept": ". A callable in it is kept {}",
    "since": "; None before {}",
    "always valid": "; holds after failures too",
    "valid": "; holds after {}, too",
}


@dataclass(frozen=True, slots=True)
class Description:
    """A text as the names of phrases, each with what goes into its holes."""

    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __add__(self, other: Description) -> Description:
        """One behind the other."""
        return Description(self.parts + other.parts)

    def __str__(self) -> str:
        """The text itself."""
        return "".join(PHRASES[name].format(*holes) for name, holes in self.parts)


NOTHING = Description()


def phrase(name: str, *holes: str) -> Description:
    """One phrase, filled."""
    assert PHRASES[name].count("{}") == len(holes), name
    return Description(((name, holes),))
