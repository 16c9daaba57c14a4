"""The base class of the peers in C++: compiles a module, and calls it."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile

import peer
from peer import PyGPU, address_of, elements_at, np

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "cplusplus"


class Peer(peer.Peer):
    out = "bound.address(a)"
    into = "bound.make_float32(address, shape)"
    refused = "bound.takes_floats(a.view('i4'))", TypeError
    lacks = frozenset({"float8_e4m3fn", "float8_e5m2"})  # C++ has no types for these

    def load(self):
        """Build the module, and give it the addresses of the runtime's functions.

        The module isn't linked to a runtime.
        """
        spec = importlib.util.find_spec(self.module)
        package = pathlib.Path(spec.origin).parent
        self.folder = tempfile.TemporaryDirectory()
        self.build(package, pathlib.Path(self.folder.name))
        spec = importlib.util.spec_from_file_location("bound", f"{self.folder.name}/bound.so")
        self.bound = self.names["bound"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.bound)
        self.bound.use(*(address_of(name) for name in ("Malloc", "Memcpy", "Free")))

    def build(self, package, into):
        """Compile the module `bound` into a folder."""
        raise NotImplementedError

    def compile(self, *arguments):
        compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
        if not compiler:
            raise peer.Absent("no C++ compiler")
        command = [*compiler.split(), "-O0", "-fPIC", "-fvisibility=hidden", "-w"]
        command += [f"-I{sysconfig.get_paths()['include']}", f"-I{PyGPU.get_include()}"]
        subprocess.run([*command, *map(str, arguments)], check=True, stderr=subprocess.PIPE)

    def give(self, a):
        """The address that C++ got, and the array, which C++ keeps alive only during a call."""
        self.like = np.empty(a.shape, a.dtype)
        return super().give(a), a

    def make(self, values):
        """The elements, which C++ then copies into memory of its own."""
        return values.copy()

    def take(self, x):
        expression = self.into.replace("float32", x.dtype.name)
        a = self.run(expression, address=x.ctypes.data, shape=x.shape)
        self.met = self.bound.last_made()
        return a

    def values(self, x):
        PyGPU.checked.cudaStreamSynchronize(0)
        return elements_at(x[0], self.like)

    def address(self, x):
        return x[0] if isinstance(x, tuple) else self.met
