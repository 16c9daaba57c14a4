"""Textures for tests: a model in numpy of how they are read, and objects of the runtime.

The model: CUDA C++ Programming Guide, "Texture Fetching". Coordinates are rounded to 8 bits of
fraction for linear filtering; integers become fractions of their largest value. An H200 also does
this: the border's colour is rounded to a possible texel value, and a line is a row of a picture
(`as_row`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

import PyGPU
from PyGPU import cuda

WRAP, CLAMP, MIRROR, BORDER = range(4)
ARRAY, LINEAR, PITCHED = 0, 2, 3
LAYERED, SURFACE = 1, 2


@dataclass
class Sampler:
    """How a texture is read."""

    address: int | tuple[int, int, int] = CLAMP
    filtered: bool = False
    normalized: bool = False
    as_fraction: bool = False
    border: tuple[float, ...] = field(default=(0.0, 0.0, 0.0, 0.0))

    def modes(self) -> tuple[int, int, int]:
        """The address mode of each dimension."""
        return (self.address,) * 3 if isinstance(self.address, int) else self.address

    def described(self) -> dict:
        """The runtime's descriptor."""
        return {
            "addressMode": list(self.modes()),
            "filterMode": int(self.filtered),
            "readMode": int(self.as_fraction),
            "borderColor": list(self.border),
            "normalizedCoords": self.normalized,
        }


def fractions(texels: np.ndarray) -> np.ndarray:
    """The texels as filtering sees them."""
    if texels.dtype.kind == "f":
        return texels.astype(np.float64)
    return texels / np.float64(np.iinfo(texels.dtype).max)


def border_of(sampler: Sampler, dtype: np.dtype) -> np.ndarray:
    """The border's colour in the format of such texels, as fractions."""
    border = np.asarray(sampler.border)
    if dtype.kind == "f":
        return border.astype(dtype).astype(np.float64)
    most = np.iinfo(dtype).max
    return np.ceil(np.clip(border, -1 if dtype.kind == "i" else 0, 1) * most - 0.5) / most


def as_row(texels: np.ndarray, at: np.ndarray, sampler: Sampler) -> tuple[np.ndarray, np.ndarray]:
    """A line, with places in it, as a card filters it: y = 0, at the edge of a border."""
    if texels.ndim > 2 or not sampler.filtered or sampler.modes()[1] != BORDER:
        return texels, at
    return texels[None], at * np.float32([1, 0, 0])


def _inside(index: np.ndarray, count: int, address: int) -> np.ndarray:
    """The texels that replace texels beyond the edges; -1 for the border."""
    if address == WRAP:
        return index % count
    if address == MIRROR:
        index = index % (2 * count)
        return np.where(index < count, index, 2 * count - 1 - index)
    if address == CLAMP:
        return np.clip(index, 0, count - 1)
    return np.where((index >= 0) & (index < count), index, -1)


def read(texels: np.ndarray, at: np.ndarray, sampler: Sampler) -> np.ndarray:
    """What a texture of texels [z, y, x, channel] gives at places (x, y, z)."""
    border = border_of(sampler, texels.dtype)
    texels = fractions(texels)
    modes = [
        # Wrapping and mirroring need normalised coordinates.
        CLAMP if not sampler.normalized and one in (WRAP, MIRROR) else one
        for one in sampler.modes()
    ]
    sizes = texels.shape[-2::-1]
    along = []
    for dimension, count in enumerate(sizes):
        x = at[:, dimension].astype(np.float64) * (count if sampler.normalized else 1)
        if sampler.filtered:
            steps = np.floor((x - 0.5) * 256 + 0.5)
            first, weight = np.floor(steps / 256), steps % 256 / 256
            along.append([(first, 1 - weight), (first + 1, weight)])
        else:
            along.append([(np.floor(x), np.ones(len(x)))])
    sum_of_all = np.zeros((len(at), texels.shape[-1]))
    for corner in itertools.product(*along):
        weight = np.prod([one[1] for one in corner], axis=0)
        index = [
            _inside(one[0].astype(int), n, mode)
            for one, n, mode in zip(corner, sizes, modes, strict=False)
        ]
        beyond = np.min(index, axis=0) < 0
        result = texels[tuple(np.maximum(one, 0) for one in index[::-1])]
        colour = border[: texels.shape[-1]]
        sum_of_all += weight[:, None] * np.where(beyond[:, None], colour, result)
    return sum_of_all


def channels(dtype: np.dtype, count: int) -> object:
    """The runtime's channel description for such texels."""
    bits = [8 * dtype.itemsize * (count > k) for k in range(4)]
    return cuda.checked.cudaCreateChannelDesc(*bits, "iuf".index(dtype.kind))


class Objects:
    """Objects made from texels; the end of the with-block destroys them."""

    def __init__(self) -> None:
        self._ends: list = []

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        PyGPU.cudaDeviceSynchronize()
        for end, handle in reversed(self._ends):
            end(handle)

    def array(self, texels: np.ndarray, flags: int = 0) -> object:
        """An array from texels [z, y, x, channel], or with fewer dimensions."""
        count, (width, *more) = texels.shape[-1], texels.shape[-2::-1]
        if flags & LAYERED and len(more) == 1:
            more = [0, *more]
        extent = (width, *more, 0, 0)[:3]
        created = cuda.checked.cudaMalloc3DArray(channels(texels.dtype, count), extent, flags)
        self._ends.append((cuda.cudaFreeArray, created))
        packed = np.ascontiguousarray(texels)
        pitch = width * count * packed.itemsize
        cuda.checked.cudaMemcpy3D(
            {
                "srcPtr": (packed.ctypes.data, pitch, width, max(extent[1], 1)),
                "dstArray": created,
                "extent": [max(one, 1) for one in extent],
                "kind": 1,
            }
        )
        return created

    def texture(self, resource: dict, sampler: Sampler | None = None) -> np.uint64:
        """A texture object, in the form that a kernel takes."""
        described = (sampler or Sampler()).described()
        created = cuda.checked.cudaCreateTextureObject(resource, described, None)
        self._ends.append((cuda.cudaDestroyTextureObject, created))
        return np.uint64(created)

    def surface(self, resource: dict) -> np.uint64:
        """A surface object."""
        created = cuda.checked.cudaCreateSurfaceObject(resource)
        self._ends.append((cuda.cudaDestroySurfaceObject, created))
        return np.uint64(created)


def of_array(array: object) -> dict:
    """The runtime's resource description of an array."""
    return {"resType": ARRAY, "res": {"array": {"array": array}}}


def of_linear(memory: PyGPU.GPUArray, count: int) -> dict:
    """Of linear memory with that number of channels."""
    described = channels(memory.dtype, count)
    linear = {"devPtr": memory.gpudata, "desc": described, "sizeInBytes": memory.nbytes}
    return {"resType": LINEAR, "res": {"linear": linear}}


def of_pitched(memory: PyGPU.GPUArray, width: int, height: int, count: int, pitch: int) -> dict:
    """Of rows `pitch` bytes apart."""
    pitched = {"devPtr": memory.gpudata, "desc": channels(memory.dtype, count), "width": width}
    return {
        "resType": PITCHED,
        "res": {"pitch2D": {**pitched, "height": height, "pitchInBytes": pitch}},
    }
