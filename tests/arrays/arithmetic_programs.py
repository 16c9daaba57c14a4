"""Random calls of arithmetic, each beside numpy's.

python -m tests.arrays.arithmetic_programs 50000 [seed] runs so many, on whatever device there is.
"""

from __future__ import annotations

import operator
import random
import sys
import warnings
from typing import Any

import numpy as np

import PyGPU

DTYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "e", "f", "d", "F", "D"]
OPERATORS = {
    name: getattr(operator, name)
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
    ]
}
UNARY = {name: getattr(operator, name) for name in ["neg", "pos", "abs", "invert"]}
# Their results are rounded otherwise than numpy's, in the last places.
ROUNDED = ("pow", "abs")

_REALS = [0.0, -0.0, 1.0, -1.0, 2.5, -3.5, 7.0, 1e-3, 1e4, np.inf, -np.inf, np.nan, 0.5, 3.0]


def values(dtype: Any, shape: tuple[int, ...], random_: random.Random) -> Any:
    """Numbers of a dtype, with the extreme ones among them."""
    kind = np.dtype(dtype)
    count = int(np.prod(shape))
    if kind.kind == "b":
        chosen: Any = [random_.random() < 0.5 for _ in range(count)]
    elif kind.kind in "iu":
        info = np.iinfo(kind)
        corners = [0, 1, 2, 3, 5, 7, info.max, info.max - 1, info.min, info.min + 1]
        corners += [-1, -2, -7] if info.min else []
        chosen = [random_.choice(corners) for _ in range(count)]
    elif kind.kind == "c":
        chosen = [
            complex(random_.choice(_REALS[:9]), random_.choice(_REALS[:9])) for _ in range(count)
        ]
    else:
        chosen = [random_.choice(_REALS) for _ in range(count)]
    return np.array(chosen, kind).reshape(shape)


def laid_out(array: Any, random_: random.Random) -> tuple[Any, Any]:
    """An array as a view with other strides, of numpy and on a device."""
    form = random_.choice(
        ("plain", "plain", "plain", "F", "reversed", "step", "transposed", "part")
    )
    if form == "F":
        host = np.asfortranarray(array)
        return host, PyGPU.to_gpu(host)
    if form == "transposed":
        return array.T, PyGPU.to_gpu(array).T
    if not array.ndim:
        return array, PyGPU.to_gpu(array)
    if form == "reversed":
        return array[::-1], PyGPU.to_gpu(array)[::-1]
    if form == "step":
        wide = np.repeat(array, 2, axis=-1)
        return wide[..., ::2], PyGPU.to_gpu(wide)[..., ::2]
    if form == "part" and array.shape[0] > 1:
        return array[1:], PyGPU.to_gpu(array)[1:]
    return array, PyGPU.to_gpu(array)


def shapes(random_: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that fit together."""
    shape = tuple(random_.choice((1, 2, 3, 5, 17)) for _ in range(random_.randrange(4)))
    if random_.random() < 0.6:
        return shape, shape
    other = tuple(1 if random_.random() < 0.3 else extent for extent in shape)
    return (shape, other[random_.randrange(len(other) + 1) :])[:: random_.choice((1, -1))]  # type: ignore[return-value]


def scalar(random_: random.Random) -> Any:
    """A number of Python, or of numpy."""
    number = random_.choice((0, 1, 2, 3, -1, 2.5, -0.5, True, 1 - 2j))
    if random_.random() < 0.3 and not isinstance(number, complex):
        return np.dtype(random_.choice("bhilfd")).type(number)
    return number


def agree(name: str, due: Any, got: Any) -> bool:
    """Whether a result is numpy's: bit for bit, or where it is rounded otherwise, nearly."""
    if got.dtype != due.dtype or got.shape != due.shape:
        return False
    if due.dtype.kind not in "fc":
        return bool((due == got).all())
    exact = name not in ROUNDED and due.dtype.kind == "f"
    if exact:
        return np.array_equal(due, got, equal_nan=True)
    least = {2: 3e-3, 4: 3e-6, 8: 1e-14}[due.real.dtype.itemsize]
    if name == "pow" and due.dtype.kind == "c":  # errors grow with the exponent
        least *= 1000
    same = np.isclose(due, got, rtol=least, atol=least, equal_nan=True)
    if due.dtype.kind == "c":  # an overflow in numpy's product may be NaN or infinity
        same |= ~np.isfinite(due)
    return bool(same.all())


def attempt(call: Any) -> Any:
    """A result, or the class of the exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call()
    except (TypeError, ValueError, OverflowError) as error:
        return TypeError if isinstance(error, TypeError) else type(error)


def program(random_: random.Random) -> str:
    """Run one call with both; what differs, or ""."""
    first, second = shapes(random_)
    dtypes = [random_.choice(DTYPES) for _ in "ab"]
    host, device = laid_out(values(dtypes[0], first, random_), random_)
    if random_.random() < 0.1:
        name = random_.choice(sorted(UNARY))
        due, got = (attempt(lambda x=x: UNARY[name](x)) for x in (host, device))
        operands = f"{host.dtype}{host.shape}"
    else:
        name = random_.choice(sorted(OPERATORS))
        if random_.random() < 0.3:
            other = on_device = scalar(random_)
            if name == "pow" and host.dtype.kind == "b" and type(other) is int:
                other = on_device = np.int8(
                    other
                )  # numpy has types of its own for squares of bools
        else:
            whole = values(dtypes[1], second, random_)
            if name == "pow" and whole.dtype.kind in "iu" and host.dtype.kind in "iub":
                whole = abs(whole % 5).astype(whole.dtype)  # numpy refuses negative ones
            other, on_device = laid_out(whole, random_)
        call = OPERATORS[name]
        if random_.random() < 0.5 and np.isscalar(other):
            due = attempt(lambda: call(other, host))
            got = attempt(lambda: call(on_device, device))
        else:
            due = attempt(lambda: call(host, other))
            got = attempt(lambda: call(device, on_device))
        operands = f"{host.dtype}{host.shape} {getattr(other, 'dtype', other)!r}"
    if isinstance(due, type) or isinstance(got, type):
        # numpy looks at the numbers of an integer power; the device can't.
        same = due is got or (name == "pow" and due is ValueError)
        return "" if same else f"{name} of {operands}: numpy {due}, PyGPU {got}"
    due = np.asarray(due)
    if agree(name, due, got.get()):
        return ""
    return f"{name} of {operands}: numpy {due.dtype}{due.tolist()}, PyGPU {got.dtype}{got.tolist()}"


def main() -> int:
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    random_ = random.Random(seed)
    wrong = 0
    for at in range(count):
        if message := program(random_):
            wrong += 1
            print(f"[{at}] {message}"[:400])
    print(f"{count} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
