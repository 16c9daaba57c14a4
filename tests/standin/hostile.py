"""Calls every function with arguments that it can't be meant to take: no crash, no leak.

Run as a program like drive.py. Each hostile value in turn replaces each input, while the other
inputs are good. Either a TypeError, ValueError or OverflowError names function and parameter, or
the call happens and the other arguments arrive intact. Prints all exceptions to this as JSON.
"""

from __future__ import annotations

import ctypes
import json
import math
import re
import struct
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from tests.standin import apis
from tests.standin.drive import NOT_SUPPORTED, Call, Driver, start
from tests.standin.expected import Expected, Slot, read
from tests.standin.forms import Form
from tests.standin.source import passing

# Values that raise an error of their own, and values whose references can't be counted: they are
# gone, are kept after a call, or all of Python uses them.
OWN = {"released", "ctypes null"}
UNCOUNTED = {"empty text", "emptied", "None", "true", "minus one", "an error"}
# A pair that was unpacked in the other packages' order, and the message that refuses it.
SWAPPED = "(value, err), not (err, value)"
# Parameters, by function, that C only checks for zero, so that a bool is right.
BOOLEANS = {
    "isEnabled": {"cudaGraphNodeSetEnabled", "hipGraphNodeSetEnabled", "cuGraphNodeSetEnabled"},
    "defaultLaunchValue": {
        "cudaGraphConditionalHandleCreate",
        "cudaGraphConditionalHandleCreate_v2",
        "cuGraphConditionalHandleCreate",
    },
    "value": {
        "cudaFuncSetAttribute",
        "cudaKernelSetAttributeForDevice",
        "cuFuncSetAttribute",
        "hipFuncSetAttribute",
    },
    "val": {"cuKernelSetAttribute"},
}
# The functions whose inputs decide the size of the output.
SIZED = {"cuMemGetLocationInfo"}
STATUS_TYPES = {apis.of(api).status.type for api in apis.APIS}


class OwnError(Exception):
    """The error that a hostile object raises by itself."""


class Raising:
    """Raises when it is asked for a number, an item, a length or an interface."""

    def __index__(self) -> int:
        raise OwnError

    __float__ = __len__ = __iter__ = __bool__ = __index__

    def __getitem__(self, key: object) -> object:
        raise OwnError

    @property
    def __cuda_array_interface__(self) -> object:
        raise OwnError

    __cuda_stream__ = __cuda_array_interface__


class Lying:
    """Claims to be a number, and isn't."""

    def __index__(self) -> int:
        return "one"  # type: ignore[return-value]

    def __len__(self) -> int:
        return -1


class Interface:
    """Has a __cuda_array_interface__ with any value."""

    def __init__(self, value: object) -> None:
        self.__cuda_array_interface__ = value


class Shrinking(list):  # type: ignore[type-arg]
    """A list that loses its items while they are read."""

    def __iter__(self) -> Iterator[Any]:
        while self:
            yield self.pop()


class Emptying:
    """A number that empties its own list when it is read."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __index__(self) -> int:
        self.items.clear()
        return 1


def values(driver: Driver) -> dict[str, Any]:
    """The hostile values by name, newly made."""
    released = memoryview(bytearray(64))
    released.release()
    emptied: list[Any] = [1, 2, 3]
    emptied[0] = Emptying(emptied)
    structs = [name for name in driver.layout.release.structs if hasattr(driver.module, name)]
    handles = [name for name in driver.layout.release.handles if hasattr(driver.module, name)]
    kinds = (driver.module, structs[0] if structs else None, handles[0])
    return {
        "None": None,
        "true": True,
        # Not an attribute's name: Python caches those, and drops them at any time.
        "text": "some text",
        "empty text": "",
        "surrogate": "a\ud800b",
        "inner NUL": "a\0b",
        "bytes": b"\x01" * 64,
        "empty bytes": b"",
        "short buffer": bytearray(1),
        "read-only": memoryview(b"\x01" * 4),
        "strided": memoryview(bytearray(64))[::2],
        "released": released,
        "floats": array("d", [1.0, 2.0, 3.0]),
        "minus one": -1,
        "2**31": 1 << 31,
        "2**32": 1 << 32,
        "2**63": 1 << 63,
        "2**64": 1 << 64,
        "-2**63 - 1": -(1 << 63) - 1,
        "10**40": 10**40,
        "a float": 1.5,
        "NaN": math.nan,
        "complex": 1j,
        "object": object(),
        "class": int,
        "function": len,
        "list": [1, 2, 3],
        "list of texts": ["a", "b", "c"],
        "list of None": [None] * 3,
        "list of huge": [10**40] * 3,
        "nested": [[[1]]],
        "empty list": [],
        "long list": [1] * 1000,
        "tuple": (1,),
        "dict": {},
        "dict of nonsense": {"no such field": 1, 2: 3},
        "set": {1},
        "generator": (one for one in (1, 2)),
        "raising": Raising(),
        "lying": Lying(),
        "shrinking": Shrinking([1, 2, 3]),
        "emptied": emptied,
        "no interface": Interface(None),
        "empty interface": Interface({}),
        "wrong interface": Interface({"data": (1, 2, 3), "shape": 1, "typestr": b"<f4"}),
        "huge interface": Interface(
            {"data": (1, False), "shape": (1 << 63,) * 3, "typestr": "<f9"}
        ),
        "negative interface": Interface({"data": (-1, False), "shape": (-1,), "typestr": "<f4"}),
        "ctypes": ctypes.c_int(1),
        "ctypes pointer": ctypes.pointer(ctypes.c_int(1)),
        "ctypes null": ctypes.POINTER(ctypes.c_int)(),
        "a struct": getattr(kinds[0], kinds[1])() if kinds[1] else None,
        "a handle": getattr(kinds[0], kinds[2])(1 << 40),
        "an error": driver.error(0),
        "list of errors": [driver.error(1)] * 3,
        "an error class": driver.error,
        "the module": driver.module,
    }


class Hostile:
    """The functions of one API, and what was wrong with them."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.values = values(driver)
        self.wrong: list[str] = []
        self.cases = 0
        self.refused = 0

    def check(self, expected: Expected) -> None:
        """All hostile calls of one function."""
        call = self._prepared(expected)
        bound = getattr(self.driver.module, expected.name)
        inputs = [call.values[one.name] for one in expected.inputs]
        for given, keywords in (
            (inputs + [1] * 9, {}),
            (inputs, {"no_such_parameter": 1}),
            (inputs, {expected.inputs[0].python_name: 1} if expected.inputs else {"x": 1}),
        ):
            self._refused(expected, bound, given, keywords)
        for slot in (*expected.inputs, *expected.keywords):
            for name in self.values:
                self._one(expected, slot, name)

    def _refused(self, expected: Expected, bound: Any, given: Any, keywords: Any) -> None:
        self.cases += 1
        try:
            bound(*given, **keywords)
        except TypeError as error:
            if expected.name not in str(error):
                self.wrong.append(f"{expected.name}: {error}")
        else:
            self.wrong.append(f"{expected.name} took {len(given)} arguments and {keywords}")

    def _one(self, expected: Expected, slot: Slot, name: str) -> None:
        self.cases += 1
        form = self.driver.forms.find(expected.name)
        call = self._prepared(expected)
        if name in ("generator", "shrinking", "emptied", "dict", "list"):
            self.values[name] = values(self.driver)[name]
        value = self.values[name]
        is_address = type(value) is int or isinstance(value, ctypes.POINTER(ctypes.c_int))
        if is_address and slot.kind == "{}" and self.driver.is_renamed(form, slot):
            return  # the adaptor would read an address of nothing, or of one int
        before = sys.getrefcount(value)
        inputs = [value if one is slot else call.values[one.name] for one in expected.inputs]
        keywords = {one.python_name: call.values[one.name] for one in expected.keywords}
        if slot in expected.keywords:
            keywords[slot.python_name] = value
        about = f"{expected.name}({slot.name}={name})"
        result: Any = None
        try:
            result = getattr(self.driver.module, expected.name)(*inputs, **keywords)
        except (TypeError, ValueError, OverflowError) as error:
            self.refused += 1
            text = str(error)
            if not self._told(form, expected, slot, name, text):
                self.wrong.append(f"{about}: {type(error).__name__}: {text}")
        except OwnError:
            self.refused += 1
            if name != "raising":
                self.wrong.append(f"{about}: not its own exception")
        except MemoryError:
            self.refused += 1
            counted = slot in expected.keywords or _counts(slot, expected)
            if not counted and expected.name not in SIZED:
                self.wrong.append(f"{about}: MemoryError")
        except BaseException as error:
            self.wrong.append(f"{about}: {type(error).__name__}: {error}")
        else:
            wrong = name in ("true", "an error", "list of errors")
            if wrong and not self._may_be(expected, form, slot, name):
                self.wrong.append(f"{about}: taken")
            typed = {
                one.name for one in expected.inputs if (one.kind, one.count) == ("~", slot.name)
            }
            if not self._unsupported(form, slot, result):
                self._intact(form, call, slot, about, value, typed)
        del inputs, keywords, result, call
        kept = slot.kind in ("()", "#")  # a callable lives as long as C may call it
        if sys.getrefcount(value) != before and name not in UNCOUNTED and not kept:
            self.wrong.append(f"{about}: {sys.getrefcount(value) - before:+} references")

    def _may_be(self, expected: Expected, form: Form, slot: Slot, name: str) -> bool:
        """Whether an error or a bool may be meant for this kind of parameter."""
        if name == "true":
            return expected.name in BOOLEANS.get(slot.name, ())
        status = form.types[slot.name].base in STATUS_TYPES
        return status and name == "an error"

    def _told(self, form: Form, expected: Expected, slot: Slot, name: str, text: str) -> bool:
        """Whether a message names the function, and the parameter or the array that it counts."""
        if name == "an error" and SWAPPED not in text:
            return False
        if name in OWN and slot.kind.endswith(("[]", "~")):
            return True  # the object raised when its items were asked for
        named = {slot.python_name, *(f"'{one}" for one in form.types)}
        return expected.name in text and any(one in text for one in named)

    def _unsupported(self, form: Form, slot: Slot, result: Any) -> bool:
        """Whether an older form wasn't called because it has nothing to pass this input by."""
        place = form.places.get(slot.name)
        lacking = place is None or form.function.parameters[place].type != form.types[slot.name]
        error = result[-1] if type(result) is tuple else result
        return lacking and not self.driver.standin.calls() and int(error) == NOT_SUPPORTED

    def _intact(
        self,
        form: Form,
        call: Call,
        slot: Slot,
        about: str,
        value: object,
        typed: set[str],
    ) -> None:
        """Whether the other arguments arrived, and the hostile one if it is a number.

        Arguments whose type the hostile one decides may have changed.
        """
        standin, function = self.driver.standin, form.function
        names = {place: one for one, place in form.places.items()}
        if standin.calls()[-1:] != [function.symbol]:
            self.wrong.append(f"{about}: called {standin.calls()}")
            return
        for place, expects in call.arrives.items():
            parameter = function.parameters[place]
            found = standin.argument(place)
            name = names[place]
            if name in typed:
                continue
            if name != slot.name:
                if (
                    slot.kind in ("()", "#")
                    and passing(self.driver.layout, parameter.type) != "VALUE"
                ):
                    continue  # a callable and its data are converted together
                if found != expects:
                    self.wrong.append(f"{about}: {name} arrived as {found.hex()}")
            elif type(value) is int and len(found) <= 8 and not _is(value, found):
                self.wrong.append(f"{about}: arrived as {found.hex()}")
            elif type(value) is float and len(found) not in (4, 8):
                self.wrong.append(f"{about}: a float arrived as {found.hex()}")

    def _prepared(self, expected: Expected) -> Call:
        self.driver.standin.reset()
        call = self.driver.prepare(expected, "low")
        self.driver.standin.quiet()
        return call


def _counts(slot: Slot, expected: Expected) -> bool:
    """Whether the number of an output's elements is computed from an input."""
    formulas = [one.count for one in expected.outputs if not one.count.isidentifier()]
    return any(re.search(rf"\b{slot.name}\b", one) for one in formulas)


def _is(value: int, found: bytes) -> bool:
    """Whether bytes hold a number: as a signed or unsigned integer, or as a float."""
    numbers: list[float] = [int.from_bytes(found, "little", signed=s) for s in (False, True)]
    if value in numbers:
        return True
    form = {4: "<f", 8: "<d"}.get(len(found))
    return form is not None and abs(value) < 2**100 and struct.pack(form, value) == found


def main(api: str, version: str, path: str, *only: str) -> int:
    """All functions that no newer release has in the same form, or the named ones."""
    driver = start(api, version, path)
    table = read(api)
    hostile = Hostile(driver)
    for name in driver.forms.last():
        if not hasattr(driver.module, name):
            continue
        if only and name not in only:
            continue
        print(name, file=sys.stderr, flush=True)  # after a crash, the last line names the function
        hostile.check(table.functions[name])
    print(json.dumps({"cases": hostile.cases, "refused": hostile.refused, "wrong": hostile.wrong}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
