"""PyGPU.CheckpointProcess: a process whose GPU memory goes to the host, and comes back."""

from __future__ import annotations

from operator import index

from PyGPU._kernels import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex


class CheckpointProcess:
    """A process that uses CUDA, by its number, for programs that save processes (CUDA 12.8).

    lock(), then checkpoint(), saves what it has on devices in the host's memory and gives the
    devices back; restore() and unlock() undo that. What it is now is in `state`. Where the driver
    has no checkpoints, each call is a GPUError.
    https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html
    """

    __slots__ = ("pid",)

    def __init__(self, pid: SupportsIndex) -> None:
        self.pid = index(pid)

    @property
    def state(self) -> str:
        """ "running", "locked", "checkpointed" or "failed"."""
        state = self._call("GetState")
        name: str = getattr(state, "name", f"CU_PROCESS_STATE_{int(state)}")
        return name.removeprefix("CU_PROCESS_STATE_").lower()

    @property
    def restore_thread_id(self) -> int:
        """The thread of that process which restores it."""
        number: int = self._call("GetRestoreThreadId")
        return number

    def lock(self, timeout_ms: int = 0) -> None:
        """Let it make no more CUDA calls, and wait for its work; 0 waits without an end."""
        self._call("Lock", {"timeoutMs": index(timeout_ms)})

    def checkpoint(self) -> None:
        """Save what a locked process has on devices in the host's memory."""
        self._call("Checkpoint", {})

    def restore(self) -> None:
        """Bring it back to the devices. It stays locked."""
        self._call("Restore", {})

    def unlock(self) -> None:
        """Let it make CUDA calls again."""
        self._call("Unlock", {})

    def _call(self, name: str, *args: Any) -> Any:
        driver.driver()  # initialises it
        return driver.call(f"cuCheckpointProcess{name}")(self.pid, *args)

    def __repr__(self) -> str:
        return f"<PyGPU.CheckpointProcess {self.pid}>"


CheckpointProcess.__module__ = "PyGPU"
