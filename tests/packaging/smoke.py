"""An installed PyGPU must pass this with only numpy and no GPU: doctor, an array there and back."""

import json
import pathlib
import subprocess
import sys

import numpy as np

import PyGPU

sources = pathlib.Path(__file__).resolve().parents[2] / "python"
assert sources not in pathlib.Path(PyGPU.__file__).parents, "this is not the installed package"

doctor = subprocess.run([sys.executable, "-m", "PyGPU", "--json"], capture_output=True, text=True)
report = json.loads(doctor.stdout)
sent = np.arange(12, dtype=np.float32).reshape(3, 4)
back = PyGPU.to_gpu(sent).get()
assert back.dtype == sent.dtype
assert (back == sent).all()
print(PyGPU.__version__, PyGPU.backend, report["backend"]["why"])
