"""What arrays do with numpy's help; the rest is `PyGPU._core.arrays`."""
