"""mpi4py: messages to the process itself. MPI knows no streams: the sender must wait before."""

from __future__ import annotations

import ctypes

import peer
from peer import PyGPU, np


def takes_memory_of_gpus(extension):
    """Whether Open MPI says, by its extension for CUDA, that it takes a GPU's memory.

    False if the function is missing. An MPI that doesn't take a GPU's address reads it as an
    address of the host, which ends the process.
    """
    query = getattr(ctypes.CDLL(extension), "MPIX_Query_cuda_support", None)
    return bool(query and query())


def has_half(mpi):
    """Whether this MPI sends numpy's 16-bit floats; many have no datatype for them."""
    sent, got = np.ones(1, "float16"), np.zeros(1, "float16")
    try:
        mpi.COMM_SELF.Sendrecv(sent, 0, recvbuf=got)
    except (mpi.Exception, KeyError, ValueError, NotImplementedError):
        return False
    return bool(got[0])


class Peer(peer.NumpyPeer):
    title = "mpi4py"
    module = "mpi4py"
    out = "(PyGPU.wait(a), world.Sendrecv(a, 0, recvbuf=x))"
    into = "(PyGPU.wait(a), world.Sendrecv(x, 0, recvbuf=a))"
    refused = "world.Send(a[:, ::2], 0)", BufferError
    lacks = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})

    def load(self):
        from mpi4py import MPI

        if not self.on_host and not hasattr(MPI.memory, "fromaddress"):
            raise peer.Absent("too old for a card's memory")
        if not self.on_host and not takes_memory_of_gpus(MPI.__file__):
            raise peer.Absent("this MPI takes the host's memory only")
        if not has_half(MPI):
            self.lacks = self.lacks | {"float16"}
        self.memory = MPI.memory
        self.names["world"] = MPI.COMM_SELF
        self.met = 0

    def give(self, a):
        """The numpy array that got the message; notes the address that mpi4py reads."""
        x = np.empty(a.shape, a.dtype)
        self.run(self.out, a=a, x=x)
        self.met = self.memory(a).address
        return x

    def take(self, x):
        a = PyGPU.zeros(x.shape, x.dtype)
        self.run(self.into, a=a, x=x)
        self.met = self.memory(a).address
        return a

    def address(self, x):
        return self.met
