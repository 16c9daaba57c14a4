"""Damaged headers are read, or refused in one line that names the place; never a traceback."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from generator.errors import GeneratorError
from tests.generator.headers import in_cpp, parse_text
from tests.generator.mutations import cut

SOURCE = Path(__file__).with_name("every_shape.h").read_text()
BEFORE = "#include <stddef.h>\ntypedef enum gpuStatus { gpuSuccess } gpuStatus;\n"
# What no declaration of a vendor's has; most of it is no C.
ODD = (
    *("struct", "typedef", "(", ")", "{", "}", "*", "[", "]", ";", '"', "'", "\\", "#if", "#endif"),
    *("99999999999999999999999", "1<<99", "[2147483648]", "[99999999999]", "...", "\0", "\u00e9"),
    '#include "gpu.h"',
    "#define gpuX gpuX",
    "#define gpuMac (gpuMac + 1)",
    '#define gpuQ "a\\"b"',
    "int gpuDefault(int a = 1/0);",
    "struct gpuS { struct gpuS s; };",
    "typedef gpuT gpuT;",
    "gpuStatus gpuNames(int class, int None, int (*f)(int, ...));",
    "enum { gpuBig = 0xFFFFFFFFFFFFFFFFFFFF };",
    "int gpuArray(int a[][3]);",
    "struct gpuBits { int a : 40; };",
    "struct gpuFlexible { int n; char x[]; };",
    "_Complex float gpuComplex(void);",
    "void gpuVariable(int n, int a[n]);",
    f"gpuStatus gpuStars(int {'*' * 300}p);",
    f"int gpuDeep{'(' * 400};",
    "__int128 gpuWide(void);",
    "_Float16 gpuHalf(_Float16 a);",
    "struct gpuHalves { _Float16 a[2]; };",
    "int gpuTwice(int a, int a);",
    "template <class T> T gpuTemplate(T);",
)


def damaged(seed: int) -> str:
    random = Random(seed)
    lines = SOURCE.split("\n")
    lines.insert(random.randrange(len(lines)), random.choice(ODD))
    text = BEFORE + in_cpp("\n".join(lines))
    return cut(text, random) if random.random() < 0.4 else text


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_a_damaged_header_is_read_or_refused_in_one_line(first: int, tmp_path: Path) -> None:
    said = {}
    for seed in range(first, first + 30):
        try:
            parse_text(tmp_path, damaged(seed))
        except GeneratorError as error:
            said[seed] = str(error)
    assert 5 < len(said) < 30  # neither everything nor nothing
    assert {seed: text for seed, text in said.items() if not text.strip() or "\n" in text} == {}


def test_the_header_without_damage_is_read(tmp_path: Path) -> None:
    assert "gpuGetSize" in parse_text(tmp_path, BEFORE + in_cpp(SOURCE)).functions
