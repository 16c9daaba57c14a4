"""Nodes of graphs, and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PyGPU import _backend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class GraphNode:
    """A node of a PyGPU.Graph, which makes it; C takes it where it wants a cudaGraphNode_t."""

    __slots__ = ("graph", "handle")
    _c_struct_: ClassVar[str]  # by which C's functions know it; set with the first node

    def __init__(self, graph: Any, handle: Any) -> None:
        if "_c_struct_" not in vars(GraphNode):
            GraphNode._c_struct_ = type(handle)._c_struct_
        self.graph = graph
        self.handle = handle

    @property
    def type(self) -> int:
        """What it does, one of cudaGraphNodeType."""
        value: int = _backend.runtime(True).cudaGraphNodeGetType(self.handle)
        return value

    @property
    def kind(self) -> str:
        """The type as a word: "kernel", "memcpy", "memset", "host", "graph", "empty" and so on."""
        member = self.type
        name = getattr(member, "name", f"NodeType{int(member)}").partition("NodeType")[2]
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()

    @property
    def name(self) -> str:
        """Its name in dot() and in messages: yours, else its kernel's, else its kind and number."""
        name: str = self.graph._name_of(self)
        return name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"GraphNode.name must be a str, not {type(name).__name__}")
        self.graph._names[int(self)] = name

    @property
    def pred(self) -> set[GraphNode]:
        """The nodes that come right before it."""
        handles = _backend.runtime(True).cudaGraphNodeGetDependencies(self.handle)[0]
        return {self.graph._node(one) for one in handles}

    @property
    def succ(self) -> set[GraphNode]:
        """The nodes that come right after it."""
        handles = _backend.runtime(True).cudaGraphNodeGetDependentNodes(self.handle)[0]
        return {self.graph._node(one) for one in handles}

    def update(self, *args: Any, **keywords: Any) -> None:
        """Change what it works on, in the graph and in its executable form.

        It takes the arguments of the Graph's method that made the node: all positional ones anew,
        or none to keep them, and those keywords that change. A kernel stays the same kernel. The
        next launch of the graph uses the new values; earlier launches are not disturbed.
        ValueError for a node that was captured or that has no such arguments, GPUError.
        """
        self.graph._update_node(self, args, keywords)

    def destroy(self) -> None:
        """Take it and its edges out of the graph. GPUError if the graph can't lose it."""
        self.graph._destroy_node(self)

    def __int__(self) -> int:
        return int(self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphNode) and int(other) == int(self)

    def __hash__(self) -> int:
        return hash(int(self))

    def __repr__(self) -> str:
        return f"<PyGPU.GraphNode {self.name!r}, {self.kind}>"


class GraphCondition:
    """A value that kernels set by cudaGraphSetConditional, and that conditional nodes ask.

    `handle` is the kernel's argument, a cudaGraphConditionalHandle.
    """

    __slots__ = ("graph", "handle")

    def __init__(self, graph: Any, handle: int) -> None:
        self.graph = graph
        self.handle = handle

    def __index__(self) -> int:
        return self.handle

    def __repr__(self) -> str:
        return f"<PyGPU.GraphCondition {self.handle:#x}>"


GraphNode.__module__ = GraphCondition.__module__ = "PyGPU"


def handles_of(after: GraphNode | Iterable[GraphNode], call: str) -> list[Any]:
    """The handles of the nodes that come before: one node, or several."""
    if not isinstance(after, (GraphNode, Iterable)):
        raise TypeError(f"{call}: after must be nodes of a graph, not {type(after).__name__}")
    nodes = (after,) if isinstance(after, GraphNode) else tuple(after)
    for node in nodes:
        if not isinstance(node, GraphNode):
            raise TypeError(f"{call}: after must be nodes of a graph, not {type(node).__name__}")
    return [node.handle for node in nodes]
