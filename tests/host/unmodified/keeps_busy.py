"""Keeps a device busy with one kernel until it is killed."""

import pathlib

import numpy as np

import PyGPU

word = PyGPU.to_gpu(np.zeros(1, np.uint32))
code = pathlib.Path(__file__).with_name("busy.ptx").read_bytes()
print("started", flush=True)
PyGPU.Module(code).get_function("busy")(word, grid=1, block=1)
PyGPU.checked.cudaDeviceSynchronize()
