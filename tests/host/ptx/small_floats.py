"""A kernel for each function of CUDA's headers of small floats, and numbers for them."""

from __future__ import annotations

import hashlib
import pathlib
import re

import numpy as np

import PyGPU

HEADERS = ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h")
COUNT, WORDS = 4096, 4  # threads, and words of 64 bits for each
CHOICES = {"__nv_fp4_interpretation_t": 1, "__nv_saturation_t": 2}  # other enums have two of each

HEAD = """#include <{header}>
template <class T> __device__ T get(const unsigned long long *word) {{
    T value; memcpy(&value, word, sizeof value); return value;
}}
"""
KERNEL = """extern "C" __global__ void {kernel}(
    const unsigned long long *in, unsigned long long *out, unsigned long long *scratch) {{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
"""


def functions(include: pathlib.Path, header: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """The declared functions: the type of the result, the name, the types of the parameters."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", (include / header).read_text(), flags=re.DOTALL)
    declared = r"__CUDA_(?:HOSTDEVICE_)?(?:FP16|BF16|FP8|FP6|FP4)_DECL__\s+"
    form = declared + r"([\w\s]+?[\s*]+)(\w+)\s*\(([^()]*)\)\s*;"
    matches = {}
    for result, name, parameters in re.findall(form, text):
        types = []
        for one in parameters.split(","):
            plain = re.sub(r"\s*=.*|\bconst\b|__restrict__", "", " ".join(one.split()))
            kind = re.match(r"\s*(.*?[\s*])\s*\w+\s*$", plain)
            types.append(re.sub(r"\s*\*\s*", "*", (kind.group(1) if kind else plain).strip()))
        matches[result.strip(), name, tuple(one for one in types if one != "void")] = None
    return list(matches)


def argument(name: str, at: int, kind: str) -> str:
    """What a function gets for a parameter: a thread's word, or a pointer to two others."""
    word = f"in + t * {WORDS} + {at}"
    if kind.endswith("*"):
        return f"({kind})(scratch + t * 2)"
    if name.endswith("_sync") and at != 1:  # a mask, a lane or a distance, and a width
        return "0xffffffffu" if at == 0 else "32" if at == 3 else f"({kind})(in[2] & 31)"
    if kind == "enum cudaRoundMode":
        either = f"(enum cudaRoundMode)(1 + get<unsigned>({word}) % 2)"
        return either if "e8m0" in name else "cudaRoundNearest"
    if kind.endswith("_interpretation_t") or kind == "__nv_saturation_t":
        return f"({kind})(get<unsigned>({word}) % {CHOICES.get(kind, 2)})"
    return f"get<{kind}>({word})"


def source(include: pathlib.Path, header: str) -> tuple[str, list[str]]:
    """The code, and the names of its kernels."""
    code, kernels = [HEAD.format(header=header)], []
    for result, name, types in functions(include, header):
        kernels.append(f"k{len(kernels)}_{name}")
        call = f"{name}({', '.join(argument(name, at, one) for at, one in enumerate(types))})"
        body = (
            f"auto r = {call}; memcpy(out + t, &r, sizeof r);" if result != "void" else f"{call};"
        )
        code.append(KERNEL.format(kernel=kernels[-1], body=body))
    return "".join(code), kernels


def inputs() -> list[np.ndarray]:
    """Random bits; floats, integers and doubles of all sizes that matter.

    numpy's power of doubles differs between processors in the last bit, which singles don't show.
    """
    random = np.random.default_rng(7)
    bits = random.integers(0, 1 << 64, (COUNT, WORDS), np.uint64)

    def reals(count: int) -> np.ndarray:
        size = COUNT, count
        return random.choice([-1, 1], size) * 2.0 ** random.uniform(-30, 20, size)

    singles = reals(2 * WORDS).astype(np.float32)
    signs, exponents = (
        random.choice([-1, 1], (COUNT, WORDS)),
        random.uniform(-30, 20, (COUNT, WORDS)),
    )
    whole = np.floor(exponents)
    doubles = signs * np.ldexp(1 + (exponents - whole), whole.astype(int))
    small = random.integers(-300, 300, (COUNT, WORDS), np.int64)
    return [one.view(np.uint64).reshape(-1) for one in (bits, singles, small, doubles)]


def digests(code: bytes, kernels: list[str]) -> dict[str, str]:
    """For each kernel digests of what it gives, one for each of the inputs."""
    module, arguments, actual = PyGPU.Module(code), inputs(), {}
    for kernel in kernels:
        actual[kernel] = ""
        for words in arguments:
            out = PyGPU.to_gpu(np.zeros(COUNT, np.uint64))
            scratch = PyGPU.to_gpu(arguments[0])
            module[kernel](PyGPU.to_gpu(words), out, scratch, grid=COUNT // 128, block=128)
            done = hashlib.md5(out.get().tobytes() + scratch.get().tobytes(), usedforsecurity=False)
            actual[kernel] += done.hexdigest()[:6]
    return actual
