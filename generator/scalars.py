"""The types that C knows by itself, and that the model can express."""

from __future__ import annotations

from collections.abc import Mapping

# How a number of plain `char` is kept: x86-64 gives it a sign, and aarch64 gives it none.
CHARACTER = "character"
# How each scalar of the 64-bit Linux ABI is kept. Of `char` this is right for bytes and text, where
# a sign has no meaning.
SCALARS: Mapping[str, tuple[str, int]] = {
    "bool": ("boolean", 1),
    "char": ("i8", 1),
    "signed char": ("i8", 1),
    "int8_t": ("i8", 1),
    "unsigned char": ("u8", 1),
    "uint8_t": ("u8", 1),
    "short": ("i16", 2),
    "int16_t": ("i16", 2),
    "unsigned short": ("u16", 2),
    "uint16_t": ("u16", 2),
    "int": ("i32", 4),
    "int32_t": ("i32", 4),
    "unsigned int": ("u32", 4),
    "uint32_t": ("u32", 4),
    "long": ("i64", 8),
    "long long": ("i64", 8),
    "int64_t": ("i64", 8),
    "intptr_t": ("i64", 8),
    "ptrdiff_t": ("i64", 8),
    "unsigned long": ("u64", 8),
    "unsigned long long": ("u64", 8),
    "size_t": ("u64", 8),
    "uint64_t": ("u64", 8),
    "uintptr_t": ("u64", 8),
    "float": ("f32", 4),
    "double": ("f64", 8),
    "long double": ("f80", 16),
    "float _Complex": ("c32", 8),
    "double _Complex": ("c64", 16),
}
REAL = frozenset({"float", "double", "long double"})
COMPLEX = frozenset({"float _Complex", "double _Complex"})
INTEGERS = SCALARS.keys() - {"bool", *REAL, *COMPLEX}
# What an array in Python can hold, and so what its elements are compared with.
ELEMENTS = SCALARS.keys() - {"long double", *COMPLEX}
BUILTIN = frozenset({"void", *SCALARS})


def alignment(name: str) -> int:
    """The alignment of a scalar: that of its parts."""
    size = SCALARS[name][1]
    return size // 2 if name in COMPLEX else size
