"""Handles that no runtime made: they may map no other file, and may end no process."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import tempfile
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection

import PyGPU
from tests.ipc.processes import another, answer
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

# What a handle holds: what it is for; process, descriptor, inode and size of the file; the size of
# the memory; the device.
HANDLE = struct.Struct("8siiQQQq16x")
MEMORY, EVENT = b"PyGPU-m\0", b"PyGPU-e\0"
NAMES = {MEMORY: "PyGPU-memory", EVENT: "PyGPU-event"}
REFUSED = {MEMORY: 1, EVENT: 205}  # invalid value; cudaErrorMapBufferObjectFailed
INTERPROCESS_FLAGS = 2 | 4
SIZE = 64 << 10
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def opened(kind: bytes, handle: bytes) -> int:
    """The status of opening a handle."""
    if kind == EVENT:
        return int(PyGPU.cudaIpcOpenEventHandle(handle)[-1])
    return int(PyGPU.cudaIpcOpenMemHandle(handle, 1)[-1])


def memory_file(name: str, seals: int = SEALS, size: int = SIZE) -> int:
    """The descriptor of a memory file."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    if seals:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def files(folder: str) -> Iterator[tuple[str, int]]:
    """Descriptors of files that no handle may open, and what each is."""
    regular = os.open(os.path.join(folder, "file"), os.O_RDWR | os.O_CREAT)
    deleted = os.open(folder, os.O_RDWR | os.O_TMPFILE)
    for what, descriptor in (("a regular file", regular), ("a deleted file", deleted)):
        os.ftruncate(descriptor, SIZE)
        yield what, descriptor
    yield "a folder", os.open(folder, os.O_RDONLY)
    yield "a device", os.open("/dev/zero", os.O_RDWR)
    yield "a pipe", os.pipe()[0]
    yield "an event counter", os.eventfd(0)
    yield "a shared memory file", os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR)
    yield "another library's file", memory_file("other")
    for name in NAMES.values():
        yield f"{name}, not sealed", memory_file(name, 0)
        yield f"{name}, which may shrink", memory_file(name, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        yield f"{name}, which may grow", memory_file(name, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
        yield f"{name}, empty", memory_file(name, size=0)
        yield f"{name}, read-only", memory_file(name, SEALS | fcntl.F_SEAL_WRITE)


def hold(connection: Connection, folder: str) -> None:
    """Opens files, sends where they are, and waits."""
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait, daemon=True)
    thread.start()
    found = [
        (what, descriptor, os.fstat(descriptor).st_ino, os.fstat(descriptor).st_size)
        for what, descriptor in files(folder)
    ]
    own = [(name, memory_file(name)) for name in NAMES.values()]
    genuine = {name: (one, os.fstat(one).st_ino) for name, one in own}
    connection.send((os.getpid(), thread.native_id, found, genuine))
    connection.recv()
    waiting.set()
    thread.join()


def test_no_other_file_is_opened():
    """Only a sealed file of the right name, of a process, is opened, in the size that it has."""
    with tempfile.TemporaryDirectory() as folder, another(hold, folder) as process:
        number, thread, found, genuine = answer(process)
        for kind, refused in REFUSED.items():

            def forged(
                descriptor: int, inode: int, size: int = SIZE, memory: int = 64,
                process: int = number, device: int = 0, kind: bytes = kind,
            ) -> int:  # fmt: skip
                file = process, descriptor, inode, size
                return opened(kind, HANDLE.pack(kind, *file, memory, device))

            for what, descriptor, inode, size in found:
                for claimed in {size, SIZE, 0}:
                    assert forged(descriptor, inode, claimed) == refused, (kind, what, claimed)
            right, inode = genuine[NAMES[kind]]
            wrong = genuine[NAMES[EVENT if kind == MEMORY else MEMORY]]
            cases = {
                "of the other kind": forged(*wrong),
                "another inode": forged(right, inode + 1),
                "no inode": forged(right, 0),
                "a part": forged(right, inode, SIZE // 2),
                "more": forged(right, inode, SIZE * 2),
                "no size": forged(right, inode, 0),
                "a thread": forged(right, inode, process=thread),
                "no process": forged(right, inode, process=0),
                "a negative process": forged(right, inode, process=-1),
                "the first process": forged(right, inode, process=1),
                "no descriptor": forged(-1, inode),
                "a closed descriptor": forged(1000, inode),
                "an unknown device": forged(right, inode, device=99),
                "a negative device": forged(right, inode, device=-1),
                "nothing": opened(kind, bytes(64)),
                "ones": opened(kind, b"\xff" * 64),
            }
            if kind == MEMORY:
                cases["no memory"] = forged(right, inode, memory=0)
                cases["more memory than pages"] = forged(right, inode, memory=SIZE + 1)
            assert {what: code for what, code in cases.items() if code != refused} == {}
            assert forged(right, inode) == 0, "the test's own file, as it should be"
        process.send("end")


def test_nobody_can_resize_shared_pages():
    """A process that shortens the file would end every process that uses it, by a bus error."""
    gpu = PyGPU.checked
    pointer, event = gpu.cudaMalloc(64), gpu.cudaEventCreateWithFlags(INTERPROCESS_FLAGS)
    for handle in (gpu.cudaIpcGetMemHandle(pointer), gpu.cudaIpcGetEventHandle(event)):
        _, process, descriptor, inode, size, _, _ = HANDLE.unpack(bytes(handle.reserved))
        assert (process, inode) == (os.getpid(), os.fstat(descriptor).st_ino)
        libc = ctypes.CDLL(None, use_errno=True)
        for other in (0, size - 4096, size + 4096):
            assert libc.ftruncate(descriptor, ctypes.c_long(other)) == -1, other
        assert os.fstat(descriptor).st_size == size
