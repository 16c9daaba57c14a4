"""Reading a trace with data: its calls in the order in which they take effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import container
from ..limits import text_of_size


class RefusedError(ValueError):
    """A trace that can't be replayed, and why."""


@dataclass
class Step:
    """A call, or bytes that memory has from now on (`memory`)."""

    number: int
    api: str = ""
    name: str = ""
    own: bool = False
    thread: int = 0
    device: int = 0
    place: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    is_late: bool = False  # takes effect when it returns: it makes what others use
    status: int | None = None  # None: it has not returned
    results: dict[str, Any] = field(default_factory=dict)
    new: dict[int, int] = field(default_factory=dict)  # the sizes of memory that is new, by address
    after: list[list[int]] = field(default_factory=list)
    memory: tuple[int, int, int, str] | None = None  # address, size, data, why

    def __str__(self) -> str:
        return f"call {self.number}, {self.name}" + (f" at {self.place}" if self.place else "")


class Trace:
    """The steps of a file, and its data. DamagedError for a file that isn't one."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            data = file.read()
        self.path = path
        self.steps: list[Step] = []
        self.events = b""
        self.is_whole = False
        self._data: list[container.Record] = []
        self._bound: tuple[int, str] | None = None
        begun: dict[int, Step] = {}
        for record in container.read(path, data):
            if record.kind == container.DATA:
                self._data.append(record)
            elif record.kind == container.EVENTS:
                self.events = record.payload()
            elif record.kind == container.END:
                self.is_whole = True
            else:
                self._add(record, begun)
        self.steps.extend(step for step in begun.values() if step.is_late)  # not returned

    def data(self, number: int, size: int) -> bytes:
        """A piece of data. DamagedError if the file has none of this number and size."""
        if not 0 <= number < len(self._data):
            raise container.DamagedError(f"{self.path}: there is no data number {number}")
        record = self._data[number]
        if record.size != size:
            raise record.error(f"has {record.size} bytes, and a call names {size}")
        return record.payload()

    def refuse_what_is_missing(self) -> None:
        """RefusedError if the file lacks what a replay needs."""
        if self._bound:
            bound, call = self._bound
            raise RefusedError(
                f"{self.path}: its bound of {text_of_size(bound)} was reached at {call}: what this "
                "and later calls read and received is missing. Record it again with a larger "
                "PYGPU_TRACE_DATA"
            )
        for step in self.steps:
            for reason in _missing(step.arguments):
                raise RefusedError(f"{self.path}: {step}: the trace hasn't kept {reason}")
        if not self.steps:
            raise RefusedError(f"{self.path}: the trace has no calls")

    def _add(self, record: container.Record, begun: dict[int, Step]) -> None:
        value = record.object()
        try:
            self._take(value, begun)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise record.error(f"lacks what a call has: {error!r}") from None

    def _take(self, value: dict[str, Any], begun: dict[int, Step]) -> None:
        kind = value["type"]
        if kind == "begin":
            step = _step(value)
            begun[step.number] = step
            if not step.is_late:
                self.steps.append(step)
        elif kind == "end":
            step = begun.pop(int(value["n"]))
            step.status = int(value["status"])
            step.results = dict(value["results"])
            step.new = {int(base): int(size) for base, size in value["new"]}
            step.after = [[int(one) for one in row] for row in value["after"]]
            if step.is_late:
                self.steps.append(step)
        elif kind == "memory":
            where = (int(value["address"]), int(value["size"]), int(value["data"]))
            self.steps.append(Step(0, memory=(*where, str(value["why"]))))
        elif kind == "failed":
            begun.pop(int(value["n"])).arguments["?"] = {"?": str(value["text"])}
        elif kind == "bound":
            self._bound = int(value["bound"]), str(value["call"])
        else:
            raise ValueError(f"a record of type {kind!r}")


def _step(value: dict[str, Any]) -> Step:
    file, line, function = value["place"]
    place = f"{file}:{int(line)} in {function}" if file else ""
    return Step(
        int(value["n"]),
        str(value["api"]),
        str(value["name"]),
        bool(value["own"]),
        int(value["thread"]),
        int(value["device"]),
        place,
        dict(value["args"]),
        bool(value["late"]),
    )


def _missing(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(reason := value.get("?"), str):
            yield reason
        for one in value.values():
            yield from _missing(one)
    elif isinstance(value, list):
        for one in value:
            yield from _missing(one)
