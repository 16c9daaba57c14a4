"""What C++ hands each call to while a trace keeps data: src/handwritten/trace/keep.hpp."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any

from PyGPU._trace.spool import items_of
from PyGPU._trace.values import Function

from .. import own, results
from .arguments import UNTOLD, Arguments
from .known import Known, Token
from .store import Store, digest_of

_FOLDER = os.path.join(os.path.abspath(__file__).rpartition("_trace")[0], "")  # PyGPU's own


class Recorder:
    """Writes calls to a file, with at most `bound` bytes of data; the parameters are Store's.

    An error of its own never reaches the program: the replay refuses the call, and tells it.
    """

    def __init__(
        self, opening: Callable[[], IO[bytes]], bound: int, warn: Callable[[str], None]
    ) -> None:
        self._store = Store(opening, bound, warn)
        self._known = Known()
        self._lock = threading.Lock()
        self._functions: dict[bytes, Function] = {}
        self._number = 0

    def begin(self, device: int, description: bytes, values: tuple[Any, ...]) -> Token | None:
        """A call of a bound function, before it is made."""
        function = self._function(description)
        pairs = zip(function.parameters, values, strict=False)
        given = {name: value for (name, _), value in pairs if value is not Ellipsis}
        if len(values) != len(function.parameters):  # of CUDA's name, adapted to HIP
            given = {UNTOLD: f"the arguments of {function.name}: they have no names"}
        return self._begin(device, function, given)

    def begin_own(self, device: int, description: bytes, items: bytes) -> Token | None:
        """A call that PyGPU makes for itself."""
        function = self._function(description)
        return self._begin(device, function, own.arguments(function, list(items_of(items))))

    def end(self, token: Token | None, status: int, raising: bool, result: Any) -> None:
        """A call of a bound function has returned. `result` is None if it has raised."""
        self._end(token, status, lambda outputs: results.named(outputs, result, bool(status)))

    def end_own(self, token: Token | None, status: int, items: bytes) -> None:
        """A call of PyGPU's own has returned."""
        self._end(token, status, lambda outputs: own.results(outputs, items_of(items)))

    def finish(self, events: bytes) -> None:
        """Write the texts of all calls, and the end."""
        with self._lock:
            self._store.finish(events)

    def _begin(self, device: int, function: Function, given: dict[str, Any]) -> Token | None:
        with self._lock:
            if self._store.ended:
                return None
            self._number += 1
            token = Token(self._number, function, given)
            file, line, code = _place()
            where = f" at {file}:{line} in {code}" if file else ""
            self._store.call = f"call {token.number}, {function.name}{where}"
            try:
                token.arguments = Arguments(self._store, self._known, token).encoded()
                # Now: another thread may be given the address before this call has returned.
                self._known.forget(function.name, token.arguments)
            except Exception as error:
                token.arguments = {"?": f"{type(error).__name__}: {error}"}
            self._store.add(
                {
                    "type": "begin",
                    "n": token.number,
                    "api": function.api,
                    "name": function.name,
                    "own": function.own,
                    "thread": threading.get_native_id(),
                    "device": device,
                    "late": bool(function.outputs),
                    "place": [file, line, code],
                    "args": token.arguments,
                }
            )
            return token

    def _end(
        self, token: Token | None, status: int, named: Callable[[Any], dict[str, Any]]
    ) -> None:
        with self._lock:
            if token is None or self._store.ended:
                return
            record: dict[str, Any] = {"type": "end", "n": token.number, "status": status}
            try:
                found = named(token.function.outputs)
                record |= {"results": found, "new": [], "after": []}
                if not status:
                    record["new"] = self._known.add_results(token, found)
                    record["after"] = [*self._received(token)]
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                record = {"type": "failed", "n": token.number, "text": text}
            self._store.add(record)

    def _received(self, token: Token) -> Iterator[tuple[int, int, int]]:
        """What the call has written to the host's memory: address, size and the data."""
        for address, size in token.written:
            if (data := self._store.bytes_at(address, size)) is None:
                continue
            yield address, size, self._store.data(data)
            piece = self._known.find(address)
            if piece and (piece.base, piece.size) == (address, size):
                piece.value.digest = digest_of(data)

    def _function(self, description: bytes) -> Function:
        if (known := self._functions.get(description)) is None:
            known = Function.read(description.decode("utf-8", "surrogateescape").split("\0"))
            self._functions[description] = known
        return known


def _place() -> tuple[str, int, str]:
    """File, line and function of the program's code that has made the call."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_FOLDER, "<frozen importlib")):
            return name, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back
    return "", 0, ""
