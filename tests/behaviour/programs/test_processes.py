"""Memory and events of one process, opened in another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
OTHER = Path(__file__).resolve().with_name("other_process.py")


def tell(task: str, *descriptors: int, **facts: Any) -> dict[str, Any]:
    """The other process's answer to a task."""
    done = subprocess.run(
        [sys.executable, str(OTHER), task, json.dumps(facts)],
        capture_output=True,
        text=True,
        timeout=100,
        pass_fds=descriptors,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the other process: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout))


@program
def test_shared() -> None:
    """Memory and an event, got here and opened in a child process that reads and writes.

    cudaIpcGetMemHandle, cudaIpcGetEventHandle and the calls that open the handles.
    """
    sent = np.arange(256, dtype=np.float32)
    flags = cuda.cudaEventInterprocess | cuda.cudaEventDisableTiming
    event = cuda.cudaEvent_t(flags=flags)
    with on_device(sent) as pointer:
        gpu.cudaEventRecord(event, 0)
        memory = bytes(memoryview(gpu.cudaIpcGetMemHandle(pointer)))
        handle = bytes(memoryview(gpu.cudaIpcGetEventHandle(event)))
        answer = tell("open", memory=memory.hex(), event=handle.hex(), count=sent.size)
        assert answer["read"] == sent.tolist(), "what the child read"
        assert answer["event"] == 0, "the event there"
        assert read(pointer, sent.size) == (sent + 1).tolist(), "what the child wrote"


@program
def test_pool() -> None:
    """A pool shared by descriptor, and a pointer of it.

    cudaMemPoolExportToShareableHandle, cudaMemPoolExportPointer and the imports.
    """
    kind = cuda.cudaMemHandleTypePosixFileDescriptor
    owned = gpu.cudaMemPoolCreate(
        cuda.cudaMemPoolProps(
            allocType=cuda.cudaMemAllocationTypePinned,
            handleTypes=kind,
            location=(cuda.cudaMemLocationTypeDevice, 0),
        )
    )
    stream = cuda.cudaStream_t()
    descriptor = gpu.cudaMemPoolExportToShareableHandle(owned, kind, 0)
    sent = np.arange(64, dtype=np.float32) - 9
    pointer = gpu.cudaMallocFromPoolAsync(sent.nbytes, owned, stream)
    gpu.cudaMemcpyAsync(pointer, sent, sent.nbytes, cuda.cudaMemcpyHostToDevice, stream)
    gpu.cudaStreamSynchronize(stream)
    exported = bytes(memoryview(gpu.cudaMemPoolExportPointer(pointer)))
    answer = tell("import", descriptor, pool=descriptor, pointer=exported.hex(), count=sent.size)
    assert answer["read"] == sent.tolist(), "what the child read"
    gpu.cudaFreeAsync(pointer, stream)
    gpu.cudaStreamSynchronize(stream)
    gpu.cudaMemPoolDestroy(owned)
