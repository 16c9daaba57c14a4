"""Sources of elementwise kernels: one loop over the elements, for each way that arrays lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from PyGPU._codegen.arguments import ScalarArg, VectorArg
from PyGPU._codegen.c_types import dtype_to_ctype
from PyGPU._codegen.headers import includes_for

PACK_BYTES = 16  # that one instruction loads


class Loop(NamedTuple):
    """What an elementwise kernel does for element `i`, in C++."""

    name: str
    arguments: tuple[VectorArg | ScalarArg, ...]
    operation: str
    preamble: str = ""
    before: str = ""
    after: str = ""
    options: str | tuple[str, ...] = ()  # of the compiler
    is_ours: bool = False  # so its functions change no argument


class Layout(NamedTuple):
    """How the arrays of one call lie; see src/handwritten/kernels/elementwise_types.hpp."""

    axes: int = 0
    packed: bool = False
    wide: bool = False
    plain: int = 0
    ranged: bool = False


class _Packs(NamedTuple):
    """Which arrays a thread loads into packs before its elements, and stores after them."""

    loaded: frozenset[str]
    stored: frozenset[str]


def pack_of(loop: Loop) -> int:
    """How many elements a thread takes at once; 0 if the operation allows only one at a time."""
    vectors = [one for one in loop.arguments if isinstance(one, VectorArg)]
    sizes = [one.dtype.itemsize for one in vectors]
    count = PACK_BYTES // max(sizes)
    plain = all(size in (1, 2, 4, 8, 16) for size in sizes)
    return count if count > 1 and plain and min(sizes) * count > 1 and _packs(loop) else 0


_ASSIGNMENT = re.compile(r"\s*(\w+)\s*\[\s*i\s*\]\s*([-+*/%&|^]|<<|>>)?=(?!=)(.*)", re.S)
_LOCAL = re.compile(r"\s*const [\w:<> ]+ (\w+)() =(?!=)(.*)", re.S)
_ELEMENT = re.compile(r"(\w+)\s*\[\s*i\s*\]")
# What a user's expression may have besides elements and numbers, and change nothing.
_PURE = frozenset(
    word
    for words in (
        "i n bool char double float half int long short signed unsigned true false pycuda pygpu",
        "abs acos acosh asin asinh atan atan2 atanh cbrt ceil complex conj copysign cos cosf cosh",
        "erf erfc exp exp10 exp2 expf expm1 fabs fabsf floor fma fmax fmaxf fmin fminf fmod hypot",
        "imag isfinite isinf isnan log log10 log1p log2 logf max min norm pow powf real rint round",
        "rsqrt rsqrtf sin sinf sinh sqrt sqrtf tan tanh tanhf trunc",
    )
    for word in words.split()
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ADDRESS = re.compile(r"(?<!&)&(?!&)")
_HAS_OTHER_EFFECTS = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--|[{}#]")


def _packs(loop: Loop) -> _Packs | None:
    """None unless all statements assign to `name[i]`, and read arrays as `name[i]` alone.

    Constants may be declared between, too.
    """
    if loop.before.strip() or loop.after.strip():
        return None
    known = _PURE | {one.name for one in loop.arguments if isinstance(one, ScalarArg)}
    known -= set(_WORD.findall(loop.preamble))
    names = {one.name for one in loop.arguments if isinstance(one, VectorArg)}
    loaded: set[str] = set()
    stored: set[str] = set()
    for statement in filter(str.strip, loop.operation.split(";")):
        local = _LOCAL.fullmatch(statement)
        assignment = local or _ASSIGNMENT.fullmatch(statement)
        if not assignment or (assignment[1] in names) == bool(local):
            return None
        target, operator, value = assignment.groups()
        words = set(re.findall(r"\w+", _ELEMENT.sub(" ", value)))
        if _HAS_OTHER_EFFECTS.search(value) or words & names:
            return None  # another element, or the address
        if not loop.is_ours and (
            _ADDRESS.search(value) or set(_WORD.findall(value)) - known - names
        ):
            return None  # a function that may write to its argument
        read = set(_ELEMENT.findall(value)) & names | ({target} if operator else set())
        loaded |= read - stored
        if not local:
            stored.add(target)
    return _Packs(frozenset(loaded), frozenset(stored))


def source_of(loop: Loop, layout: Layout) -> str:
    """The source of a kernel, whose name is the loop's."""
    vectors = [one for one in loop.arguments if isinstance(one, VectorArg)]
    strided = [
        one
        for at, one in enumerate(loop.arguments)
        if isinstance(one, VectorArg) and layout.axes and not layout.plain >> at & 1
    ]
    hidden = vectors if layout.packed else strided  # parameters that have other names
    parameters = ["unsigned long n"]
    if layout.ranged:
        parameters += ["long start", "long step", "unsigned long pygpu_count"]
    for one in loop.arguments:
        text = one.declarator()
        parameters.append(re.sub(r"\b\w+$", "pygpu_" + one.name, text) if one in hidden else text)
    if layout.axes:
        parameters.append(f"pygpu::space<{layout.axes}, {len(strided)}> pygpu_space")
    names = [
        f"const pygpu::strided<{_element(one)}, {layout.axes}, unsigned {_index(layout)}> "
        f"{one.name} = {{(const char *)pygpu_{one.name}, pygpu_space.extents, "
        f"pygpu_space.strides[{at}]}}; (void){one.name};"
        for at, one in enumerate(strided)
    ]
    body = _packed(loop, vectors) if layout.packed else _plain(loop, layout)
    return (
        _includes(loop, hidden)
        + loop.preamble
        + f'\nextern "C" __global__ void {loop.name}({", ".join(parameters)}) {{\n'
        + _indented(
            "const unsigned long tid = threadIdx.x, cta_start = 1ul * blockDim.x * blockIdx.x;",
            "const unsigned long total_threads = 1ul * gridDim.x * blockDim.x;",
            f"{'long' if layout.ranged else 'unsigned long'} i = 0;",
            *names,
            *body,
        )
        + "}\n"
    )


def _includes(loop: Loop, hidden: Sequence[VectorArg]) -> str:
    text = includes_for(one.dtype for one in loop.arguments)
    if "complex" in loop.preamble + loop.operation and "complex.hpp" not in text:
        text += "#include <pygpu/complex.hpp>\n"
    return text + ("#include <pygpu/loops.hpp>\n" if hidden else "")


def _index(layout: Layout) -> str:
    return "long" if layout.wide else "int"


def _element(one: VectorArg) -> str:
    return ("const " if one.is_const else "") + dtype_to_ctype(one.dtype)


def _plain(loop: Loop, layout: Layout) -> list[str]:
    """One element after the other."""
    steps = ["for (i = cta_start + tid; i < n; i += total_threads) {"]
    if layout.ranged:
        steps = [
            "for (unsigned long pygpu_at = cta_start + tid; pygpu_at < pygpu_count;",
            "     pygpu_at += total_threads) {",
            "    i = start + step * long(pygpu_at);",
        ]
    return [
        *_statement(loop.before),
        *steps,
        *_inner(loop.operation),
        "}",
        *_statement(loop.after),
    ]


def _packed(loop: Loop, vectors: Sequence[VectorArg]) -> list[str]:
    """Packs of elements, then the elements after the last whole pack."""
    count, packs = pack_of(loop), _packs(loop)
    assert packs
    kinds = {one.name: dtype_to_ctype(one.dtype) for one in vectors}
    lines = [f"const unsigned long pygpu_whole = n / {count};"]
    lines += ["for (unsigned long pygpu_at = cta_start + tid; pygpu_at < pygpu_whole;"]
    lines += ["     pygpu_at += total_threads) {"]
    lines += [f"    pygpu::pack<{kind}, {count}> packed_{name};" for name, kind in kinds.items()]
    lines += [f"    packed_{name}.load(pygpu_{name}, pygpu_at);" for name in sorted(packs.loaded)]
    lines += ["    #pragma unroll"]
    lines += [f"    for (int pygpu_lane = 0; pygpu_lane < {count}; ++pygpu_lane) {{"]
    lines += [f"        i = pygpu_at * {count} + pygpu_lane;"]
    lines += [
        f"        const pygpu::lane<{kind}> {name} = {{packed_{name}.items[pygpu_lane]}};"
        for name, kind in kinds.items()
    ]
    lines += [f"        (void){name};" for name in kinds]
    lines += [f"        {loop.operation};", "    }"]
    lines += [f"    packed_{name}.store(pygpu_{name}, pygpu_at);" for name in sorted(packs.stored)]
    lines += [
        "}",
        f"for (i = n / {count} * {count} + cta_start + tid; i < n; i += total_threads) {{",
    ]
    lines += [
        f"    {_element(one)} *const {one.name} = pygpu_{one.name}; (void){one.name};"
        for one in vectors
    ]
    return [*lines, *_inner(loop.operation), "}"]


def _statement(text: str) -> list[str]:
    return [text + ";"] if text.strip() else []


def _inner(text: str) -> list[str]:
    return ["    " + text + ";"]


def _indented(*lines: str) -> str:
    return "".join(f"    {line}\n" for line in lines)
