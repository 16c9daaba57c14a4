"""Runs `python -m pygpu_generator`."""

import sys

from pygpu_generator import cmake_dir, glue, main

if sys.argv[1:] == ["--cmake-dir"]:
    print(cmake_dir())
elif sys.argv[1:] == ["--glue"]:
    print(glue() or "")
else:
    sys.exit(main(sys.argv[1:], "python -m pygpu_generator"))
