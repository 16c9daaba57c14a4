"""Holds so many bytes of a device's memory until its input ends."""

import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import PyGPU

address = PyGPU.checked.cudaMalloc(int(sys.argv[1]))
print("started", flush=True)
sys.stdin.read()
