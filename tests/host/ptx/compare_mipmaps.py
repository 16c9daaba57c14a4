"""Compares what a card and the host runtime give for levels and cubes.

    python -m tests.host.ptx.compare_mipmaps FOLDER

Asks both the same questions, puts all answers into FOLDER/card.json and FOLDER/host.json, and
prints where they differ by more than `allowed`. With `keep` as second argument it asks nothing, but
puts some of FOLDER/card.json's answers beside the tests. Each question is about one thing that the
manuals leave open. Where each level has one colour, its number, the result shows the level of
detail. Where each texel has a channel of its own, the result shows the weights of filtering.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.host.ptx import mipmaps, textures
from tests.host.ptx.mipmaps import LevelSampler, Objects, Places
from tests.host.ptx.textures import BORDER, CLAMP, MIRROR, WRAP

Question = tuple[str, str, str, list[np.ndarray] | np.ndarray, LevelSampler, Places]
SHOWN = 8  # differences shown for each question
KEPT = pathlib.Path(__file__).parent / "mipmaps-h100.json"


def numbered(geometry: str, sizes: tuple[int, ...], layers: int = 0) -> list[np.ndarray]:
    """Levels of one colour each: the level's number."""
    shapes = mipmaps.shapes(geometry, sizes, layers, 4)
    return [np.full(shape, number, np.float32) for number, shape in enumerate(shapes)]


def random_levels(
    geometry: str, sizes: tuple[int, ...], dtype: str, layers: int = 0
) -> list[np.ndarray]:
    """Levels of random texels."""
    random, shapes = np.random.default_rng(1), mipmaps.shapes(geometry, sizes, layers, 4)
    if dtype[0] == "f":
        return [random.random(shape).astype(dtype) for shape in shapes]
    info = np.iinfo(dtype)
    return [random.integers(info.min, info.max, shape, dtype, endpoint=True) for shape in shapes]


def middle(count: int) -> np.ndarray:
    """The same place for all threads."""
    return np.full((count, 3), 0.4, np.float32)


def levels_of_detail() -> Iterator[Question]:
    """How a level of detail is rounded, biased and clamped."""
    sweep = np.concatenate(
        [np.arange(-1024, 8192, 3) / 1024, [-0.0, 1e9, -1e9, np.inf, -np.inf, np.nan]]
    )
    fine = np.concatenate(
        [base + np.arange(-40, 41) / 8192 for base in (0, 0.5, 1, 1.5, 2.25, 3.5)]
    )
    for filtered in (False, True):
        for mixes in (False, True):
            for full in (True, False):
                sampler = LevelSampler(WRAP, filtered, mixes_levels=mixes, fully_trilinear=full)
                name = f"level of detail, filtered {filtered:d} mixed {mixes:d} fully {full:d}"
                for part, level in (("sweep", sweep), ("fine", fine)):
                    places = Places(middle(len(level)), level=level.astype(np.float32))
                    yield (
                        f"{name}, {part}",
                        "by_level",
                        "2d",
                        numbered("2d", (64, 64)),
                        sampler,
                        places,
                    )
    some = np.array([-1, 0, 0.25, 0.5, 1, 1.75, 2.5, 4, 9], np.float32)
    for bias in (0, 0.3, -0.7, 1.5, 15.99, -16, 100, 0.001953125, 0.00390625):
        for clamped in (
            (0, 0),
            (0, 99),
            (0.3, 2.7),
            (1.501953125, 3),
            (3, 1),
            (-5, 2),
            (0.001953125, 99),
        ):
            for mixes in (False, True):
                sampler = LevelSampler(WRAP, True, mixes_levels=mixes, bias=bias, clamped=clamped)
                name = f"bias {bias} clamps {clamped} mixed {mixes:d}"
                places = Places(middle(len(some)), level=some)
                for kernel in ("by_level", "at_base"):
                    yield (
                        f"{name}, {kernel}",
                        kernel,
                        "2d",
                        numbered("2d", (64, 64)),
                        sampler,
                        places,
                    )
                arguments = np.zeros((len(some), 3), np.float32)
                arguments[:, 0] = 2**some / 64
                places = Places(middle(len(some)), by_x=arguments, by_y=arguments)
                yield (
                    f"{name}, gradients",
                    "by_gradients",
                    "2d",
                    numbered("2d", (64, 64)),
                    sampler,
                    places,
                )


def gradients() -> Iterator[Question]:
    """The level of detail from gradients: lengths, directions, logarithms, anisotropy."""
    for geometry, sizes, layers in (
        ("1d", (64,), 0), ("2d", (64, 64), 0), ("2d", (64, 16), 0), ("3d", (32, 32, 32), 0),
        ("a2d", (64, 64), 2), ("cube", (64, 64), 6), ("acube", (64, 64), 12),
    ):  # fmt: skip
        random = np.random.default_rng(2)
        count, size = 256, max(sizes)
        turns = np.linspace(0, 2 * np.pi, count)
        long = np.zeros((count, 3))
        long[:, 0] = 2 ** np.linspace(-2, 7, count) / size
        turned = np.stack([np.cos(turns), np.sin(turns), 0 * turns], 1) * 3 / size
        both = random.normal(size=(count, 3)) * 4 / size
        other = random.normal(size=(count, 3)) * 4 / size
        cube = "cube" in geometry
        at = random.normal(size=(count, 3)) if cube else middle(count)
        for name, by_x, by_y in (
            ("along x", long, long * 0), ("turned", turned, turned * 0.25), ("random", both, other),
            ("none", long * 0, long * 0), ("only by y", long * 0, long),
        ):  # fmt: skip
            for anisotropy in (0, 16) if geometry == "2d" and name != "none" else (0,):
                sampler = LevelSampler(
                    CLAMP if cube else WRAP, True, mixes_levels=True, anisotropy=anisotropy
                )
                places = Places(
                    at.astype(np.float32), 0, 0, by_x.astype(np.float32), by_y.astype(np.float32)
                )
                about = f"gradients of {geometry} {sizes}, {name}, anisotropy {anisotropy}"
                yield (
                    about,
                    "by_gradients",
                    geometry,
                    numbered(geometry, sizes, layers),
                    sampler,
                    places,
                )


def mixtures() -> Iterator[Question]:
    """How weights and sums are rounded between levels."""
    random = np.random.default_rng(6)
    for geometry, sizes in (("1d", (16,)), ("2d", (16, 16)), ("3d", (8, 8, 8))):
        for dtype in ("f4", "f2", "u1", "u2", "i1"):
            at = np.floor(random.random((400, 3)) * 4096) / 4096
            level = np.floor(random.random(400) * 3 * 256) / 256
            places = Places(at.astype(np.float32), level=level.astype(np.float32))
            levels = random_levels(geometry, sizes, dtype)
            for filtered, mixes in ((True, True), (False, True), (True, False)):
                sampler = LevelSampler(
                    WRAP, filtered, as_fraction=dtype[0] != "f", mixes_levels=mixes
                )
                name = f"mixture of {geometry} {dtype} filtered {filtered:d} mixed {mixes:d}"
                yield name, "by_level", geometry, levels, sampler, places


def faces_of(size: int) -> np.ndarray:
    """Texels that tell their place: face, row, column."""
    face, row, column = np.indices((6, size, size))
    return np.stack([face, row, column, face * 0 + 1], -1).astype(np.float32)


def cubes() -> Iterator[Question]:
    """Which face is read and where, and what lies beyond edges and corners."""
    values = (-1, -0.5, 0, 0.5, 1)
    grid = np.array([(x, y, z) for x in values for y in values for z in values], np.float32)
    odd = [np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38, 1]
    grid = np.concatenate([grid, [(x, y, z) for x in odd for y in odd for z in odd]]).astype(
        np.float32
    )
    random = np.random.default_rng(8)
    anywhere = random.normal(size=(400, 3)).astype(np.float32)
    near = 1 - random.uniform(0, 0.5, (400, 3)) * random.integers(0, 2, (400, 3))
    near = (near * random.choice([-1, 1], (400, 3))).astype(np.float32)
    for name, at in (
        ("edges and corners, odd numbers", grid),
        ("anywhere", anywhere),
        ("near edges", near),
    ):
        for filtered in (False, True):
            for seamless in (False, True):
                for address in (CLAMP, WRAP, MIRROR, BORDER):
                    for normalized in (True, False):
                        if (seamless or filtered or not normalized) and address in (WRAP, MIRROR):
                            continue
                        sampler = LevelSampler(
                            address, filtered, normalized, seamless=seamless, border=(9, 9, 9, 9)
                        )
                        about = f"cube, {name}, filtered {filtered:d} seamless {seamless:d}"
                        about += f" address {address} normalized {normalized:d}"
                        yield about, "at_base", "cube", faces_of(4), sampler, Places(at)
    # The weights of the three texels around each corner, and of the texels along an edge.
    for size in (1, 2, 4):
        for x in (-1, 1):
            for y in (-1, 1):
                for z in (-1, 1):
                    corner = np.array([x, y, z])
                    faces = np.zeros((6, size, size, 4), np.float32)
                    for axis in range(3):
                        inside = corner * (1 - 0.5 / size)
                        inside[axis] = corner[axis]
                        face, place = mipmaps.face_and_place(inside[None])
                        column, row = np.floor(place[0, :2] * size).astype(int)
                        faces[face[0], row, column, axis] = 1
                    steps = np.arange(0, 1.01, 0.125) / size
                    at = np.array([(x, y * (1 - a), z * (1 - b)) for a in steps for b in steps])
                    sampler = LevelSampler(CLAMP, True, seamless=True)
                    places = Places(at.astype(np.float32))
                    yield (
                        f"corner {corner} of size {size}",
                        "at_base",
                        "cube",
                        faces,
                        sampler,
                        places,
                    )
    for dtype in ("f4", "u1"):
        faces = random_levels("cube", (8, 8), dtype, 6)
        sampler = LevelSampler(
            CLAMP, True, as_fraction=dtype == "u1", mixes_levels=True, seamless=True
        )
        places = Places(near, level=(np.arange(400) % 7 / 2).astype(np.float32))
        yield f"cube with levels, {dtype}", "by_level", "cube", faces, sampler, places
    layers = np.arange(400) % 9 - 2
    yield (
        "cubes in layers",
        "at_base",
        "acube",
        random_levels("acube", (8, 8), "f4", 18)[0],
        LevelSampler(CLAMP, True, seamless=True),
        Places(anywhere, layers),
    )


QUESTIONS = (levels_of_detail, gradients, mixtures, cubes)
CUBE = ("cube", (8, 8), 6)
MISFITS = (  # what the instruction expects, and what the texture is
    ("cube", ("2d", (8, 8), 0)), ("2d", CUBE), ("a2d", CUBE), ("3d", CUBE), ("acube", CUBE),
    ("cube", ("acube", (8, 8), 12)), ("a2d", ("2d", (8, 8), 0)), ("2d", ("a2d", (8, 8), 3)),
    ("3d", ("2d", (8, 8), 0)), ("2d", ("3d", (8, 8, 8), 0)), ("1d", ("2d", (8, 8), 0)),
    ("2d", ("1d", (8,), 0)),
)  # fmt: skip


def misfits(module: PyGPU.Module) -> Iterator[tuple[str, list]]:
    """What an instruction for one geometry reads from a texture of another geometry."""
    random = np.random.default_rng(8)
    at = random.uniform(-1, 1, (64, 3)).astype(np.float32)
    turned = random.uniform(-1, 1, (2, 64, 3)).astype(np.float32)
    for asked, (geometry, sizes, layers) in MISFITS:
        levels = random_levels(geometry, sizes, "f4", layers)
        with Objects() as objects:
            mipmap = objects.mipmap(levels, geometry)
            texture = objects.texture(
                mipmaps.of_mipmap(mipmap), LevelSampler(CLAMP, True, mixes_levels=True)
            )
            for kernel in ("at_base", "by_level", "by_gradients"):
                places = Places(at, level=0.5)
                if kernel == "by_gradients":
                    places.by_x, places.by_y = turned
                got = mipmaps.run(module[kernel], texture, places, asked)
                yield f"{kernel} of {asked} in a texture of {geometry}", got.tolist()


def views(module: PyGPU.Module) -> Iterator[tuple[str, list]]:
    """What is read from some layers, also of cubes, and from four texels of a chosen level."""
    at = np.random.default_rng(9).uniform(-1, 1, (32, 3)).astype(np.float32)
    for geometry, layers in (("cube", 6), ("acube", 18), ("a2d", 9)):
        levels = random_levels(geometry, (8, 8), "f4", layers)
        with Objects() as objects:
            resource = mipmaps.of_mipmap(objects.mipmap(levels, geometry))
            for first, last, depth in (
                (0, 5, layers), (6, 11, layers), (3, 8, layers), (0, 11, layers), (0, 7, layers),
                (0, 3, layers), (2, 2, layers), (5, 4, layers), (0, 0, layers), (0, 0, 0),
                (0, 0, 1),
            ):  # fmt: skip
                view = {"format": 24, "width": 8, "height": 8, "depth": depth}
                view |= {"firstLayer": first, "lastLayer": last, "lastMipmapLevel": 3}
                described = LevelSampler(CLAMP, True).described()
                name = f"layers {first} to {last} of a texture of {geometry}"
                name += "" if depth == layers else f", depth {depth}"
                texture, error = cuda.cudaCreateTextureObject(resource, described, view)
                yield name, [f"error {int(error)}"]
                if error:
                    continue
                inside = first <= last < layers  # otherwise asking might end the process
                for asked in ("2d", "a2d", "cube", "acube") if inside else ():
                    # An H100 also reads cubes beyond the last one of the view.
                    cubes = max((last + 1 - first) // 6, 1) if asked == "acube" else 5
                    places = Places(at, np.arange(32) % cubes)
                    got = mipmaps.run(module["at_base"], np.uint64(texture), places, asked)
                    yield f"{name}, as {asked}", got.tolist()
                cuda.checked.cudaDestroyTextureObject(texture)
    levels = random_levels("2d", (16, 16), "f4")
    with Objects() as objects:
        resource = mipmaps.of_mipmap(objects.mipmap(levels, "2d"))
        for clamped, bias in (((0, 99), 0), ((2, 99), 0), ((0, 99), 2), ((1.5, 1.75), 0)):
            for mixes in (False, True):
                sampler = LevelSampler(WRAP, True, mixes_levels=mixes, clamped=clamped, bias=bias)
                texture = objects.texture(resource, sampler)
                got = mipmaps.run(module["gathers"], texture, Places(at), "2d")
                yield f"gather, clamps {clamped} bias {bias} mixed {mixes:d}", got.tolist()


def formats() -> Iterator[tuple[str, list]]:
    """Which channel descriptions arrays take, and which they report."""
    for bits in (
        (32, 32, 0, -1), (32, 0, 32, 0), (0, 32, 0, 0), (8, 8, 8, 0), (32, 32, 32, 0),
        (-1, 0, 0, 0), (32, 0, 0, 32),
        (16, 8, 0, 0), (64, 0, 0, 0), (24, 0, 0, 0), (32, -32, 0, 0), (8, 8, 0, 8), (0, 0, 0, 0),
        (1 << 16 | 32, 0, 0, 0), (32, 32, 32, 32), (16, 16, 16, 16),
    ):  # fmt: skip
        for kind in range(4):
            array, error = cuda.cudaMallocArray((*bits, kind), 8, 8, 0)
            reported = "" if error else str(cuda.checked.cudaGetChannelDesc(array))
            yield f"array of {bits}, kind {kind}", [f"error {int(error)}", reported]
            if not error:
                cuda.checked.cudaFreeArray(array)


def allowed(name: str) -> float:
    """The allowed distance from a card, for what isn't modelled, or not to the last bit."""
    if "anisotropy 16" in name:
        return np.inf
    if "gradients" in name:
        return 2 / 256  # a card's logarithms and lengths have few bits
    if "mixture" in name and " f2 " in name:
        return 2**-11  # a card's sums have few bits
    if "mixture" in name and " i1 " in name:
        return 1.1 / 32767
    return 1e-6


def answer(module: PyGPU.Module, question: Question, rows: np.ndarray | slice) -> list:
    """The answer of the active backend, at some of a question's places."""
    _, kernel, geometry, texels, sampler, places = question
    with Objects() as objects:
        levels = texels if isinstance(texels, list) else None
        array = objects.mipmap(levels, geometry) if levels else objects.cube(texels, geometry)
        of = mipmaps.of_mipmap if levels else textures.of_array
        texture = objects.texture(of(array), sampler)
        return mipmaps.run(module[kernel], texture, places, geometry)[rows].tolist()


def ask() -> dict[str, list]:
    """All answers of the active backend."""
    module = mipmaps.corpus()
    answers: dict[str, list] = {}
    for family in QUESTIONS:
        for question in family():
            try:
                answers[question[0]] = answer(module, question, slice(None))
            except PyGPU.GPUError as error:
                answers[question[0]] = [str(error)]
    answers.update(others(module))
    return answers


def others(module: PyGPU.Module) -> Iterator[tuple[str, list]]:
    """Answers to questions that don't run one kernel at many places."""
    yield from misfits(module)
    yield from views(module)
    yield from extents()
    yield from formats()


def rows_kept(count: int, most: int = 9) -> np.ndarray:
    """Which places of a question are kept."""
    return np.unique(np.linspace(0, count - 1, most).astype(int))


def few(answer: list) -> list:
    """A few of the results at many places. An API's answers are kept as they are."""
    many = isinstance(answer[0], list) and isinstance(answer[0][0], float)
    return [answer[k] for k in rows_kept(len(answer), 3)] if many else answer


def entry(name: str, answer: list) -> str:
    """A line of the file; its numbers are as short as a float's may be."""
    if isinstance(answer[0], list) and isinstance(answer[0][0], float):
        answer = [[float(f"{one:.8g}") for one in row] for row in answer]
    return f"  {json.dumps(name)}: {json.dumps(answer)}"


def keep(card: dict[str, list]) -> None:
    """Some of a card's answers for the tests; a third of the many biases and clamps."""
    questions = [one for family in QUESTIONS for one in family()]
    lines = []
    for number, (name, *_, places) in enumerate(questions):
        if allowed(name) < np.inf and (number % 3 == 0 or not name.startswith("bias")):
            lines.append(entry(name, [card[name][k] for k in rows_kept(len(places.at))]))
    known = {name for name, *_ in questions}
    lines += [entry(name, few(card[name])) for name in card if name not in known]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def extents() -> Iterator[tuple[str, list]]:
    """Which levels there are, and their extents."""
    described = textures.channels(np.dtype("f4"), 1)
    for extent, flags in (
        ((16, 0, 0), 0), ((16, 5, 0), 0), ((5, 16, 0), 0), ((3, 5, 20), 0), ((4, 0, 40), 1),
        ((4, 6, 40), 1), ((8, 8, 6), 4), ((8, 8, 60), 5), ((32768, 2, 0), 0), ((1, 1, 0), 0),
        ((2, 2, 64), 1),
    ):  # fmt: skip
        for count in (0, 1, 2, 99):
            matches: list = []
            mipmap, error = cuda.cudaMallocMipmappedArray(described, extent, count, flags)
            for level in range(40 if not error else 0):
                array, error = cuda.cudaGetMipmappedArrayLevel(mipmap, level)
                if error:
                    break
                _, has, reported = cuda.checked.cudaArrayGetInfo(array)
                matches.append([has.width, has.height, has.depth, int(reported)])
            yield (
                f"levels of {extent}, flags {flags}, {count} wanted",
                [*matches, f"error {int(error)}"],
            )
            if matches:
                cuda.checked.cudaFreeMipmappedArray(mipmap)


def inputs() -> dict[str, np.ndarray]:
    """The places where each question reads."""
    return {one[0]: one[-1].packed() for family in QUESTIONS for one in family()}


def show(name: str, card: list, host: list, arguments: np.ndarray | None) -> bool:
    """Print where two answers differ."""
    same_kind = all(isinstance(one[0], list) and len(one[0]) == 4 for one in (card, host))
    same_kind = same_kind and "levels of" not in name
    if not same_kind:
        if card != host:
            print(f"{name}:\n    card {str(card)[:600]}\n    host {str(host)[:600]}")
        return card != host
    theirs, ours = np.array(card, np.float64), np.array(host, np.float64)
    off = np.where(np.isnan(theirs) & np.isnan(ours), 0, np.abs(theirs - ours))
    off = np.where(np.isnan(off), np.inf, off).max(axis=1)
    where = np.flatnonzero(off > allowed(name))
    if not len(where):
        return False
    print(f"{name}: {len(where)} of {len(off)} differ, by up to {off.max():.6g}")
    for row in where[np.linspace(0, len(where) - 1, min(SHOWN, len(where))).astype(int)]:
        place = "" if arguments is None else ", ".join(f"{one:.9g}" for one in arguments[row])
        print(f"    at {place}\n        card {theirs[row].tolist()}")
        print(f"        host {ours[row].tolist()}")
    return True


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["keep"]:
        keep(json.loads((folder / "card.json").read_text()))
        return
    if len(sys.argv) > 2:
        (folder / f"{sys.argv[2]}.json").write_text(json.dumps(ask()) + "\n")
        return
    folder.mkdir(parents=True, exist_ok=True)
    backends = {"card": "cuda", "host": "host"}
    for name, backend in backends.items():
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
        environment["PYGPU_BACKEND"] = backend
        command = [sys.executable, "-m", "tests.host.ptx.compare_mipmaps", str(folder), name]
        subprocess.run(command, env=environment, check=True)
    card, host = (json.loads((folder / f"{name}.json").read_text()) for name in backends)
    arguments = inputs()
    differ = [name for name in card if show(name, card[name], host[name], arguments.get(name))]
    print(f"{len(card)} questions, {len(differ)} answered otherwise")


if __name__ == "__main__":
    main()
