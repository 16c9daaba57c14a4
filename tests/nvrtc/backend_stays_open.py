"""What test_loading.py runs: NVRTC is nobody's backend."""

import sys

import PyGPU
from PyGPU._search import installed

assert "PyGPU._nvrtc" not in sys.modules  # imported when somebody asks
assert not PyGPU.nvrtc.nvrtcVersion()[-1]
assert "PyGPU._nvrtc" in sys.modules
PyGPU.use("host")  # not in use yet
device, err = PyGPU.cudaGetDevice()
assert not err
assert installed("nvrtc")["host"] is False
