"""ElementwiseKernel: a loop over arrays, of a line of C++ that the user writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from PyGPU._codegen import loops, ufuncs
from PyGPU._codegen.arguments import Argument, VectorArg, arguments_of
from PyGPU._kernels.base import Elementwise

MOST_ARGUMENTS = 24
_OURS = frozenset(("i", "n", "tid", "cta_start", "total_threads"))  # of every kernel's source

_range = range  # calls have a parameter of this name


class ElementwiseKernel:
    """An operation in C++ for each element `i` of some arrays.

    scale = ElementwiseKernel("float *z, float a, const float *x", "z[i] = a * x[i]")
    scale(z, 2, x)

    arguments: C declarations with commas between, or VectorArg and ScalarArg objects. `const`
        arrays are only read
    operation: C++ statements; `i` is the element's index, `n` the number of elements
    name: of the kernel, for profilers and messages
    options: of the compiler, a list or one str
    preamble: C++ before the kernel: functions, structs, #include
    loop_prep, after_loop: C++ before and after the loop of each thread, which visits many elements
    keep: only False, as no files are written

    The first array's shape decides `n`. Arrays of the same shape may have any strides: then `i`
    counts the elements in C order, and `x[i]` finds them. If all of them are one run of memory in
    the same order, `i` counts in that order. Arrays of other shapes must be contiguous, and `x[j]`
    is element j of their memory.

    It stands for pycuda.elementwise.ElementwiseKernel (https://documen.tician.de/pycuda/array.html).
    Raises TypeError and ValueError for wrong arguments; the first call raises CompileError.
    """

    def __init__(
        self,
        arguments: str | Sequence[Argument],
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: str | Sequence[str] | None = None,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        call = "ElementwiseKernel()"
        if keep:
            raise ValueError(
                f"{call}: parameter 'keep' must be False: there are no temporary files"
            )
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f"{call}: parameter 'name' must be a name of C, not {name!r}")
        listed = arguments_of(arguments, call)
        if ours := _OURS.intersection(one.name for one in listed):
            raise ValueError(
                f"{call}: the kernel itself has the name {min(ours)!r}: rename the argument"
            )
        if len(listed) > MOST_ARGUMENTS:
            raise ValueError(f"{call}: at most {MOST_ARGUMENTS} arguments, not {len(listed)}")
        if not any(isinstance(one, VectorArg) for one in listed):
            raise ValueError(f"{call}: parameter 'arguments' must name an array")
        self._given = arguments, operation, name, keep, options, preamble, loop_prep, after_loop
        chosen = options if isinstance(options, str) else tuple(options or ())
        self.name = name
        self._maker = _Maker(
            loops.Loop(name, tuple(listed), operation, preamble, loop_prep, after_loop, chosen)
        )
        self._call = Elementwise(self._maker, name, len(listed), 0, "loop")

    def __call__(
        self, *args: Any, range: Any = None, slice: Any = None, stream: Any = None
    ) -> None:
        """Run it for all elements, or for those of a range or slice of indices.

        TypeError for an array of another dtype than declared, ValueError for shapes that don't fit,
        GPUError.
        """
        if range is None and slice is None:
            self._call(*args, stream=stream)
        else:
            self._call(*args, stream=stream, range=self._range(args, range, slice))

    def _range(self, args: Sequence[Any], range: Any, slice: Any) -> tuple[int, int, int]:
        """Start, step and count."""
        if range is not None and slice is not None:
            raise TypeError(f"{self.name}(): give a range or a slice, not both")
        first = next(
            (value for value, one in zip(args, self._maker.loop.arguments, strict=False)
             if isinstance(one, VectorArg)), None,
        )  # fmt: skip
        size = int(getattr(first, "size", 0))
        one = range if slice is None else slice
        if not all(hasattr(one, part) for part in ("start", "stop", "step")):
            raise TypeError(
                f"{self.name}(): a range or slice has start, stop and step, not {one!r}"
            )
        if slice is not None:
            start, stop, step = slice.indices(size)
        else:
            start, stop = range.start or 0, range.stop
            step = 1 if range.step is None else range.step
        if step == 0:
            raise ValueError(f"{self.name}(): the step of a range must not be 0")
        indices = _range(start, stop, step)
        if indices and not (0 <= indices[0] < size and 0 <= indices[-1] < size):
            raise ValueError(f"{self.name}(): {indices} is out of bounds for {size} elements")
        return start, step, len(indices)

    def __reduce__(self) -> Any:
        return type(self), self._given

    def __repr__(self) -> str:
        return f"<PyGPU.ElementwiseKernel {self.name}>"


class _Maker(ufuncs.Maker):
    """What the compiled type Elementwise asks; see kernels/elementwise.hpp."""

    def __init__(self, loop: loops.Loop) -> None:
        self.loop = loop

    def types(self, name: str, kinds: tuple[Any, ...], outputs: int) -> Any:
        """The declared dtypes, if the arrays' fit."""
        due = self.loop.arguments
        for one, kind in zip(due, kinds, strict=False):
            is_array = isinstance(kind, np.dtype)
            if is_array != isinstance(one, VectorArg):
                wanted = "an array" if isinstance(one, VectorArg) else "a number"
                shown = "an array" if is_array else kind.__name__
                raise TypeError(f"{name}(): parameter {one.name!r} must be {wanted}, not {shown}")
            if is_array and kind != one.dtype:
                raise TypeError(
                    f"{name}(): parameter {one.name!r} is an array of {one.dtype}, not of {kind}"
                )
        written = sum(
            1 << at for at, one in enumerate(due) if isinstance(one, VectorArg) and not one.is_const
        )
        return self.loop, tuple(one.dtype for one in due), loops.pack_of(self.loop), written
