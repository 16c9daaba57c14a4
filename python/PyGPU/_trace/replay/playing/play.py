"""Making the calls of a trace again, and comparing what they return and what the host receives."""

from __future__ import annotations

import ctypes
import functools
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PyGPU import _core
from PyGPU._errors import check
from PyGPU._trace.values import names_of_status

from .. import copies, own, results
from ..container import DamagedError
from ..memory import write
from ..objects import SMALLEST
from ..results import leaves
from . import own_play
from .compare import Difference, first_difference
from .decode import Decoder, api_module
from .load import RefusedError, Step, Trace
from .mapping import Mapping, UnknownError, content

# These write files that a trace names.
_LEFT_OUT = ("DebugDotPrint", "CoreDump", "Coredump")
# These make code from code, which the trace has where it is loaded.
_OF_HOST = frozenset(("nvrtc", "hiprtc", "nvjitlink", "nvvm", "nvfatbin"))
_STREAMS = ("stream", "hStream")
_RUNTIMES = ("cuda", "hip")
_PITCHED = frozenset(
    ("cudaMallocPitch", "cudaMalloc3D", "cuMemAllocPitch", "hipMallocPitch", "hipMalloc3D")
)
_MAKERS = {
    "Stream_t": "StreamCreate",
    "CUstream": "StreamCreate",
    "Event_t": "EventCreate",
    "CUevent": "EventCreate",
}
Progress = Callable[[int, int], None]


class Replay:
    """One replay of a trace. run() makes all calls; then the attributes tell what has happened."""

    def __init__(self, trace: Trace) -> None:
        trace.refuse_what_is_missing()
        self.trace = trace
        self.calls: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.differences: list[Difference] = []
        self.host_functions = 0
        self.compared = self.bytes_compared = 0
        self.seconds = 0.0
        self._mapping = Mapping(self._make_handle)
        self._threads: dict[int, ThreadPoolExecutor] = {}
        self._kept: list[Any] = []  # results that own what they name, and memory of copies
        self._api = next((one.api for one in trace.steps if one.api in _RUNTIMES), "cuda")
        self._sets_device = any(one.device for one in trace.steps)

    @property
    def is_equal(self) -> bool:
        """Whether every call returned what it had, and the host received what it had."""
        return not self.differences

    def run(self, progress: Progress | None = None) -> None:
        """Make the calls, one after the other, each on the thread that stands for its own."""
        begin = time.monotonic()
        count, error = getattr(api_module(self._api), f"{self._api}GetDeviceCount")()
        if error:
            raise RefusedError(f"there is no device for {self._api}: {error}")
        if (last := max(one.device for one in self.trace.steps)) >= count:
            raise RefusedError(
                f"{self.trace.path} uses device {last}, and there are {count} devices"
            )
        try:
            for at, step in enumerate(self.trace.steps):
                if step.memory:
                    self._set_memory(step)
                else:
                    self._thread(step.thread).submit(self._call, step).result()
                if progress:
                    progress(at + 1, len(self.trace.steps))
        finally:
            self.seconds = time.monotonic() - begin
            for one in self._threads.values():
                one.shutdown()

    def _thread(self, number: int) -> ThreadPoolExecutor:
        if number not in self._threads:
            self._threads[number] = ThreadPoolExecutor(max_workers=1)
        return self._threads[number]

    def _set_memory(self, step: Step) -> None:
        assert step.memory
        address, size, number, why = step.memory
        data = self._mapping.relocated(self.trace.data(number, size))
        if why == "found":
            module = api_module(self._api)
            new = _checked(module, f"{self._api}Malloc")(max(size, 1))
            _checked(module, f"{self._api}Memcpy")(new, data, size, 1)
            self._mapping.add(address, size, new)
            return
        try:
            write(self._mapping.address(address), data)
        except UnknownError:
            self._mapping.buffer(address, size)[:size] = data

    def _call(self, step: Step) -> None:
        short = step.name.removeprefix(step.api)
        of_host = step.api in _OF_HOST or (step.own and short == own.OF_HOST)
        if of_host or any(one in step.name for one in _LEFT_OUT):
            self.left_out[step.name] += 1
            return
        decoder = Decoder(self.trace, self._mapping)
        try:
            function, arguments = self._function(step, decoder)
        except UnknownError as error:
            self._differ(step, f"not made: {error}")
            self._note_failure(step)
            return
        except DamagedError:
            raise
        except (RefusedError, LookupError, TypeError, ValueError, AttributeError) as error:
            text = str(error) if isinstance(error, RefusedError) else repr(error)
            raise RefusedError(f"{self.trace.path}: {step}: {text}") from None
        if self._sets_device:
            getattr(api_module(self._api), f"{self._api}SetDevice")(step.device)
        self.calls[step.name] += 1
        self.host_functions += decoder.host_functions
        try:
            answer = function(*arguments)
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            self._differ(step, f"refused: {error}")
            self._note_failure(step)
            return
        status, returned = _parts(answer)
        waited = None if status else _wait(step, decoder)
        if waited is None:  # later work may read what the call was given
            self._kept.append((answer, decoder.kept, decoder.buffers))
        self._compare(step, decoder, status or waited or 0, returned)

    def _function(self, step: Step, decoder: Decoder) -> own_play.Made:
        if step.own:
            return own_play.made(step.api, step.name, step.arguments, decoder)
        module = api_module(step.api)
        function = _function_named(module, step.name)
        if function is None:
            raise RefusedError(f"PyGPU.{step.api} has no such function")
        if step.name in _PITCHED and step.new:
            # Another device may choose another pitch, and later calls use the recorded one.
            allocate = getattr(module, "cuMemAlloc" if step.api == "cu" else f"{step.api}Malloc")
            return allocate, (sum(step.new.values()),)
        named = {name: decoder.decoded(value) for name, value in step.arguments.items()}
        return functools.partial(function, **named), ()

    def _compare(self, step: Step, decoder: Decoder, status: int, returned: list[Any]) -> None:
        if step.status is not None and status != step.status:
            now, then = (names_of_status(step.api, one) for one in (status, step.status))
            self._differ(step, f"returned {now}, recorded {then}")
            self._note_failure(step)
            return
        if step.status or step.status is None:
            return
        self._learn(step, returned)
        if step.name.endswith(copies.REGISTERS):
            for address, size, buffer in decoder.buffers:
                self._mapping.add(address, size, ctypes.addressof(buffer))
        for address, size, number in step.after:
            self._compare_memory(step, decoder, address, size, number)
        if copies.frees(step.name):
            for value in step.arguments.values():
                if isinstance(value, dict) and value.get("a"):
                    self._mapping.remove(int(value["a"]))

    def _learn(self, step: Step, returned: list[Any]) -> None:
        """Map the addresses and handles that the call has returned."""
        pairs = zip(step.results.items(), returned, strict=False)
        new: list[dict[str, Any]] = []
        for (name, old), value in pairs:
            first = old[0] if isinstance(old, list) and old else old
            keys = first if isinstance(first, dict) else {}
            hint = "address" if "a" in keys else "number Handle" if "h" in keys else ""
            new += leaves([results.encoded(value, name, hint)])
        sizes = step.new
        for old, now in zip(leaves(step.results.values()), new, strict=False):
            if "h" in old and "h" in now:
                self._mapping.add_handle(int(old["h"]), int(now["h"]))
                if int(old["h"]) < SMALLEST and int(old["h"]) != int(now["h"]):
                    text = f"handle {old['h']} is {now['h']} here: kernels take it for a number"
                    self._differ(step, text)
            elif "a" in old and "a" in now and int(old["a"]) in sizes:
                self._mapping.add(int(old["a"]), sizes[int(old["a"])], int(now["a"]))

    def _compare_memory(
        self, step: Step, decoder: Decoder, address: int, size: int, number: int
    ) -> None:
        recorded = self.trace.data(number, size)
        now = next(
            (bytes(memory)[:size] for at, _, memory in decoder.buffers if at == address), None
        )
        if now is None:
            try:
                now = content(self._mapping.address(address), size)
            except UnknownError as error:
                self._differ(step, str(error))
                return
        self.compared += 1
        self.bytes_compared += size
        form = decoder.formats.get(address, "")
        back = self._mapping.recorded(now or b"")
        if now is None or (text := first_difference(back, recorded, form)):
            self._differ(step, text if now is not None else "its memory can't be read")

    def _note_failure(self, step: Step) -> None:
        """Remember whose results there aren't."""
        for value in leaves(step.results.values()):
            why = f"it needs what call {step.number}, {step.name}, has not made"
            old = int(value["h"] if "h" in value else value["a"])
            self._mapping.add_failure(old, None if "h" in value else step.new.get(old, 1), why)

    def _differ(self, step: Step, what: str | None) -> None:
        difference = Difference(step.number, step.name, step.place, what or "")
        self.differences.append(difference)

    def _make_handle(self, type_: str) -> int | None:
        maker = next((made for end, made in _MAKERS.items() if type_.endswith(end)), None)
        if maker is None:
            return None
        made = _checked(api_module(self._api), self._api + maker)()
        self._kept.append(made)
        return int(made)


def _wait(step: Step, decoder: Decoder) -> int | None:
    """Wait for what the call has queued, as the recording has. The status of the work.

    None if nothing was waited for, because the call queues nothing, or is captured.
    """
    api = "cuda" if step.api == "cu" else step.api
    stream = next((step.arguments[one] for one in _STREAMS if one in step.arguments), None)
    if api not in _RUNTIMES or stream is None or not _queues(step):
        return None
    handle = decoder.decoded(stream)
    if _core.is_capturing(api, handle or 0):
        return None
    return int(getattr(api_module(api), f"{api}StreamSynchronize")(handle).code)


def _queues(step: Step) -> bool:
    return bool(step.after) or "Launch" in step.name or copies.is_copy(step.name)


def _function_named(module: Any, name: str) -> Callable[..., Any] | None:
    """A bound function of the API; None for any other name."""
    if name.startswith("_") or not name.isidentifier():
        return None
    function: Any = getattr(module, name, None)
    return function if type(function).__name__ == "builtin_function_or_method" else None


def _checked(module: Any, name: str) -> Callable[..., Any]:
    """A function in the form that raises."""
    function = getattr(module, name)

    def call(*arguments: Any) -> Any:
        return check(function(*arguments))

    return call


def _parts(answer: Any) -> tuple[int, list[Any]]:
    """Status and results of a call. A function without a status has succeeded."""
    values = list(answer) if isinstance(answer, tuple) else [answer]
    if values and hasattr(type(values[-1]), "code"):
        return int(values[-1].code), values[:-1]
    return 0, values
