"""Writes the corpus as PTX, for mutants.cpp: python -m tests.host.ptx.write_corpus FOLDER."""

from __future__ import annotations

import pathlib
import sys

import PyGPU


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((pathlib.Path(__file__).parent / "corpus").glob("*.cu")):
        text = source.read_text()
        code = PyGPU.compiler.compile(text, ["-lineinfo"], "compute_80", cache=False)
        (folder / f"{source.stem}.ptx").write_bytes(bytes(code).rstrip(b"\0"))


if __name__ == "__main__":
    main()
