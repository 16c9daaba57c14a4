"""tools/build_seconds.py counts each step of a build for the target that it belongs to."""

import os
import subprocess
import sys

from tools import build_seconds

NOTES = """\
1.50 CMakeFiles/_core.dir/batches/generated_0.cpp.o
0.25 hostgpu/CMakeFiles/pygpu_host.dir/Unity/unity_unit_1_cxx.cxx.o
2.00 python/PyGPU/_core.cpython-311-x86_64-linux-gnu.so
0.50 python/PyGPU/libpygpu_host.so
"""


def test_objects_and_links_count_for_their_target() -> None:
    lines = build_seconds.table(build_seconds.read_notes(NOTES), 1).split("\n")
    assert [line.split() for line in lines] == [
        ["target", "steps", "CPU", "s"],
        ["_core", "2", "3.5"],
        ["pygpu_host", "2", "0.8"],
        ["all", "4", "4.2"],
        ["2.0", "python/PyGPU/_core.cpython-311-x86_64-linux-gnu.so"],
    ]


def test_a_launched_step_is_noted_and_its_failure_passed_on(tmp_path) -> None:
    notes = tmp_path / "notes"
    fails = [sys.executable, "-c", "import sys; sys.exit(3)", "-o", "CMakeFiles/_cu.dir/a b.o"]
    command = [sys.executable, build_seconds.__file__, "--launch", *fails]
    ran = subprocess.run(command, check=False, env={**os.environ, build_seconds.NOTES: str(notes)})
    assert ran.returncode == 3
    [(seconds, output)] = build_seconds.read_notes(notes.read_text())
    assert seconds > 0 and output == "CMakeFiles/_cu.dir/a b.o"
