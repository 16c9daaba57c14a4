"""Traces that run again without their program: the small case for a bug report.

A trace with data (PyGPU.trace("case.pygpu"), PYGPU_TRACE_DATA=1) keeps more than texts of its
calls. This package writes and replays it.

Recording (recording/). C++ hands each call to a `Recorder`, before it and after it, with the GIL:
calls of bound functions with their Python arguments, PyGPU's own calls and launches as C's values
(src/handwritten/trace/keep.hpp). encode.py makes JSON of the arguments:

- An address within memory that the trace knows is an address, also within a struct or among a
  kernel's arguments. A handle is a handle. Both are mapped when it is replayed.
- Memory of the host that a call reads is kept as bytes before the call, and what it has written
  there after it. Each call that queues work is waited for (as with PYGPU_LOCATE), so that this has
  arrived. Sizes come from the Python object, or from the call's counts (copies.py).
- Memory of the device from before the trace is kept, whole, when a call first names it (found.py).
- Page-locked and managed memory may change without a call. It is kept before each launch, if it
  has changed, and after it (arguments.py).
- What can't be kept is marked, with the reason, and the replay refuses it.

Copies within a device that PyGPU makes by kernels of its own are made by the runtime meanwhile.

The file (container.py) is a sequence of checked records, written as the program runs. Equal bytes
are there once. When the bound is reached, a record says so, and the file has no replay.

Replaying (playing/). play.py makes the same calls by the same bound functions, in their order, each
thread's on a thread of its own, one at a time. decode.py makes arguments of the JSON; mapping.py
knows the new address of each old one. Statuses and all bytes that the host received are compared.
"""
