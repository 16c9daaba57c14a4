"""Runs `python -m pygpu_generator`."""

import sys

from pygpu_generator import cmake_dir, main

if sys.argv[1:] == ["--cmake-dir"]:
    print(cmake_dir())
else:
    sys.exit(main(sys.argv[1:], "python -m pygpu_generator"))
