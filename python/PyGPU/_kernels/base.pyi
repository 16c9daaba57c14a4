"""The compiled part of kernels."""

from collections.abc import Iterable, Sequence
from typing import Any, final

from typing_extensions import disjoint_base

from PyGPU.gpuarray import DeviceMemory

@final
class Code:
    """Loaded code, unloaded with its last user."""

    def __new__(
        cls, handle: int, unload: int, device: int, library: int | None = None
    ) -> Code: ...
    @property
    def handle(self) -> int: ...
    @property
    def library(self) -> int | None: ...
    @property
    def device(self) -> int: ...
    @property
    def unloaded(self) -> bool: ...
    def unload(self) -> None: ...
    def memory(self, address: int, size: int, /) -> DeviceMemory: ...
    def begin_use(self, call: str, /) -> None: ...
    def end_use(self) -> None: ...

@final
class ConfiguredKernel:
    """What kernel[grid, block, stream, shared] gives: called with the kernel's arguments."""

    def __call__(self, *arguments: Any) -> None: ...

@final
class Elementwise:
    """An elementwise function, operator or loop; see kernels/elementwise.hpp."""

    def __new__(
        cls, maker: Any, name: str, inputs: int, outputs: int, form: str
    ) -> Elementwise: ...
    @property
    def __name__(self) -> str: ...
    @property
    def __qualname__(self) -> str: ...
    def __call__(
        self, *operands: Any, out: Any = None, stream: Any = None, range: Any = None
    ) -> Any: ...

@disjoint_base
class Kernel:
    """The part of PyGPU.Kernel that is written in C++: launches."""

    def __new__(
        cls,
        code: Code,
        name: str,
        function: int,
        launchers: tuple[int, int | None, int | None, int, int],
        most_threads: int,
        parameters: Sequence[tuple[Any, ...]] | None = None,
        of_all_contexts: Any = None,
    ) -> Any: ...
    @property
    def name(self) -> str: ...
    @property
    def code(self) -> Code: ...
    @property
    def handle(self) -> int: ...
    @property
    def max_threads_per_block(self) -> int: ...
    def __int__(self) -> int: ...
    def declare(self, parameters: Iterable[tuple[Any, ...]], /) -> None: ...
    def __getitem__(self, configuration: tuple[Any, ...], /) -> ConfiguredKernel: ...
    def __call__(
        self,
        *arguments: Any,
        grid: int | Sequence[int] = 1,
        block: int | Sequence[int],
        stream: Any = None,
        shared: int = 0,
        cooperative: bool = False,
        cluster: int | Sequence[int] | None = None,
    ) -> None: ...

def demangled(name: str, /) -> str: ...
def images(code: bytes, /) -> list[bytes]: ...
def metadata(code: bytes, /) -> bytes: ...
def ptx_kernels(
    text: str | bytes, /
) -> dict[str, tuple[tuple[int, str, bool | None, int, str], ...]]: ...
