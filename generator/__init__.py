"""From the vendors' headers to PyGPU's bindings: `python -m generator --help`."""
