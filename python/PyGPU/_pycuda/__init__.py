"""PyCUDA's names: the parts behind PyGPU.driver, autoinit and tools."""
