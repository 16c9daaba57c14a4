"""PyGPU.Graph: work of many calls, recorded or made node by node, and launched by one call."""

from __future__ import annotations

from typing import NamedTuple

from PyGPU import _backend, gpuarray
from PyGPU._arrays.base import GraphBase, keep_by_graph, own_captured
from PyGPU._base import late
from PyGPU._errors import GPUError
from PyGPU._names import portable
from PyGPU._objects.nodes import GraphCondition, GraphNode, handles_of
from PyGPU._objects.recording import record
from PyGPU._objects.retired import dropped, retire, sweep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from typing_extensions import Self

    from PyGPU._kernels.kernel import Kernel
    from PyGPU._objects import dot as _dot
    from PyGPU._objects import fill as _fill
else:
    _dot = late.Late("PyGPU._objects.dot")
    _fill = late.Late("PyGPU._objects.fill")


class Work(NamedTuple):
    """What a node of a Graph's own methods does: `queue(stream, *args, **keywords)` does it once.

    It returns what C won't keep for the graph, or None.
    """

    queue: Callable[..., object]
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    name: str


class Kept(NamedTuple):
    """What is kept for a node: objects that C never keeps, and what C's graph can keep, too."""

    used: Any
    needed: list[Any]


class Graph(GraphBase):
    """Work that is recorded once, and launched often by one call.

    with stream.capture() as graph:      # what the block queues is recorded, not done
        kernel(a, b, grid=8, block=256)
    graph.launch(stream)

    graph = PyGPU.Graph()                # or made node by node
    first = graph.memset(a, 0)
    graph.kernel(kernel, a, b, grid=8, block=256, after=first)
    graph.launch(stream)

    Arrays, kernels and functions that it uses live as long as the graph. A launch is ordered by its
    stream alone: PyGPU's arrays don't know of it, so wait for the stream before a.get().
    `after` names the nodes that come before a new one, `name` is for dot() and for messages.
    A Graph goes where C takes a cudaGraph_t. One thread at a time may change it.

    Raises GPUError.
    """

    __slots__ = (
        "__weakref__",
        "_captured",
        "_handle",
        "_kept",
        "_launch",
        "_names",
        "_nodes",
        "_options",
        "_parent",
        "_recorder",
        "_shared",
        "_shared_form",
        "_source",
        "_streams",
        "_work",
    )
    _c_struct_: ClassVar[str]  # by which C's functions know it; set with the first graph
    _drop = dropped.append  # at the interpreter's end the module's names are gone

    def __init__(self) -> None:
        sweep()
        self._clear()
        self._take(_backend.runtime(False).cudaGraph_t(flags=0))

    @classmethod
    def _empty(cls) -> Self:
        """One that gets its handle later."""
        self = cls.__new__(cls)
        self._clear()
        return self

    @classmethod
    def _of(cls, handle: Any, parent: Any) -> Self:
        """One whose handle belongs to another graph, which it keeps."""
        self = cls._empty()
        self._take(handle)
        self._parent = parent
        return self

    def _clear(self) -> None:
        self._handle: Any = None
        self._parent: Any = None
        self._executable: Any = None
        self._options = 0
        self._launch: Any = None
        self._recorder: gpuarray.Stream | None = None
        self._names: dict[int, str] = {}
        self._nodes: dict[int, GraphNode] = {}  # those of a class of their own
        self._work: dict[int, Work] = {}
        self._kept: dict[int, Kept] = {}  # by node
        self._captured: list[Any] = []  # what captures need
        # Whether C's graph, and the executable form, keep what is needed, too: others may use them
        # then, but launches take three times as long.
        self._shared = self._shared_form = False
        self._source: Graph | None = None  # whose arguments the executable form has
        self._streams: list[gpuarray.Stream] = []  # of launches, while there is something to keep
        self._last: Any = None

    def _take(self, handle: Any) -> None:
        if "_c_struct_" not in vars(Graph):
            Graph._c_struct_ = type(handle)._c_struct_
        self._handle = handle

    # ---- What it is ------------------------------------------------------------------------------

    @property
    def handle(self) -> Any:
        """Its cudaGraph_t. ValueError before the capture has ended, and after close()."""
        self._share()
        return self._own

    @property
    def executable(self) -> Any:
        """Its cudaGraphExec_t, made when first asked for, and again after the graph has changed."""
        source = self._source
        # A closed one can't give its arguments again: then the memory is this object's alone.
        if not self._shared_form and not (source and source.is_closed):
            self._share()
            self._instantiate()
            if source is not None:
                self.update(source)
        return self._own_executable

    def _share(self) -> None:
        """Let C's graph keep what is needed from now on, for others that use it."""
        handle = self._own
        if not self._shared:
            self._shared = True
            keep_by_graph(int(handle), self._needed())

    @property
    def _own(self) -> Any:
        """The handle for calls that make nothing of it that lives on."""
        if self._handle is None:
            raise ValueError("Graph: it is closed, or its capture hasn't ended")
        return self._handle

    @property
    def _own_executable(self) -> Any:
        if self._executable is None:
            self._instantiate()
        return self._executable

    @property
    def is_closed(self) -> bool:
        """Whether close() was called, or its capture has failed."""
        return self._handle is None

    def nodes(self) -> list[GraphNode]:
        """Its nodes, without those inside child graphs and bodies."""
        return [self._node(one) for one in _backend.runtime(True).cudaGraphGetNodes(self._own)]

    def edges(self) -> list[tuple[GraphNode, GraphNode]]:
        """Pairs of nodes: the second comes after the first."""
        before, after = _backend.runtime(True).cudaGraphGetEdges(self._own)[:2]
        return [(self._node(a), self._node(b)) for a, b in zip(before, after, strict=True)]

    def dot(self, path: Any = None) -> str:
        """The graph as text in Graphviz's language, with its child graphs and bodies.

        `path` is a file to write: the text for .dot and .gv. For .svg, .png and .pdf Graphviz draws
        a picture; FileNotFoundError if it is not installed.
        """
        text = _dot.text(self)
        if path is not None:
            _dot.write(text, path)
        return text

    def _repr_svg_(self) -> str | None:
        """Its picture in a notebook, where Graphviz is installed."""
        return None if self._handle is None else _dot.svg(_dot.text(self))

    # ---- Running it ------------------------------------------------------------------------------

    def instantiate(
        self,
        *,
        auto_free_on_launch: bool = False,
        device_launch: bool = False,
        use_node_priority: bool = False,
    ) -> None:
        """Make its executable form, with these options. launch() does it by itself, with none."""
        names = _backend.runtime(False)
        options = 0
        for is_on, name in (
            (auto_free_on_launch, "AutoFreeOnLaunch"),
            (device_launch, "DeviceLaunch"),
            (use_node_priority, "UseNodePriority"),
        ):
            if is_on:
                options |= getattr(names, f"cudaGraphInstantiateFlag{name}")
        self._options = options
        self._instantiate()

    def _instantiate(self) -> None:
        make = _backend.runtime(False).cudaGraphExec_t
        self._executable = make(graph=self._own, flags=self._options)
        self._shared_form, self._source = self._shared, None
        self._launch = _backend.runtime(True).cudaGraphLaunch

    def _launch_by_runtime(self, stream: Any) -> None:
        """For launch(): where the driver isn't called past the runtime."""
        if self._executable is None:
            self._instantiate()
        if stream is None:
            stream = gpuarray.Stream.of(None)
        self._launch(self._executable, stream)
        if stream is not self._last:
            self._note(stream)

    def upload(self, stream: Any = None) -> None:
        """Prepare the device on a stream, so that the first launch doesn't have to."""
        if stream is None:
            stream = gpuarray.Stream.of(None)
        _backend.runtime(True).cudaGraphUpload(self._own_executable, stream)

    def update(self, source: Graph) -> None:
        """Give its executable form the arguments of another graph with the same nodes and edges.

        That costs less than making it anew. nodes() and edges() remain those of this graph.
        GPUError if it can't be; its text names the node. Then nothing has changed.
        """
        if not isinstance(source, Graph):
            raise TypeError(f"Graph.update(): a PyGPU.Graph is wanted, not {type(source).__name__}")
        try:
            _backend.runtime(True).cudaGraphExecUpdate(self._own_executable, source._own)
        except GPUError as error:
            if error.values and error.values[0] is not None:
                error.hint = _refused(self, source, error.values[0])
            raise
        self._source = source
        self._keep(0, source._used(), source._needed())

    def clone(self) -> Graph:
        """A copy of its nodes and edges, with their names."""
        runtime = _backend.runtime(True)
        copy = Graph._empty()
        copy._take(runtime.cudaGraphClone(self._own)._own_())
        copy._options = self._options
        copy._captured, copy._shared = list(self._captured), self._shared
        for number in {*self._names, *self._work, *self._kept} - {0}:
            node = self._node(runtime.cudaGraphNodeFindInClone(number, copy._own))
            for mine, its in zip(self._tables(), copy._tables(), strict=True):
                if number in mine:
                    its[int(node)] = mine[number]
        return copy

    def _tables(self) -> tuple[dict[int, Any], ...]:
        """What it knows of its nodes."""
        return self._names, self._work, self._kept

    def close(self) -> None:
        """End it in C, and let go of what it keeps once its launches are done."""
        self._retire_all()
        self._executable = None
        self._handle = None
        for table in (*self._tables(), self._nodes):
            table.clear()

    def __del__(self) -> None:
        if getattr(self, "_kept", None) or getattr(self, "_captured", None):
            self._drop((self._used(), self._streams))

    # ---- Making it node by node ------------------------------------------------------------------

    def kernel(
        self,
        kernel: Kernel,
        *args: Any,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
        **configuration: Any,
    ) -> GraphNode:
        """A launch of a kernel: `kernel(*args, grid=…, block=…)`, with its other keywords."""

        def queue(stream: Any, *args: Any, **configuration: Any) -> None:
            kernel(*args, stream=stream, **configuration)

        if "stream" in configuration:
            raise TypeError("Graph.kernel(): a node takes no stream: give the stream to launch()")
        return self._add(Work(queue, args, configuration, kernel.name), after, name)

    def memcpy(
        self,
        dst: Any,
        src: Any,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> GraphNode:
        """A copy of all elements of `src` to `dst`, as PyGPU.copy() makes it.

        Of arrays that aren't contiguous it may be several nodes, of which this is the last.
        """

        def queue(stream: Any, dst: Any, src: Any) -> None:
            gpuarray.copy(dst, src, stream)

        return self._add(Work(queue, (dst, src), {}, ""), after, name)

    def memset(
        self,
        dst: gpuarray.GPUArray,
        value: Any,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> GraphNode:
        """Every element of an array becomes `value`, as by dst.fill(value).

        Where it is the same 1, 2 or 4 bytes again and again, and the array is contiguous, it is
        a node of C's memset; else it is a kernel's, or a copy.
        """
        return self._add(Work(_fill.queue, (dst, value), {}, ""), after, name)

    def callback(
        self,
        fn: Callable[[], object],
        *,
        wait: bool = True,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> GraphNode:
        """A call of a Python function without arguments. It must make no GPU call.

        `wait` is that of Stream.call(): whether later work waits for the function's end.
        """

        def queue(stream: Any, fn: Callable[[], object], wait: bool) -> None:
            if not callable(fn):
                raise TypeError(f"Graph.callback(): {fn!r} can't be called")
            stream.call(fn, wait=wait)

        keywords = {"wait": wait}
        return self._add(Work(queue, (fn,), keywords, getattr(fn, "__name__", "")), after, name)

    def embed(
        self,
        child: Graph,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> GraphNode:
        """Another graph as one node. C copies it: later changes of `child` change nothing here."""
        if not isinstance(child, Graph):
            raise TypeError(f"Graph.embed(): a PyGPU.Graph is wanted, not {type(child).__name__}")
        node = self._add_by("cudaGraphAddChildGraphNode", after, name, child._own)
        self._keep(int(node), child._used(), child._needed())
        if self._shared and not child._shared:
            keep_by_graph(int(self._own), child._needed())
        return node

    def record(
        self,
        event: gpuarray.Event,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> GraphNode:
        """Record an event, for work outside of the graph that waits for it."""
        node = self._add_by("cudaGraphAddEventRecordNode", after, name, event)
        self._keep(int(node), event)
        return node

    def wait(
        self,
        event: gpuarray.Event,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> GraphNode:
        """Wait for an event."""
        node = self._add_by("cudaGraphAddEventWaitNode", after, name, event)
        self._keep(int(node), event)
        return node

    def empty(
        self, *, after: GraphNode | Iterable[GraphNode] = (), name: str | None = None
    ) -> GraphNode:
        """A node that does nothing: one place for what comes after several nodes."""
        return self._add_by("cudaGraphAddEmptyNode", after, name)

    def join(self, *nodes: GraphNode, name: str | None = None) -> GraphNode:
        """An empty node after these."""
        return self.empty(after=nodes, name=name)

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """A value for one conditional node of this graph. The default is set by each launch."""
        runtime = _backend.runtime(True)
        flags = (
            0 if default_value is None else int(_backend.runtime(False).cudaGraphCondAssignDefault)
        )
        make = runtime.cudaGraphConditionalHandleCreate
        return GraphCondition(self, make(self._own, default_value or 0, flags))

    def if_then(
        self,
        condition: GraphCondition,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> ConditionalNode:
        """Run `node.then`, a graph to add to, if the condition is not 0."""
        return self._add_conditional("If", condition, 1, after, name)

    def if_else(
        self,
        condition: GraphCondition,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> ConditionalNode:
        """Run `node.then` if the condition is not 0, else `node.else_` (CUDA 12.8)."""
        return self._add_conditional("If", condition, 2, after, name)

    def while_loop(
        self,
        condition: GraphCondition,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> ConditionalNode:
        """Run `node.body` again and again while the condition is not 0."""
        return self._add_conditional("While", condition, 1, after, name)

    def switch(
        self,
        condition: GraphCondition,
        count: int,
        *,
        after: GraphNode | Iterable[GraphNode] = (),
        name: str | None = None,
    ) -> ConditionalNode:
        """Run the one of `count` branches that the condition numbers, or none (CUDA 12.8)."""
        return self._add_conditional("Switch", condition, count, after, name)

    # ---- For itself and its nodes ----------------------------------------------------------------

    def _add(
        self, work: Work, after: GraphNode | Iterable[GraphNode], name: str | None
    ) -> GraphNode:
        before = handles_of(after, "Graph")
        used: list[Any] = []

        def queue(stream: Any) -> None:
            used.append(work.queue(stream, *work.args, **work.keywords))

        last, needed = record(self, self._recording_stream(), before, queue)
        if [int(one) for one in last] == [int(one) for one in before] or len(last) != 1:
            return self.empty(after=after, name=name)  # the work was of no bytes
        node = self._added(last[0], name)
        self._work[int(node)] = work
        self._keep(int(node), used[0], needed)
        return node

    def _add_by(
        self, function: str, after: GraphNode | Iterable[GraphNode], name: str | None, *args: Any
    ) -> GraphNode:
        before = handles_of(after, "Graph")
        add = getattr(_backend.runtime(True), function)
        return self._added(add(self._own, before or None, len(before), *args), name)

    def _add_conditional(
        self,
        kind: str,
        condition: GraphCondition,
        count: int,
        after: GraphNode | Iterable[GraphNode],
        name: str | None,
    ) -> ConditionalNode:
        if not isinstance(condition, GraphCondition):
            raise TypeError(
                f"Graph: a condition from create_condition() is needed, not {condition!r}"
            )
        names = _backend.runtime(False)
        before = handles_of(after, "Graph")
        how = {
            "handle": condition.handle,
            "type": getattr(names, f"cudaGraphCondType{kind}"),
            "size": count,
        }
        parameters = {"type": names.cudaGraphNodeTypeConditional, "conditional": how}
        add = _backend.runtime(True).cudaGraphAddNode
        handle, made = add(self._own, before or None, None, len(before), parameters)
        bodies = [Graph._of(one, self) for one in made.conditional.phGraph_out]
        node = ConditionalNode(self, handle, condition, bodies)
        self._nodes[int(handle)] = node
        if name is not None:
            node.name = name
        self._has_changed()
        return node

    def _added(self, handle: Any, name: str | None) -> GraphNode:
        self._has_changed()
        node = self._node(handle)
        if name is not None:
            node.name = name
        return node

    def _has_changed(self) -> None:
        """The next launch needs another executable form, also of the graph that this is part of."""
        self._executable = None
        if self._parent is not None:
            self._parent._has_changed()

    def _node(self, handle: Any) -> GraphNode:
        return self._nodes.get(int(handle)) or GraphNode(self, handle)

    def _name_of(self, node: GraphNode) -> str:
        number = int(node)
        if name := self._names.get(number):
            return name
        work = self._work.get(number)
        if name := work.name if work else _kernel_name(node):
            return name
        known = [int(one) for one in _backend.runtime(True).cudaGraphGetNodes(self._own)]
        return f"{node.kind} {known.index(number)}" if number in known else node.kind

    def _inside(self, node: GraphNode) -> list[tuple[str, Graph]]:
        """The graphs inside a node, each with a title."""
        if isinstance(node, ConditionalNode):
            return [(f"branch {at}", body) for at, body in enumerate(node.branches)]
        if node.kind == "graph":
            child = _backend.runtime(True).cudaGraphChildGraphNodeGetGraph(node.handle)
            return [("child", Graph._of(child, self))]
        return []

    def _recording_stream(self) -> gpuarray.Stream:
        if self._recorder is None:
            self._recorder = gpuarray.Stream(non_blocking=True)
        return self._recorder

    def _update_node(
        self, node: GraphNode, args: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> None:
        work = self._work.get(int(node))
        if work is None:
            raise ValueError(f"GraphNode.update(): {node.name!r} wasn't made by a Graph's method")
        work = work._replace(args=args or work.args, keywords={**work.keywords, **keywords})
        template = Graph()
        template._recorder = self._recording_stream()
        made = template._add(work, (), None)
        nodes = template.nodes()
        if len(nodes) != 1 or made.type != node.type:
            kinds = ", ".join(one.kind for one in nodes)
            raise ValueError(f"GraphNode.update(): {node.name!r} would become {kinds}")
        _set_parameters(self, node, made)
        self._work[int(node)] = work
        self._keep(int(node), template, template._needed())

    def _destroy_node(self, node: GraphNode) -> None:
        _backend.runtime(True).cudaGraphDestroyNode(node.handle)
        number = int(node)
        self._has_changed()
        self._keep(number, None)
        for table in (*self._tables(), self._nodes):
            table.pop(number, None)

    def _keep(self, node: int, used: Any, needed: list[Any] | None = None) -> None:
        """Keep objects for a node, instead of earlier ones, which launches may still use."""
        sweep()
        earlier = self._kept.pop(node, None)
        if earlier is not None:
            retire(earlier, self._streams)
        if used is not None or needed:
            self._kept[node] = Kept(used, needed or [])
            self._last = None

    def _note(self, stream: Any) -> None:
        """Remember the stream of a launch."""
        self._last = stream
        if not self._kept and not self._captured:
            return
        own = gpuarray.Stream.of(stream)
        if own not in self._streams:
            self._streams.append(own)

    def _owns(self, stream: gpuarray.Stream) -> int:
        """Keep what a capture needs, so that C's graph needn't; not for a part of another graph.

        Returns a number for take_owned().
        """
        alone = self._parent is None and not self._shared
        return own_captured(int(stream)) if alone else 0

    def _keep_captured(self, needed: list[Any]) -> None:
        self._captured += needed
        self._last = None
        if self._shared:  # since the capture has begun
            keep_by_graph(int(self._own), needed)

    def _needed(self) -> list[Any]:
        """What C's graph would keep, if it had to."""
        return [*self._captured, *(one for kept in self._kept.values() for one in kept.needed)]

    def _used(self) -> list[Any]:
        """All that it keeps."""
        return [*self._kept.values(), *self._captured]

    def _retire_all(self) -> None:
        for node in list(self._kept):
            self._keep(node, None)
        if self._captured:
            retire(self._captured, self._streams)
        self._captured = []

    def __int__(self) -> int:
        return int(self.handle)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<PyGPU.Graph, closed>"
        count = len(_backend.runtime(True).cudaGraphGetNodes(self._handle))
        return f"<PyGPU.Graph, {count} nodes{', executable' if self._executable else ''}>"


class ConditionalNode(GraphNode):
    """A node whose bodies run or don't, as a GraphCondition says; `branches` are the bodies."""

    __slots__ = ("branches", "condition")

    def __init__(
        self, graph: Graph, handle: Any, condition: GraphCondition, bodies: Iterable[Graph]
    ) -> None:
        super().__init__(graph, handle)
        self.condition = condition
        self.branches = tuple(bodies)

    @property
    def then(self) -> Graph:
        """The first body: that of if_then() and if_else()."""
        return self.branches[0]

    @property
    def body(self) -> Graph:
        """The body of while_loop()."""
        return self.branches[0]

    @property
    def else_(self) -> Graph:
        """The second body of if_else(). IndexError for others."""
        return self.branches[1]


Graph.__module__ = ConditionalNode.__module__ = "PyGPU"

# The driver's functions for a kernel: the runtime's refuse a CUfunction.
_PARAMETERS = {
    "kernel": "cuGraph{}KernelNode{}Params",
    "memcpy": "cudaGraph{}MemcpyNode{}Params",
    "memset": "cudaGraph{}MemsetNode{}Params",
    "host": "cudaGraph{}HostNode{}Params",
}


_known: dict[str, tuple[Any, Any, Any]] = {}


def _functions(kind: str) -> tuple[Any, Any, Any]:
    """What reads the parameters of nodes, sets those of a graph, and those of an executable."""
    if kind in _known:
        return _known[kind]
    form, calls = _PARAMETERS[kind], (("", "Get"), ("", "Set"), ("Exec", "Set"))
    get, in_graph, in_executable = (
        portable.find(form.format(*words), raising=True) for words in calls
    )
    _known[kind] = get, in_graph, in_executable
    return _known[kind]


def _kernel_name(node: GraphNode) -> str:
    """The name of a node's kernel, where the driver tells it."""
    if node.kind != "kernel":
        return ""
    try:
        parameters = _functions("kernel")[0](node)
        if parameters.func:
            return str(portable.find("cuFuncGetName", raising=True)(parameters.func) or "")
        return str(portable.find("cuKernelGetName", raising=True)(parameters.kern) or "")
    except (AttributeError, GPUError):  # an older driver, or AMD's
        return ""


def _set_parameters(graph: Graph, node: GraphNode, source: GraphNode) -> None:
    """Give a node the parameters of another, in the executable form first: it may refuse them."""
    get, set_in_graph, set_in_executable = _functions(node.kind)
    parameters = get(source)
    try:
        if graph._executable is not None:
            set_in_executable(graph._executable, node, parameters)
        set_in_graph(node, parameters)
    except GPUError as error:
        error.hint = f"the node is {node.name!r}"
        raise


def _refused(graph: Graph, source: Graph, info: Any) -> str:
    """Which node of an update was refused, and why."""
    member = info.result
    why = getattr(member, "name", str(member)).partition("UpdateError")[2]
    text = "".join(f" {one.lower()}" if one.isupper() else one for one in why).strip()
    for handle in (info.errorNode, info.errorFromNode):
        for owner in (source, graph):
            for node in owner.nodes():
                if int(node) == int(handle):
                    return f"node {node.name!r} can't be updated: {text}"
    return f"the graph can't be updated: {text}"
