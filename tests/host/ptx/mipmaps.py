"""Mipmapped and cube textures for tests: a model of how they are read, in numpy, and objects.

The model: CUDA C++ Programming Guide, "Texture Fetching" and "Cubemap Textures". `texels` of a
level are [z, y, x, channel]. What the guide leaves open is as an H100 does it: a level of detail,
its bias and its clamps lose what is smaller than 1/256; where components of a direction are equal,
z counts before y before x; gradients are measured as `length_of` and `level_of` say. Beyond the
edge of a face lies the next face, beyond a corner the mean of its three texels (OpenGL 4.6,
"Seamless Cube Map Filtering"). Weights are exact here: a card rounds them.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.host.ptx import textures

CUBEMAP, MIPMAPPED = 4, 1
GEOMETRIES = ("1d", "2d", "3d", "a1d", "a2d", "cube", "acube")
FLAGS = {"a1d": 1, "a2d": 1, "cube": CUBEMAP, "acube": CUBEMAP | 1}
DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 2, "acube": 2}

# For each face, +x, -x, +y, -y, +z, -z: its axis, then the axes along which s and t run, with
# signs.
FACES = (
    ((0, 1), (2, -1), (1, -1)), ((0, -1), (2, 1), (1, -1)), ((1, 1), (0, 1), (2, 1)),
    ((1, -1), (0, 1), (2, -1)), ((2, 1), (0, 1), (1, -1)), ((2, -1), (0, -1), (1, -1)),
)  # fmt: skip


@dataclass
class LevelSampler(textures.Sampler):
    """How a texture with levels, or a cube, is read."""

    normalized: bool = True
    mixes_levels: bool = False
    bias: float = 0.0
    clamped: tuple[float, float] = (0.0, 99.0)
    seamless: bool = False
    fully_trilinear: bool = True
    anisotropy: int = 0

    def described(self) -> dict:
        """The runtime's descriptor."""
        return {
            **super().described(),
            "mipmapFilterMode": int(self.mixes_levels),
            "mipmapLevelBias": self.bias,
            "minMipmapLevelClamp": self.clamped[0],
            "maxMipmapLevelClamp": self.clamped[1],
            "seamlessCubemap": int(self.seamless),
            "disableTrilinearOptimization": int(self.fully_trilinear),
            "maxAnisotropy": self.anisotropy,
        }


class Objects(textures.Objects):
    """The objects of textures.py, and mipmapped arrays."""

    def mipmap(self, levels: list[np.ndarray], geometry: str, flags: int = 0) -> object:
        """A mipmapped array from the texels of its levels."""
        first = levels[0]
        count, (width, *more) = first.shape[-1], first.shape[-2::-1]
        if geometry == "a1d":
            more = [0, *more]
        extent = (width, *more, 0, 0)[:3]
        flags |= FLAGS.get(geometry, 0)
        described = textures.channels(first.dtype, count)
        created = cuda.checked.cudaMallocMipmappedArray(described, extent, len(levels), flags)
        self._ends.append((cuda.cudaFreeMipmappedArray, created))
        for number, texels in enumerate(levels):
            fill(cuda.checked.cudaGetMipmappedArrayLevel(created, number), texels, geometry)
        return created

    def cube(self, texels: np.ndarray, geometry: str, flags: int = 0) -> object:
        """An array from faces."""
        return self.array(texels, FLAGS[geometry] | flags)


def fill(array: object, texels: np.ndarray, geometry: str, back: bool = False) -> None:
    """Copy texels into an array, or from an array."""
    width, *more = texels.shape[-2::-1]
    rows, slices = (1, *more) if geometry == "a1d" else (*more, 1, 1)[:2]
    pitch = width * texels.shape[-1] * texels.itemsize
    packed = np.ascontiguousarray(texels)
    copy = {"extent": (width, rows, slices), "kind": 2 if back else 1}
    memory = (packed.ctypes.data, pitch, width, rows)
    copy |= {"srcArray": array, "dstPtr": memory} if back else {"srcPtr": memory, "dstArray": array}
    cuda.checked.cudaMemcpy3D(copy)
    if back:
        texels[...] = packed


def of_mipmap(mipmap: object) -> dict:
    """The runtime's resource description of a mipmapped array."""
    return {"resType": MIPMAPPED, "res": {"mipmap": {"mipmap": mipmap}}}


def shapes(geometry: str, sizes: tuple[int, ...], layers: int, count: int) -> list[tuple[int, ...]]:
    """The shapes of all levels: extents are halved, layers are not."""
    created = []
    for level in range(max(sizes).bit_length()):
        own = [max(one >> level, 1) for one in sizes]
        created.append((*([layers] if FLAGS.get(geometry) else []), *own[::-1], count))
    return created


@dataclass
class Places:
    """Where kernels read: coordinates, layers, and gradients or levels of detail."""

    at: np.ndarray
    layer: np.ndarray | int = 0
    level: np.ndarray | float = -np.inf  # -inf: the first level that may be read
    by_x: np.ndarray | None = None
    by_y: np.ndarray | None = None

    def packed(self) -> np.ndarray:
        """The same, as the kernels take it."""
        result = np.zeros((len(self.at), 12), np.float32)
        result[:, :3], result[:, 3], result[:, 4] = self.at, self.layer, self.level
        if self.by_x is not None:
            result[:, 4:7], result[:, 8:11] = self.by_x, self.by_y
        return result


def corpus() -> PyGPU.Module:
    """The kernels."""
    source = (pathlib.Path(__file__).parent / "corpus" / "mipmaps.cu").read_text()
    return PyGPU.Module(PyGPU.compiler.compile(source, [], "compute_80", cache=False))


def run(kernel: object, texture: np.uint64, places: Places, geometry: str) -> np.ndarray:
    """What a kernel reads at the places."""
    return launch(kernel, texture, places, geometry).get()


def launch(kernel: object, texture: np.uint64, places: Places, geometry: str) -> PyGPU.GPUArray:
    """Launch a kernel, and give the memory for its results."""
    packed = places.packed()
    out = PyGPU.to_gpu(np.full((len(packed), 4), np.nan, np.float32))
    kind = np.int32(GEOMETRIES.index(geometry))
    arguments = (texture, PyGPU.to_gpu(packed), out, np.int32(len(packed)), kind)
    kernel(*arguments, grid=-(-len(packed) // 64), block=64)
    return out


def face_and_place(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The faces that the directions meet, and where on the face, from 0 to 1."""
    direction = direction.astype(np.float32)
    size = np.abs(direction)
    axis = 2 - np.argmax(size[:, ::-1], axis=1)
    rows = np.arange(len(direction))
    face = 2 * axis + (direction[rows, axis] < 0)
    place = np.zeros((len(direction), 3), np.float32)
    for number, (_, *others) in enumerate(FACES):
        mine = face == number
        for k, (along, sign) in enumerate(others):
            most = size[mine, FACES[number][0][0]]
            place[mine, k] = (np.float32(sign) * direction[mine, along] / most + 1) / 2
    return face, place


def with_edges(faces: np.ndarray) -> np.ndarray:
    """Faces [face, y, x, channel] with one more texel around each, taken from beyond the edge."""
    n = faces.shape[1]
    result = np.zeros((6, n + 2, n + 2, faces.shape[-1]))
    result[:, 1:-1, 1:-1] = faces
    middle = (2 * np.arange(n) + 1 - n) / n
    for face, ((axis, sign), (s_axis, s_sign), (t_axis, t_sign)) in enumerate(FACES):
        for beyond in (0, n + 1):
            for along_s in (True, False):
                # A little beyond the edge, in the middle of each texel there.
                out = np.full(n, (-1 if beyond == 0 else 1) * (1 + 0.5 / n))
                s, t = (out, middle) if along_s else (middle, out)
                vector = np.zeros((n, 3))
                vector[:, axis], vector[:, s_axis], vector[:, t_axis] = sign, s_sign * s, t_sign * t
                other, place = face_and_place(vector)
                # Along the edge the next face has the same number of texels. Across it, its first
                # one counts.
                index = np.clip(np.floor(place * n).astype(int), 0, n - 1)
                texels = faces[other, index[:, 1], index[:, 0]]
                if along_s:
                    result[face, 1:-1, beyond] = texels
                else:
                    result[face, beyond, 1:-1] = texels
        for y, x in ((0, 0), (0, n + 1), (n + 1, 0), (n + 1, n + 1)):
            iy, ix = min(max(y, 1), n), min(max(x, 1), n)
            result[face, y, x] = (
                result[face, iy, ix] + result[face, y, ix] + result[face, iy, x]
            ) / 3
    return result


def read_cube(faces: np.ndarray, places: Places, sampler: LevelSampler) -> np.ndarray:
    """What a cube of [face, y, x, channel] gives in the directions."""
    face, place = face_and_place(places.at)
    result = np.zeros((len(face), faces.shape[-1]))
    plain = LevelSampler(sampler.address, sampler.filtered, border=sampler.border)
    if sampler.seamless:
        plain.address = textures.CLAMP
    seen = textures.fractions(faces)
    if sampler.seamless and sampler.filtered:
        seen, n = with_edges(seen), faces.shape[1]
        place[:, :2] = (place[:, :2] * n + 1) / (n + 2)
    for number in range(6):
        mine = face == number
        result[mine] = textures.read(seen[number], place[mine], plain)
    return result


def read_level(
    texels: np.ndarray, places: Places, sampler: LevelSampler, geometry: str
) -> np.ndarray:
    """What one level gives."""
    if not FLAGS.get(geometry):
        return textures.read(*textures.as_row(texels, places.at, sampler), sampler)
    result = np.zeros((len(places.at), texels.shape[-1]))
    cube = FLAGS[geometry] & CUBEMAP
    last = len(texels) // (6 if cube else 1) - 1
    layer = np.clip(np.broadcast_to(places.layer, len(result)), 0, last)
    for number in range(last + 1):
        mine = layer == number
        there = Places(places.at[mine])
        result[mine] = (
            read_cube(texels[6 * number : 6 * number + 6], there, sampler)
            if cube
            else textures.read(texels[number], there.at, sampler)
        )
    return result


def read(
    levels: list[np.ndarray], places: Places, sampler: LevelSampler, geometry: str
) -> np.ndarray:
    """What a texture with levels gives."""
    level = np.broadcast_to(np.asarray(places.level, np.float64), len(places.at))
    steps = np.floor(level * 256) + np.trunc(sampler.bias * 256)
    steps = np.clip(steps, *np.trunc(np.multiply(sampler.clamped, 256)))
    steps = np.clip(steps, 0, 256 * (len(levels) - 1)).astype(int)
    if not sampler.mixes_levels:
        steps = (steps + 128) // 256 * 256
    each = np.stack([read_level(one, places, sampler, geometry) for one in [*levels, levels[-1]]])
    rows, first, weight = np.arange(len(level)), steps // 256, (steps % 256 / 256)[:, None]
    return each[first, rows] * (1 - weight) + each[first + 1, rows] * weight


def length_of(vectors: np.ndarray) -> np.ndarray:
    """The lengths of vectors, as a card computes them from components: the first counts most."""
    ordered = np.sort(np.abs(vectors), axis=1)[:, ::-1]
    return ordered @ [1, 11 / 32, 1 / 4][: vectors.shape[1]]


def level_of(by_x: np.ndarray, by_y: np.ndarray, leaves_face: np.ndarray | bool) -> np.ndarray:
    """The level of detail from gradients in texels: a pixel's sides, its shortened diagonals."""
    sides = np.maximum(length_of(by_x), length_of(by_y))
    diagonals = 11 / 16 * np.maximum(length_of(by_x + by_y), length_of(by_x - by_y))
    return np.log2(np.where(leaves_face, sides, np.maximum(sides, diagonals)))


def seen_from(face: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors along a face's s and t, and away from the cube's middle."""
    result = np.zeros((len(vectors), 3))
    for number, (depth, *others) in enumerate(FACES):
        mine = face == number
        for k, (along, sign) in enumerate((*others, depth)):
            result[mine, k] = sign * vectors[mine, along]
    return result


def unfolded(face: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where vectors meet a cube whose next faces lie in the plane of `face`, and which leave it."""
    seen = seen_from(face, vectors)
    far, depth = np.abs(seen[:, :2]), seen[:, 2]
    projected = seen[:, :2] / depth[:, None]
    leaves = far.max(axis=1) > depth
    over = np.argmax(far, axis=1)
    rows = np.flatnonzero(leaves)
    across = over[rows]
    longest = far[rows, across]
    projected[rows] = seen[rows, :2] / longest[:, None]
    projected[rows, across] *= 2 - depth[rows] / longest
    return projected, leaves


def level_of_directions(places: Places, size: int) -> np.ndarray:
    """The level of detail from a direction's gradients: how far away the neighbours' places are."""
    at, (face, _) = places.at.astype(np.float64), face_and_place(places.at)
    here, _ = unfolded(face, at)
    moved = [unfolded(face, at + one) for one in (places.by_x, places.by_y)]
    by_x, by_y = ((place - here) * size / 2 for place, _ in moved)
    return level_of(by_x, by_y, moved[0][1] | moved[1][1])
