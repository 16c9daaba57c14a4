"""The claims of a release's model on the vendor's header: for each one line of C or C++.

Structs are checked in C, because the model has their C form: in C++ HIP's vector types are
templates with another alignment. The rest is checked in C++, which distinguishes types that are
the same in C.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from generator.abi.spelling import Spelling
from generator.model import Callback, CType, Enum, Macro, Release, Struct

# For C++. `Same<16, 8>` is complete for equal numbers only, so that a compiler's error shows both;
# the others do the same for types and functions.
PRELUDE = """\
#include <cstddef>
#include <type_traits>
namespace abi {
template <__int128 theirs, __int128 ours> struct Same;
template <__int128 both> struct Same<both, both> { static constexpr bool ok = true; };
template <class Theirs, class Ours> struct Is;
template <class Both> struct Is<Both, Both> { static constexpr bool ok = true; };
template <auto theirs, auto ours> struct Function;
template <auto both> struct Function<both, both> { static constexpr bool ok = true; };
}
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One claim: what it is about, for messages, and a line that compiles if it holds."""

    about: str
    code: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A claim for a running program: the arguments of `look(…)`, and what it has to print."""

    about: str
    arguments: str
    expected: tuple[int, ...]


# look(pointer) prints a pointer as a number. look((Struct *)0, set) prints the first bit that `set`
# sets, and how many bits it sets.
PROBES = """\
#include <cstdio>
void look(const void *pointer) { std::printf("%lld\\n", (long long)pointer); }
template <class T, class Set> void look(T *, Set set) {
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    set(*reinterpret_cast<T *>(bytes));
    int first = -1, count = 0;
    for (int bit = 0; bit < int(8 * sizeof(T)); ++bit)
        if (bytes[bit / 8] >> bit % 8 & 1) first = count++ ? first : bit;
    std::printf("%d %d\\n", first, count);
}
"""


def names(release: Release) -> Iterator[Check]:
    """For each struct and enum, a line of C that compiles if its name needs no keyword."""
    for name in (*release.structs, *release.enums):
        if "." not in name:
            yield Check(name, f"typedef {name} abi_{name};")


def struct_checks(release: Release, tags: Collection[str]) -> Iterator[Check]:
    """Layout and types of every struct, in C; `tags` are the names that need their keyword."""
    spelling = Spelling(release, tags)
    for struct in release.structs.values():
        yield from _struct(struct, spelling, release)


def checks(release: Release) -> Iterator[Check]:
    """All other claims that a compiler can check, in C++."""
    spelling = Spelling(release)
    for enum in release.enums.values():
        yield from _enum(enum)
    for macro in release.macros.values():
        yield from _macro(macro, release)
    for alias in release.aliases.values():
        about = f"type {alias.name} ({alias.source})"
        yield Check(about, is_type(alias.name, spelling.type(alias.type)))
    for handle in release.handles.values():
        struct = "void" if handle.untyped else handle.struct
        target = f"const {struct} *" if handle.const else f"{struct} *"
        yield Check(f"handle {handle.name} ({handle.source})", is_type(handle.name, target))
    for callback in release.callbacks.values():
        if "." not in callback.name:
            yield _callback(callback, spelling)


def function_checks(release: Release, *, per_thread: bool = False) -> Iterator[Check]:
    """The prototypes of all functions, and the symbols that their names reach, in C++.

    `per_thread`: with the macro for the per-thread default stream defined.
    """
    spelling = Spelling(release)
    functions = list(release.functions.values())
    symbols = [one.per_thread if per_thread and one.per_thread else one.symbol for one in functions]
    what = "per-thread symbol" if per_thread else "symbol"
    abouts = [f"function {one.name} ({one.source})" for one in functions]
    for at, (about, one) in enumerate(zip(abouts, functions, strict=True)):
        type = spelling.pointer_to(one)
        yield Check(about, f"constexpr auto abi_{at} = static_cast<{type}>(&{one.name});")
    # A macro that renames a function would rename the symbol in the claim, too.
    for name in sorted({*symbols, *release.functions}):
        yield Check(name, f"#undef {name}")
    for at, (about, one, symbol) in enumerate(zip(abouts, functions, symbols, strict=True)):
        if one.forwards:  # the name is a function of the header, which calls the symbol
            continue
        same = f"abi::Function<abi_{at}, static_cast<{spelling.pointer_to(one)}>(&{symbol})>"
        yield Check(f"{about}, {what}", f"static_assert({same}::ok);")
        # C++ may have overloads of the name, but only one declaration with extern "C".
        declared = f"{spelling.type(one.result)} {symbol}({spelling.parameters(one.parameters)})"
        yield Check(f"{about}, prototype", f'extern "C" {declared};')


def probes(release: Release, inner: Collection[str] = ()) -> Iterator[Probe]:
    """The claims about bit-fields, and about macros that are pointers.

    `inner` are the structs that C++ knows only inside of another one.
    """
    spelling = Spelling(release, inner=inner)
    for struct in release.structs.values():
        location = spelling.location(struct.name)
        for field in struct.fields:
            if field.bits is not None and field.name:
                yield Probe(
                    f"{struct.kind} {struct.name} ({struct.source}), bit-field {field.name}",
                    f"({location.type} *)0, [](auto &it) {{ it.{field.name} = -1; }}",
                    (location.offset * 8 + field.offset, field.bits),
                )
    for macro in release.macros.values():
        if _is_pointer(macro, release):
            about = f"macro {macro.name} ({macro.source})"
            yield Probe(about, f"({macro.name})", (macro.value,))


def _struct(struct: Struct, spelling: Spelling, release: Release) -> Iterator[Check]:
    about = f"{struct.kind} {struct.name} ({struct.source})"
    location = spelling.location(struct.name)
    if not struct.name.rpartition(".")[2].isdigit():  # else C has no name for it
        yield Check(f"{about}, size", is_size(f"sizeof({location.type})", struct.size))
        yield Check(f"{about}, alignment", is_size(f"_Alignof({location.type})", struct.align))
    for field in struct.fields:
        if not field.name or field.bits is not None:
            continue
        where = f"{about}, {field.name}"
        theirs = f"__builtin_offsetof({location.type}, {field.name})"
        yield Check(f"{where}, offset", is_size(theirs, location.offset + field.offset))
        if "." not in field.type.base:
            member = f"((({location.type} *)0)->{field.name})"
            # Compare pointers: const counts only behind them, and pointers to arrays keep bounds.
            yield Check(
                f"{where}, type",
                f"_Static_assert(__builtin_types_compatible_p(__typeof__(&{member}), "
                f'__typeof__({spelling.type(field.type)}) *), "{field.type}");',
            )


def _enum(enum: Enum) -> Iterator[Check]:
    about = f"enum {enum.name} ({enum.source})"
    if enum.enumerators:
        name = enum.name if "." not in enum.name else f"decltype({enum.enumerators[0].name})"
        yield Check(
            f"{about}, underlying type",
            is_type(f"std::underlying_type_t<{name}>", enum.underlying),
        )
    for one in enum.enumerators:
        theirs = f"static_cast<__int128>({one.name})"
        yield Check(f"{about}, {one.name}", is_number(theirs, one.value))
        if "." not in enum.name:
            code = is_type(f"decltype({one.name})", enum.name)
            yield Check(f"{about}, {one.name}, type", code)


def _macro(macro: Macro, release: Release) -> Iterator[Check]:
    about = f"macro {macro.name} ({macro.source})"
    if macro.type is not None:
        theirs = f"std::remove_cv_t<decltype({macro.name})>"
        yield Check(f"{about}, type", is_type(theirs, macro.type))
    if not _is_pointer(macro, release):
        yield Check(about, is_number(f"static_cast<__int128>({macro.name})", macro.value))


def _is_pointer(macro: Macro, release: Release) -> bool:
    """Whether the header casts a macro to a pointer, as it does for cudaStreamPerThread."""
    if macro.type is None:
        return False
    type = CType.parse(macro.type)
    while type.base in release.aliases and not type.is_pointer:
        type = release.aliases[type.base].type
    return type.is_pointer or type.base in release.handles


def _callback(callback: Callback, spelling: Spelling) -> Check:
    function = f"{spelling.type(callback.result)}({spelling.parameters(callback.parameters)})"
    return Check(
        f"callback {callback.name} ({callback.source})",
        is_type(f"std::remove_pointer_t<{callback.name}>", function),
    )


def is_number(theirs: str, ours: int) -> str:
    """C++ that compiles if a constant of the header has this value."""
    literal = f"{ours}ULL" if ours >= 1 << 63 else f"{ours}LL"
    if ours == -(1 << 63):  # which C++ can't write in one piece
        literal = f"{ours + 1}LL - 1"
    return f"static_assert(abi::Same<({theirs}), ({literal})>::ok);"


def is_size(theirs: str, ours: int) -> str:
    """C that compiles if a size in the header has this value; an error shows both as bounds."""
    return f"static char (*abi)[{ours}] = (char (*)[{theirs}])0;"


def is_type(theirs: str, ours: str) -> str:
    """C++ that compiles if a type of the header is this one."""
    return f"static_assert(abi::Is<{theirs}, {ours}>::ok);"
