"""A stream named by an export comes after all that PyGPU queued on the memory."""

from __future__ import annotations

from pathlib import Path

PROGRAM = Path(__file__).with_name("exports.py")


def test_consumers_come_after_all_that_was_queued(on_devices):
    on_devices(PROGRAM)


def test_so_they_do_with_hips_functions(python, host_library):
    python(PROGRAM, PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))


def test_so_they_do_where_each_thread_has_a_default_stream(python, host_library):
    each = {"PYGPU_PER_THREAD_DEFAULT_STREAM": "1", "PYGPU_CUDA_LIBRARY": str(host_library)}
    python(PROGRAM, PYGPU_BACKEND="cuda", **each)
