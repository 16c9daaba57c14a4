"""Calls every function against a stand-in, and compares what arrives in C and what comes back.

Run as a program with an API, a release and the stand-in's path, in an interpreter of its own, since
a process loads a library only once. Prints the result as JSON.
"""

from __future__ import annotations

import builtins
import ctypes
import faulthandler
import importlib
import json
import os
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from generator import rules, store  # noqa: E402
from generator.merge import release_of  # noqa: E402
from generator.model import Api, CType, Function  # noqa: E402
from tests.standin import apis  # noqa: E402
from tests.standin.expected import Expected, Slot, Table, parse, read  # noqa: E402
from tests.standin.forms import Form, Forms  # noqa: E402
from tests.standin.library import StandIn  # noqa: E402
from tests.standin.source import Layout  # noqa: E402

MODULES = {api: apis.of(api).namespace for api in apis.APIS}
COUNT = 3  # the number of elements in arrays
RESULT = 16  # the index of the result's pattern
UNSEEN = 15  # the index for values that must not arrive
NOT_SUPPORTED = 801
TYPED = 64  # the size of a value with an unknown enumerator
PIECE = 16  # the size of one such value among several
UNKNOWN = 0x7A00
ANY = object()
TEXT = b"what C wrote"
# A reset counts for the current device. So the device is asked for first.
ASKS_FIRST = {
    "cudaDeviceReset": "cudaGetDevice",
    "cudaThreadExit": "cudaGetDevice",
    "hipDeviceReset": "hipGetDevice",
}
UNSIGNED = {"size_t", "bool", "char", "uintptr_t"}
# Places in memory, (type, id), and the device numbers that older forms have for them. Those forms
# know no other places.
DEVICE, HOST = ((1, 5), 5), ((2, 5), -1)
NOWHERE = [(0, 0), (3, 0), (4, 0)]
STREAMS = {CType(stream) for api in apis.APIS if (stream := apis.of(api).handles.stream)}
OWN_STREAM = (2).to_bytes(8, "little")  # cudaStreamPerThread, hipStreamPerThread


class Start(bytes):
    """The first bytes of a result."""


class WrongError(Exception):
    """A value that didn't arrive, or didn't come back."""


@dataclass
class Call:
    """The arguments of a call that is being prepared, and its expected results."""

    values: dict[str, Any] = field(default_factory=dict)
    arrives: dict[int, bytes] = field(default_factory=dict)
    behind: dict[int, bytes] = field(default_factory=dict)
    comes: list[tuple[Slot, Any]] = field(default_factory=list)
    unasked: tuple[int, ...] = ()  # what C writes and no result shows


class Driver:
    """Calls the functions of one release of one API.

    Python has the signatures of the newest release. C is called in the forms of this release.
    """

    def __init__(
        self, api: Api, version: str, module: ModuleType, standin: StandIn, table: Table
    ) -> None:
        release = release_of(api, version)
        self.forms = Forms(api, release, table)
        self.layout = Layout(release)
        self.newest = Layout(release_of(api, api.newest))
        self.module = module
        self.standin = standin
        self.error = getattr(module, apis.of(api.name).status.class_)
        self.per_thread = os.environ.get("PYGPU_PER_THREAD_DEFAULT_STREAM") == "1"

    def check(self, name: str, expected: Expected) -> None:
        """Raises WrongError, or whatever the binding raises, if a function does anything wrong."""
        codes = sorted({1, *(one.code for one in expected.outputs if one.code)})
        styles = [(style, 0) for style in ("low", "high", "buffers")]
        for style, status in (*styles, *(("failing", code) for code in codes)):
            self.standin.reset()
            self._check(expected, style, status)
        form = self.forms.find(name)
        if any(self.layout.resolve(form.types[one.name]).is_pointer for one in expected.keywords):
            self.standin.reset()
            self._check(expected, "asked", 0)
        self._check_lengths(expected)
        self._check_refused(form, expected)
        if self.per_thread and not form.function.per_thread and not name.endswith("_spt"):
            self._check_own_stream(form, expected)

    def check_refused(self, expected: Expected) -> None:
        """Raises WrongError unless the call gives ErrorNotSupported without calling C."""
        self.standin.reset()
        result = self._bound(expected)(*(0 for _ in expected.inputs))
        error = result[-1] if type(result) is tuple else result
        if int(error) != NOT_SUPPORTED or self.standin.calls():
            raise WrongError(f"{error!r}, not refused")

    def _check_own_stream(self, form: Form, expected: Expected) -> None:
        """Stream 0 arrives as the thread's own stream in a function without a per-thread symbol."""
        for slot in expected.inputs:
            place = form.places.get(slot.name)
            if place is None or form.function.parameters[place].type not in STREAMS:
                continue
            self.standin.reset()
            values = self.prepare(expected, "low").values | {slot.name: 0}
            keywords = {one.python_name: values[one.name] for one in expected.keywords}
            self._bound(expected)(*(values[one.name] for one in expected.inputs), **keywords)
            self._same("own", form.function, place, self.standin.argument(place), OWN_STREAM)

    def symbol(self, function: Function) -> str:
        """The called symbol of a form: the twin for the per-thread default stream, or its own."""
        return function.per_thread if self.per_thread and function.per_thread else function.symbol

    def _check_refused(self, form: Form, expected: Expected) -> None:
        """What an older form can't express gives ErrorNotSupported, and C isn't called."""
        for slot in expected.inputs:
            for value in self._inexpressible(form, slot, expected):
                self.standin.reset()
                values = self.prepare(expected, "low").values | {slot.name: value}
                result = self._bound(expected)(*(values[one.name] for one in expected.inputs))
                error = result[-1] if type(result) is tuple else result
                if int(error) != NOT_SUPPORTED or self.standin.calls():
                    raise WrongError(f"{slot.name}={value!r}: {error!r}, not refused")

    def _inexpressible(self, form: Form, slot: Slot, expected: Expected) -> Iterator[Any]:
        if slot.name not in form.places:
            call = Call()
            counted = any(one.count == slot.name for one in expected.inputs)
            self._input(call, UNSEEN, form.types[slot.name], slot, "low", counted=counted)
            yield call.values[slot.name]
        elif self._is_place(form, slot):
            yield from NOWHERE

    def _check_lengths(self, expected: Expected) -> None:
        """A buffer as long as what C accesses is taken. With one byte less it is refused."""
        for name, formula in expected.lengths.items():
            for short in (0, 1):
                self.standin.reset()
                call = self.prepare(expected, "short")
                numbers = {k: v for k, v in call.values.items() if isinstance(v, int)}
                needed = eval(formula, {"pitched": pitched}, numbers)
                call.values[name] = bytearray(needed - short)
                try:
                    self._bound(expected)(*(call.values[one.name] for one in expected.inputs))
                except ValueError as error:
                    if not short or name not in str(error) or self.standin.calls():
                        raise WrongError(f"{name}, {needed - short} bytes: {error}") from error
                else:
                    if short:
                        raise WrongError(f"{name}: {needed - 1} bytes are taken, {needed} are due")

    def _bound(self, expected: Expected) -> Callable[..., Any]:
        bound: Callable[..., Any] = getattr(self.module, expected.name)
        return bound

    def _check(self, expected: Expected, style: str, status: int) -> None:
        function = self.forms.find(expected.name).function
        call = self.prepare(expected, style)
        self.standin.set_status(status)
        bound = self._bound(expected)
        inputs = [call.values[one.name] for one in expected.inputs]
        keywords = {
            one.python_name: call.values[one.name]
            for one in expected.keywords
            if one.name in call.values
        }
        if style == "high":
            keywords |= {one.python_name: call.values[one.name] for one in expected.inputs}
            inputs = []
        if style == "asked":
            keywords = {}
        try:
            result = bound(*inputs, **keywords)
        except TypeError:
            if style != "buffers":
                raise
            return  # not every address may be a buffer
        calls = self.standin.calls()
        if calls[:1] == [ASKS_FIRST.get(function.symbol)]:
            del calls[0]
        symbol = self.symbol(function)
        if calls[-1:] != [symbol] or (style != "asked" and len(calls) != 1):
            raise WrongError(f"{style}: called {calls}, not {symbol}")
        for place, expects in call.arrives.items():
            self._same(style, function, place, self.standin.argument(place), expects)
        for place, expects in call.behind.items():
            found = self.standin.behind(place)
            self._same(style, function, place, found, expects, " behind")
        for place in call.unasked:
            if not any(self.standin.argument(place)):
                raise WrongError(f"{style}: no room for {function.parameters[place].name}")
        self._compare(style, expected, call, result, status)

    @staticmethod
    def _same(
        style: str,
        function: Function,
        place: int,
        found: bytes | None,
        expects: bytes,
        at: str = "",
    ) -> None:
        if found != expects:
            name = function.parameters[place].name
            shown = None if found is None else found.hex()
            raise WrongError(f"{style}:{at} {name} arrived as {shown}, not {expects.hex()}")

    def _compare(
        self, style: str, expected: Expected, call: Call, result: Any, status: int
    ) -> None:
        values: tuple[Any, ...]
        if expected.returns == "nothing":
            values = ()
            if result is not None:
                raise WrongError(f"{style}: {result!r} from a void function")
        elif expected.returns == "value":
            values = (result,)
        else:
            values = result if call.comes else (result,)
            if type(values) is not tuple or len(values) != len(call.comes) + 1:
                raise WrongError(
                    f"{style}: {result!r} instead of {len(call.comes)} outputs and a status"
                )
            *given, error = values
            if int(error) != status or type(error).__name__ not in apis.STATUSES:
                raise WrongError(f"{style}: status {error!r}, not {status}")
            values = tuple(given)
        for (slot, value), found in zip(call.comes, values, strict=True):
            valid = not status or (slot.kept and slot.code in (0, status))
            if not valid and expected.returns == "status":
                if found is not None:
                    raise WrongError(f"{style}: {slot.name} is {found!r} after status {status}")
            elif value is not ANY and plain(found, value) != value:
                raise WrongError(
                    f"{style}: {slot.name} came back as {plain(found, value)!r}, not {value!r}"
                )

    # Making arguments

    def prepare(self, expected: Expected, style: str) -> Call:
        """The arguments of a call, and what has to arrive and to come back."""
        form = self.forms.find(expected.name)
        function, places = form.function, form.places
        self.today = form.types
        call = Call(unasked=form.unasked)
        slots = (*expected.inputs, *expected.keywords)
        # With an unknown enumerator the value is bytes, or an address.
        self.deciding = {one.count for one in (*slots, *expected.outputs) if one.kind == "~"}
        counts = {one.count for one in (*slots, *expected.outputs) if one.kind not in ("~",)}
        for slot in slots:
            type = form.types[slot.name]
            if slot.name not in places:
                # An input that an older form lacks can only be left out.
                call.values[slot.name] = None if self.layout.resolve(type).is_pointer else 0
                continue
            place = places[slot.name]
            type = function.parameters[place].type
            if self._is_place(form, slot):
                value, device = HOST if style == "high" else DEVICE
                call.values[slot.name] = value
                call.arrives[place] = device.to_bytes(4, "little", signed=True)
                continue
            if not slot.changed:
                self.standin.put(place, b"")  # C reads it, although the type would allow writing
            if slot.kind == "{}" and self.is_renamed(form, slot):
                value, data = self._renamed(form, slot, style)
                call.values[slot.name], call.behind[place] = value, data
                self.standin.peek(place, len(data))
                continue
            if slot.changed and slot.name not in {one.name for one in expected.outputs}:
                # The size of a typed output, behind a pointer: only C hears what became of it.
                call.values[slot.name], data = TYPED, TYPED.to_bytes(8, "little")
                call.behind[place] = data
                self.standin.put(place, data)
                self.standin.peek(place, len(data))
                continue
            self._input(call, place, type, slot, style, counted=slot.name in counts)
        for slot in expected.outputs:
            parts = {part: at for (name, part), at in form.parts.items() if name == slot.name}
            if parts:
                call.comes.append((slot, self._assembled(form.types[slot.name], parts)))
            elif slot.name not in places:
                call.comes.append((slot, None))
            else:
                self._output(call, places[slot.name], function, slot)
        for name in counts:
            # A count that C writes must be right.
            if (
                name in places
                and self.layout.resolve(function.parameters[places[name]].type).pointers
            ):
                self.standin.put(places[name], COUNT.to_bytes(8, "little"))
                if any(one.kind == '"' and one.count == name for one in expected.outputs):
                    self.standin.put(places[name], len(TEXT).to_bytes(8, "little"))
        if expected.returns == "value":
            call.comes.append((Slot("return"), self._written(function.result, RESULT)))
        return call

    def _is_place(self, form: Form, slot: Slot) -> bool:
        """Whether a form takes a device's number for a place in memory, and today's a struct."""
        place = form.places.get(slot.name)
        if place is None or not self.newest.struct(form.types[slot.name]):
            return False
        return not self.layout.struct(form.function.parameters[place].type)

    def is_renamed(self, form: Form, slot: Slot) -> bool:
        """Whether a form takes a different struct than today's form."""
        types = form.types[slot.name], form.function.parameters[form.places[slot.name]].type
        today, there = (self.layout.resolve(one) for one in types)
        structs = (self.layout.struct(self._pointee(one)) for one in (today, there))
        return today.base != there.base and all(structs)

    def _renamed(self, form: Form, slot: Slot, style: str) -> tuple[Any, bytes]:
        """A struct of today's form, and the form's own struct with the fields of the same names."""
        place = form.places[slot.name]
        value, data = self.value(self._pointee(form.types[slot.name]), place, style)
        types = form.types[slot.name], form.function.parameters[place].type
        today, there = (self.layout.struct(self._pointee(one)) for one in types)
        assert today is not None and there is not None
        starts = {one.name: one.offset for one in today.fields}
        held = bytearray(there.size)
        for one in there.fields:
            size = self.layout.size(one.type)
            held[one.offset : one.offset + size] = data[starts[one.name] :][:size]
        return value, bytes(held)

    def _assembled(self, type: CType, parts: Mapping[str, int]) -> bytes:
        """The bytes of a struct in today's form whose fields are outputs of an older form."""
        struct_type = self._pointee(type)
        data = bytearray(self.newest.size(struct_type))
        known = self.newest.struct(struct_type)
        assert known is not None
        for one in known.fields:
            if one.name in parts:
                size = self.newest.size(one.type)
                at = one.offset
                data[at : at + size] = self.standin.pattern(parts[one.name], size)
        return bytes(data)

    def _input(
        self, call: Call, place: int, type: CType, slot: Slot, style: str, *, counted: bool
    ) -> None:
        address = 0x1000 * (place + 1) + (0x7F00_0000_0000 if style != "high" else 0xFF00 << 48)
        if slot.name in ("dataSize", "data_size"):
            call.values[slot.name], call.arrives[place] = TYPED, TYPED.to_bytes(8, "little")
        elif slot.name in ("dataSizes", "data_sizes"):
            if style == "asked":
                return  # the binding decides how much room it makes
            self._array(call, place, slot, [(PIECE, PIECE.to_bytes(8, "little"))] * COUNT)
        elif slot.name in self.deciding and slot.kind == "[]":
            numbers = [UNKNOWN + COUNT * place + at for at in range(COUNT)]
            self._array(call, place, slot, [(one, one.to_bytes(4, "little")) for one in numbers])
        elif slot.kind == "~" and len(self.layout.resolve(type).pointers) > 1:
            numbers = [address + at for at in range(COUNT)]
            self._array(call, place, slot, [(one, one.to_bytes(8, "little")) for one in numbers])
        elif slot.name in self.deciding:
            number = UNKNOWN + place
            call.values[slot.name], call.arrives[place] = number, number.to_bytes(4, "little")
        elif slot.kind == '"':
            call.values[slot.name] = f"text {place}"
            call.behind[place] = f"text {place}".encode() + b"\0"
            self.standin.peek(place, -2)
        elif slot.kind in ("@", "*", "()", "#", "~"):
            call.values[slot.name] = address
            if style == "buffers" and slot.kind == "@" and not self.layout.resolve(type).pointers:
                memory = bytearray(16 * 4096)  # for a number that is an address: its own address
                call.values[slot.name] = memory
                at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
                call.arrives[place] = at.to_bytes(8, "little")
            elif style == "buffers" and slot.kind == "@":
                call.behind[place] = bytes([place + 1]) * 16
                call.values[slot.name] = bytearray(call.behind[place] * 4096)
                self.standin.peek(place, 16)
            else:
                call.arrives[place] = address.to_bytes(8, "little")
        elif slot.kind in ("[]", "@[]"):
            element = self._pointee(type)
            count = int(slot.count) if slot.count.isdigit() else COUNT
            made = [self.value(element, 4 * place + at, style) for at in range(count)]
            self._array(call, place, slot, made)
        elif slot.kind == "{}" or slot.changed or (self.layout.resolve(type).pointers and counted):
            target = self._pointee(type)
            value, data = self.value(target, place, style)
            if counted:
                value, data = self._count(target, slot, call)
                if style == "asked":
                    return  # the binding decides, or asks, how much room it makes
            call.values[slot.name] = self._grown(slot, value) if slot.kind == "{}" else value
            call.behind[place] = data
            self.standin.peek(place, len(data))
        elif counted:
            call.values[slot.name], call.arrives[place] = self._count(type, slot, call)
        else:
            call.values[slot.name], call.arrives[place] = self.value(type, place, style)

    def _array(self, call: Call, place: int, slot: Slot, items: list[tuple[Any, bytes]]) -> None:
        """An array argument: items, each with its bytes."""
        call.values[slot.name] = [value for value, _ in items]
        call.behind[place] = b"".join(data for _, data in items)
        self.standin.peek(place, len(call.behind[place]))

    def _count(self, type: CType, slot: Slot, call: Call) -> tuple[int, bytes]:
        """A count, or the room for a text."""
        value = 64 if slot.name in ("len", "size", "bufferSize") else COUNT
        if slot.name == "len" and any(isinstance(one, list) for one in call.values.values()):
            value = COUNT
        return value, value.to_bytes(self.layout.size(type), "little")

    def value(self, type: CType, seed: int, style: str) -> tuple[Any, bytes]:
        """A Python value for a C type, and its bytes."""
        # The type may be from a newer release.
        layout = self.layout if self.layout.size(type) else self.newest
        resolved = layout.resolve(type)
        size = layout.size(type)
        data = bytes((17 * (seed + 1) + 3 * at) % 120 + 4 for at in range(size))
        if layout.struct(type):
            return data, data
        if resolved.pointers:
            number = 0x7E00_0000_0000 + 0x100 * (seed + 1)
            data = number.to_bytes(8, "little")
            handle = getattr(self.module, type.base, None)
            if isinstance(handle, builtins.type) and not type.pointers:
                return handle(number), data
            return number, data
        if resolved.base in ("float", "double"):
            value = seed + 1.5
            return value, struct.pack("<f" if size == 4 else "<d", value)
        if resolved.base == "bool":
            return True, b"\1"
        base = resolved.base
        if base in self.layout.release.enums:
            base = self.layout.release.enums[base].underlying
        signed = not (base.startswith(("unsigned", "uint")) or base in UNSIGNED)
        if style in ("buffers", "short"):
            data = (seed + 1).to_bytes(size, "little")  # lengths that the buffers have
        if style == "high":
            data = (-1 - seed).to_bytes(size, "little", signed=True)
        return int.from_bytes(data, "little", signed=signed), data

    # Outputs

    def _output(self, call: Call, place: int, function: Function, slot: Slot) -> None:
        type = function.parameters[place].type
        value: Any
        if slot.kind == '"':
            self.standin.put(place, TEXT + b"\0")
            value = TEXT.decode()
        elif slot.kind == "~" and len(self.layout.resolve(type).pointers) > 1:
            data = self.standin.pattern(place, PIECE * COUNT)
            self.standin.put_behind(place, data, COUNT)
            value = [Start(data[at * PIECE :][:PIECE]) for at in range(COUNT)]
        elif slot.kind == "~":
            value = bytes(range(place, place + TYPED))
            self.standin.put(place, value)
        elif slot.kind == "void":
            self.standin.put(place, self.standin.pattern(place, 8))
            value = int.from_bytes(self.standin.pattern(place, 8), "little")
        elif slot.kind in ("[]", "^[]"):
            element = self._pointee(type)
            if slot.kind == "^[]":
                element = self._pointee(element)
            size = self.layout.size(element)
            count = COUNT
            if not slot.count.isidentifier():
                count = eval(slot.count, {}, call.values)
            data = self.standin.pattern(place, size * count)
            (self.standin.lend if slot.kind == "^[]" else self.standin.put)(place, data)
            value = [self._plain(element, data[at * size :][:size]) for at in range(count)]
        else:
            value = self._written(self._pointee(type), place)
            if self._grown(slot, value) != value:
                value = Start(value)
        call.comes.append((slot, value))

    def _grown(self, slot: Slot, data: Any) -> Any:
        """A struct's bytes as Python sees them, if a newer release's longer struct is used."""
        today = self.newest.struct(self.newest.resolve(self.today[slot.name]).pointee)
        if (
            not isinstance(data, bytes)
            or today is None
            or today.name in self.layout.release.structs
        ):
            return data
        return data.ljust(today.size, b"\0")

    def _written(self, type: CType, place: int) -> Any:
        """The value in Python for the pattern that the stand-in writes for this type."""
        resolved = self.layout.resolve(type)
        if resolved.base == "char" and len(resolved.pointers) == 1:
            return "text of the result" if place == RESULT else f"text of parameter {place}"
        return self._plain(type, self.standin.pattern(place, self.layout.size(type)))

    def _plain(self, type: CType, data: bytes) -> Any:
        resolved = self.layout.resolve(type)
        if self.layout.struct(type):
            return data
        if not resolved.pointers and resolved.base in ("float", "double"):
            return struct.unpack("<f" if len(data) == 4 else "<d", data)[0]
        if resolved.base == "bool" and not resolved.pointers:
            return bool(data[0])
        return int.from_bytes(data, "little")

    def _pointee(self, type: CType) -> CType:
        return type.pointee if type.is_pointer else self.layout.resolve(type).pointee


def pitched(pitch: int, width: int, height: int) -> int:
    """The number of bytes from the first to the last row."""
    return (height - 1) * pitch + width if width and height else 0


def plain(value: Any, like: Any) -> Any:
    """A result as a number, text, bytes or list of these, in the form of `like`."""
    if isinstance(value, (list, tuple)):
        return [plain(one, like[0] if like else None) for one in value]
    if value is None or isinstance(value, (str, float, bool)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)[: len(like) if isinstance(like, Start) else None]
    if hasattr(value, "address"):  # a struct: a copy of C's struct, or a view of it
        if isinstance(like, int):
            return value.address
        return bytes(memoryview(value))[: len(like) if isinstance(like, Start) else None]
    return int(value)


def start(api: str, version: str, path: str, table: Table | None = None) -> Driver:
    """Load the stand-in through PyGPU, and take control of it."""
    faulthandler.enable()  # a crash shows the function's name
    module = importlib.import_module(f"PyGPU.{MODULES[api]}")
    getattr(module, apis.version_call(api))()  # loads the library
    # Log calls are turned off, as they would write the patterns of the current test, too.
    importlib.import_module("PyGPU._errors")._add_log = lambda made: None
    whole = store.load(ROOT / "api_specs" / api / "api.json")
    return Driver(whole, version, module, StandIn(Path(path)), table or read(api))


def turn(table: Table, changed: str) -> tuple[Table, str]:
    """A table with one entry changed.

    "name=entry | parameter: length" is for a function, "name older=old: new, …" for an older form.
    """
    name, _, entry = changed.partition("=")
    if name.endswith(" older"):
        name = name.removesuffix(" older")
        renamed = dict(one.split(": ") for one in entry.split(", "))
        return replace(table, older={**table.older, name: renamed}), name
    text, _, formula = entry.partition(" | ")
    lengths = dict([formula.split(": ")]) if formula else {}
    turned = replace(parse(name, text), lengths=lengths)
    return replace(table, functions={**table.functions, name: turned}), name


def main(api: str, version: str, path: str, *changed: str) -> int:
    """Call all functions of a release, or only the `changed` entry's, as for turn()."""
    table, only = read(api), set[str]()
    for one in changed:
        table, name = turn(table, one)
        only.add(name)
    driver = start(api, version, path, table)
    known = rules.load(api, ROOT / "api_specs")
    found: dict[str, dict[str, str]] = {"right": {}, "wrong": {}, "excluded": {}}
    for name in driver.forms.read():
        if only and name not in only:
            continue
        if reason := known.exclude(name):
            found["excluded"][name] = reason
        elif name not in table.functions:
            found["wrong"][name] = "not in the reviewed table"
        else:
            try:
                driver.check(name, table.functions[name])
                found["right"][name] = ""
            except Exception as error:
                found["wrong"][name] = f"{type(error).__name__}: {error}"
    for name in driver.forms.refused():
        driver.check_refused(table.functions[name])
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
