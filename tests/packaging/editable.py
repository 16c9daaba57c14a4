"""Run by test_editable.py: imports a PyGPU whose files lie in two folders, and makes a call."""

import importlib.util
import sys

files, compiled = sys.argv[1:]
spec = importlib.util.spec_from_file_location(
    "PyGPU", f"{files}/__init__.py", submodule_search_locations=[files, compiled]
)
sys.modules["PyGPU"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
assert module.__file__.startswith(files) and module._core.__file__.startswith(compiled)
print(module.backend, module.checked.cudaGetDeviceCount())
