"""Recording what is queued on a stream in a graph: `with stream.capture() as graph:`."""

from __future__ import annotations

from PyGPU import _backend
from PyGPU._arrays.base import take_owned
from PyGPU._arrays.devices import last_error_kept
from PyGPU._errors import GPUError
from PyGPU._objects.graph import Graph
from PyGPU._objects.nodes import GraphNode, handles_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from PyGPU import gpuarray

MODES = {"global": "Global", "thread_local": "ThreadLocal", "relaxed": "Relaxed"}


class capture:  # noqa: N801, it is the method Stream.capture()
    """What Stream.capture() gives: a block whose work goes into a graph."""

    __slots__ = ("_before", "_graph", "_into", "_mode", "_owned", "_stream", "_wanted")

    def __init__(
        self,
        stream: gpuarray.Stream,
        mode: str = "relaxed",
        *,
        into: Graph | None = None,
        after: GraphNode | Iterable[GraphNode] = (),
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"capture(): mode must be one of {', '.join(MODES)}, not {mode!r}")
        if into is not None and not isinstance(into, Graph):
            raise TypeError(f"capture(): into must be a PyGPU.Graph, not {type(into).__name__}")
        self._wanted = handles_of(after, "capture()")
        if self._wanted and into is None:
            raise ValueError("capture(): parameter 'after' needs 'into', the graph of its nodes")
        self._stream, self._mode, self._into = stream, MODES[mode], into
        self._graph: Graph | None = None
        self._before: set[GraphNode] = set()

    def __enter__(self) -> Graph:
        if self._graph is not None:
            raise RuntimeError("capture(): its block is open already")
        runtime = _backend.runtime(True)
        mode = getattr(_backend.runtime(False), f"cudaStreamCaptureMode{self._mode}")
        into = self._into
        graph = Graph._empty() if into is None else into
        self._stream.__enter__()
        try:
            with last_error_kept():
                if into is None:
                    runtime.cudaStreamBeginCapture(self._stream, mode)
                else:
                    self._before = set(into.nodes())
                    wanted = self._wanted
                    runtime.cudaStreamBeginCaptureToGraph(
                        self._stream, into._own, wanted or None, None, len(wanted), mode
                    )
            self._owned = graph._owns(self._stream)
        except BaseException:
            self._stream.__exit__(None, None, None)
            raise
        self._graph = graph
        return graph

    def __exit__(self, kind: object, *_: object) -> None:
        graph, self._graph = self._graph, None
        if graph is None:
            raise RuntimeError("capture(): its block is not open")
        self._stream.__exit__(None, None, None)
        needed = take_owned(self._owned)
        try:
            with last_error_kept():
                handle = _backend.runtime(True).cudaStreamEndCapture(self._stream)
        except GPUError:
            self._drop(graph)
            if not kind:
                raise
            return
        if self._into is None:
            graph._take(handle._own_())
        graph._has_changed()
        graph._keep_captured(needed)
        if kind:
            self._drop(graph)

    def _drop(self, graph: Graph) -> None:
        """Take back what a block added that has failed."""
        if self._into is None:
            graph.close()
            return
        added = [node for node in graph.nodes() if node not in self._before]
        for node in reversed(added):
            node.destroy()

    def __repr__(self) -> str:
        return f"<capture of {self._stream!r}>"
