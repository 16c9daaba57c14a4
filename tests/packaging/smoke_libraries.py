"""The modules of installed library packages can be imported, each beside PyGPU.

python tests/packaging/smoke_libraries.py nvidia amd open
"""

import importlib
import sys

from PyGPU._apis import APIS

for extra in sys.argv[1:]:
    names = [api.namespace for api in APIS.values() if api.extra == extra]
    assert names, f"no extra has the name {extra}"
    for name in names:
        assert importlib.import_module(f"PyGPU.{name}").__all__, name
    print(extra, *names)
