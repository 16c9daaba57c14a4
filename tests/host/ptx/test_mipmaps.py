"""Levels of detail and cubes are read as the programming guide says.

A GPU runs the same kernels, where there is one, and the interpreter is compared with both.
"""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda, hip, host
from tests.host.ptx import mipmaps, textures
from tests.host.ptx.mipmaps import GEOMETRIES, LevelSampler, Objects, Places
from tests.host.ptx.textures import BORDER, CLAMP, MIRROR, WRAP
from tests.own_interpreter import own_interpreter

SIZES = {1: (21,), 2: (21, 10), 3: (13, 9, 6)}
WIDTH = 9  # the width of a cube's faces


@pytest.fixture(autouse=True)
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


def levels_of(geometry: str, dtype: str = "f4", count: int = 4) -> list[np.ndarray]:
    """Random texels of all levels."""
    random = np.random.default_rng(5)
    cube = "cube" in geometry
    sizes = (WIDTH, WIDTH) if cube else SIZES[mipmaps.DIMENSIONS[geometry]]
    layers = {"a1d": 3, "a2d": 3, "cube": 6, "acube": 12}.get(geometry, 0)
    levels = []
    for shape in mipmaps.shapes(geometry, sizes, layers, count):
        if dtype[0] == "f":
            levels.append(random.normal(size=shape).astype(dtype))
        else:
            info = np.iinfo(dtype)
            low = max(info.min, -info.max)
            levels.append(random.integers(low, info.max, shape, dtype, endpoint=True))
    return levels


def places_for(geometry: str, count: int = 320) -> Places:
    """Places in the texture and around it, or all directions; at and beyond the levels."""
    random = np.random.default_rng(3)
    if "cube" in geometry:
        at = random.normal(size=(count, 3))
    else:
        at = np.floor(random.uniform(-1, 2, (count, 3)) * 4096) / 4096 + 1 / 65536
    level = np.floor(random.uniform(-1.5, 6.5, count) * 256) / 256
    level[: count // 4] = np.floor(level[: count // 4])
    layer = np.arange(count) % 3 if geometry[0] == "a" else 0
    return Places(at.astype(np.float32), layer, level.astype(np.float32))


def bound_of(levels: list[np.ndarray], sampler: LevelSampler, geometry: str) -> float:
    """Weights are multiples of 1/256, and products of weights are rounded."""
    colours = np.append(textures.fractions(levels[0]), sampler.border)
    dimensions = max(mipmaps.DIMENSIONS[geometry], 1 + (sampler.modes()[1] == BORDER))
    rounded = dimensions - 1 if sampler.filtered else 0
    # A direction's division, and its product with a size, are computed in float.
    rounded += 1 if sampler.filtered and "cube" in geometry else 0
    rounded += 1 if sampler.mixes_levels else 0
    small = {"f4": 1e-6, "f2": 4e-3}.get(levels[0].dtype.str[1:], 1e-4)
    return small + rounded / 256 * np.ptp(colours)


@pytest.mark.parametrize("geometry", GEOMETRIES)
@own_interpreter("on_devices")
def test_levels_are_chosen_and_mixed(geometry):
    """With linear and nearest filtering within levels and between them, a bias, and clamps."""
    kernel, levels, places = mipmaps.corpus()["by_level"], levels_of(geometry), places_for(geometry)
    with Objects() as objects:
        mipmap = objects.mipmap(levels, geometry)
        modes = (CLAMP,) if "cube" in geometry else (WRAP, MIRROR, BORDER)
        for address, filtered, mixes, (bias, clamped) in itertools.product(
            modes, (False, True), (False, True), ((0.0, (0, 99)), (0.75, (0.5, 2.25)))
        ):
            border = (0.25, 0.5, -1.0, 3.0)
            sampler = LevelSampler(
                address, filtered, border=border, mixes_levels=mixes, bias=bias, clamped=clamped,
                seamless="cube" in geometry,
            )  # fmt: skip
            texture = objects.texture(mipmaps.of_mipmap(mipmap), sampler)
            got = mipmaps.run(kernel, texture, places, geometry)
            off = np.abs(got - mipmaps.read(levels, places, sampler, geometry)).max(axis=1)
            worst = off.argmax()
            reported = sampler, places.at[worst], places.level[worst], got[worst], off[worst]
            assert off[worst] <= bound_of(levels, sampler, geometry), reported


@pytest.mark.parametrize("kind", ["u1 4", "i1 1", "u2 2", "f2 1"])
@own_interpreter("on_devices")
def test_small_formats_are_mixed(kind):
    dtype, count = kind[:2], int(kind[3:])
    kernel, levels, places = (
        mipmaps.corpus()["by_level"],
        levels_of("2d", dtype, count),
        places_for("2d"),
    )
    with Objects() as objects:
        sampler = LevelSampler(WRAP, True, as_fraction=dtype[0] != "f", mixes_levels=True)
        texture = objects.texture(mipmaps.of_mipmap(objects.mipmap(levels, "2d")), sampler)
        got = mipmaps.run(kernel, texture, places, "2d")[:, :count]
        expected = mipmaps.read(levels, places, sampler, "2d")
        assert np.abs(got - expected).max() <= bound_of(levels, sampler, "2d")


@pytest.mark.parametrize("geometry", GEOMETRIES)
@own_interpreter("on_devices")
def test_gradients_choose_the_level(geometry):
    """By lengths, angle and, in cubes, faces. Within 3/256, as a card approximates them."""
    module, random, cube = mipmaps.corpus(), np.random.default_rng(4), "cube" in geometry
    count = 2 if cube else mipmaps.DIMENSIONS[geometry]
    sizes = (64, 64) if cube else {1: (64,), 2: (64, 16), 3: (64, 16, 32)}[count]
    # Each level has one colour, its number. So the value read is the level of detail.
    shapes = mipmaps.shapes(geometry, sizes, {"acube": 12, "cube": 6}.get(geometry, 3), 4)
    levels = [np.full(shape, number, np.float32) for number, shape in enumerate(shapes)]
    at = random.normal(size=(320, 3))
    places = Places((at / np.linalg.norm(at, axis=1, keepdims=True)).astype(np.float32))
    turned = random.normal(size=(2, 320, 3))
    turned *= 2 ** random.uniform(-7, -1, (1, 320, 1)) / np.linalg.norm(turned, axis=2)[..., None]
    turned[1, :160] *= 0.25
    places.by_x, places.by_y = turned.astype(np.float32)
    if cube:
        expected = mipmaps.level_of_directions(places, 64)
    else:
        in_texels = [one[:, :count] * sizes for one in (places.by_x, places.by_y)]
        expected = mipmaps.level_of(*in_texels, False)
    with Objects() as objects:
        sampler = LevelSampler(CLAMP, mixes_levels=True, seamless=cube)
        mipmap = mipmaps.of_mipmap(objects.mipmap(levels, geometry))
        texture = objects.texture(mipmap, sampler)
        got = mipmaps.run(module["by_gradients"], texture, places, geometry)[:, 0]
        off = np.abs(got - np.clip(expected, 0, len(levels) - 1))
        worst = off.argmax()
        reported = (
            places.at[worst],
            places.by_x[worst],
            places.by_y[worst],
            got[worst],
            expected[worst],
        )
        assert off[worst] <= 3 / 256, reported
        # Without gradients the first level that may be read counts, whatever the bias.
        texture = objects.texture(mipmap, LevelSampler(CLAMP, bias=2.0, clamped=(1.0, 9.0)))
        places.by_x = None
        got = mipmaps.run(module["at_base"], texture, places, geometry)
        assert np.array_equal(got, np.ones_like(got))


@own_interpreter("on_devices")
def test_results_are_those_of_an_h100():
    """A few answers for each of hundreds of questions: levels, gradients, cubes, views, etc."""
    from tests.host.ptx import compare_mipmaps

    module, kept = mipmaps.corpus(), json.loads(compare_mipmaps.KEPT.read_text())
    asked = {one[0]: one for family in compare_mipmaps.QUESTIONS for one in family()}
    for name, answers in kept.items():
        if name not in asked:
            continue
        rows = compare_mipmaps.rows_kept(len(asked[name][-1].at))
        got = np.array(compare_mipmaps.answer(module, asked[name], rows), np.float64)
        off = np.abs(got - np.array(answers, np.float64)).max(axis=1)
        allowed = compare_mipmaps.allowed(name)
        assert off.max() <= allowed, (name, asked[name][-1].packed()[rows][off.argmax()], off.max())
    for name, answer in compare_mipmaps.others(module):
        assert not compare_mipmaps.show(name, kept[name], compare_mipmaps.few(answer), None)


def directions(geometry: str) -> Places:
    """All directions, and directions across a cube's edges and corners."""
    random = np.random.default_rng(9)
    at = random.normal(size=(400, 3))
    near = 1 - random.uniform(0, 2 / WIDTH, (400, 3))
    near *= random.choice([-1, 1], (400, 3))
    near[:200, 0] = random.uniform(-1, 1, 200)  # across edges; the others across corners
    return Places(np.concatenate([at, near]).astype(np.float32), np.arange(800) % 3)


@pytest.mark.parametrize("geometry", ["cube", "acube"])
@own_interpreter("on_devices")
def test_cubes_are_read_in_directions(geometry):
    """The largest component selects the face. The sampler decides about edges: seams or modes."""
    kernel, texels, places = (
        mipmaps.corpus()["at_base"],
        levels_of(geometry)[0],
        directions(geometry),
    )
    with Objects() as objects:
        cube = objects.cube(texels, geometry)
        for filtered, seamless, address in (
            (False, False, CLAMP), (False, True, BORDER), (True, False, CLAMP),
            (True, False, BORDER), (True, True, CLAMP),
        ):  # fmt: skip
            border = (0.25, 0.5, -1.0, 3.0)
            sampler = LevelSampler(address, filtered, border=border, seamless=seamless)
            texture = objects.texture(textures.of_array(cube), sampler)
            got = mipmaps.run(kernel, texture, places, geometry)
            expected = mipmaps.read([texels], places, sampler, geometry)
            off = np.abs(got - expected).max(axis=1)
            worst = off.argmax()
            reported = sampler, places.at[worst], got[worst], expected[worst]
            assert off[worst] <= bound_of([texels], sampler, geometry), reported


@pytest.mark.parametrize("geometry", GEOMETRIES)
@own_interpreter("on_devices")
def test_levels_are_arrays(geometry):
    """Copies and surfaces read and write each level, which has the right extents."""
    module, levels = mipmaps.corpus(), levels_of(geometry)
    kind = np.int32(GEOMETRIES.index(geometry))
    with Objects() as objects:
        mipmap = objects.mipmap(levels, geometry, textures.SURFACE)
        for number, texels in enumerate(levels):
            array = cuda.checked.cudaGetMipmappedArrayLevel(mipmap, number)
            _, extent, flags = cuda.checked.cudaArrayGetInfo(array)
            sizes = [extent.width, extent.height, extent.depth]
            assert [one for one in sizes if one] == list(texels.shape[-2::-1])
            assert flags & 7 == textures.SURFACE | mipmaps.FLAGS.get(geometry, 0)
            back = np.zeros_like(texels)
            mipmaps.fill(array, back, geometry, back=True)
            assert np.array_equal(back, texels)
            if geometry == "a1d":
                continue  # the kernel can't read these
            width, height, depth = (*texels.shape[-2::-1], 1, 1)[:3]
            out = PyGPU.to_gpu(np.zeros((width * height * depth, 4), np.float32))
            surface = objects.surface(textures.of_array(array))
            arguments = (surface, out, np.int32(width), np.int32(height), np.int32(depth), kind)
            for expected in (texels.reshape(-1, 4), None):
                module["through_surface"](*arguments, grid=-(-len(out) // 64), block=64)
                if expected is None:
                    expected = np.tile(np.float32([0, 1, 2, 3]), (len(out), 1))
                    expected[:, 0] = np.arange(len(out))
                assert np.array_equal(out.get(), expected), number
        for past in (len(levels), 99):
            assert cuda.cudaGetMipmappedArrayLevel(mipmap, past)[-1] == 1


@own_interpreter("on_host")
def test_the_number_of_levels_is_told():
    with Objects() as objects:
        mipmap = objects.mipmap(levels_of("2d"), "2d")
        out = PyGPU.to_gpu(np.zeros(1, np.int32))
        texture = objects.texture(mipmaps.of_mipmap(mipmap), LevelSampler())
        mipmaps.corpus()["count_levels"](texture, out, block=1)
        assert out.get()[0] == 5
        reported = cuda.checked.cudaGetTextureObjectResourceDesc(int(texture))
        assert (reported.resType, int(reported.res.mipmap.mipmap)) == (
            mipmaps.MIPMAPPED,
            int(mipmap),
        )


@own_interpreter("on_devices")
def test_a_view_shows_some_levels_and_layers():
    """A view's first level and layer count as 0 in it. Clamps count from there."""
    levels = levels_of("a2d")
    kernel, places = mipmaps.corpus()["by_level"], places_for("a2d")
    view = {"format": 24, "width": 21, "height": 10, "depth": 3}
    view |= {"firstMipmapLevel": 1, "lastMipmapLevel": 2, "firstLayer": 1, "lastLayer": 2}
    with Objects() as objects:
        mipmap = objects.mipmap(levels, "a2d")
        sampler = LevelSampler(WRAP, True, mixes_levels=True, clamped=(0.25, 99))
        resource = mipmaps.of_mipmap(mipmap)
        texture = cuda.checked.cudaCreateTextureObject(resource, sampler.described(), view)
        got = mipmaps.run(kernel, np.uint64(texture), places, "a2d")
        reported = cuda.checked.cudaGetTextureObjectResourceViewDesc(texture)
        cuda.checked.cudaDestroyTextureObject(texture)
        seen = [one[1:] for one in levels[1:3]]
        expected = mipmaps.read(seen, places, sampler, "a2d")
        assert np.abs(got - expected).max() <= bound_of(levels, sampler, "a2d")
        assert {name: int(getattr(reported, name)) for name in view} == view


@own_interpreter("on_host")
def test_the_drivers_mipmapped_arrays_are_read_too():
    levels, places = levels_of("2d"), places_for("2d")
    cu.checked.cuInit(0)
    cu.checked.cuCtxSetCurrent(cu.checked.cuDevicePrimaryCtxRetain(0))
    wanted = {"Width": 21, "Height": 10, "Format": cu.CU_AD_FORMAT_FLOAT, "NumChannels": 4}
    mipmap = cu.checked.cuMipmappedArrayCreate(wanted, 99)
    for number, texels in enumerate(levels):
        array = cu.checked.cuMipmappedArrayGetLevel(mipmap, number)
        reported = cu.checked.cuArrayGetDescriptor(array)
        assert (reported.Height, reported.Width) == texels.shape[:2]
        mipmaps.fill(cuda.cudaArray_t(int(array)), texels, "2d")
    assert cu.cuMipmappedArrayGetLevel(mipmap, len(levels))[-1] == 1
    sampler = LevelSampler(WRAP, True, mixes_levels=True, bias=0.5)
    drivers = {"addressMode": [WRAP] * 3, "filterMode": 1, "mipmapFilterMode": 1, "flags": 2 | 0x20}
    drivers |= {"mipmapLevelBias": 0.5, "maxMipmapLevelClamp": 99}
    resource = {"resType": 1, "res": {"mipmap": {"hMipmappedArray": mipmap}}}
    texture = cu.checked.cuTexObjectCreate(resource, drivers, None)
    reported = cu.checked.cuTexObjectGetTextureDesc(texture)
    assert (reported.flags & 0x22, reported.mipmapFilterMode, reported.mipmapLevelBias) == (
        0x22,
        1,
        0.5,
    )
    reported = cu.checked.cuTexObjectGetResourceDesc(texture)
    assert int(reported.res.mipmap.hMipmappedArray) == int(mipmap)
    got = mipmaps.run(mipmaps.corpus()["by_level"], np.uint64(texture), places, "2d")
    expected = mipmaps.read(levels, places, sampler, "2d")
    assert np.abs(got - expected).max() <= bound_of(levels, sampler, "2d")
    cu.checked.cuTexObjectDestroy(texture)
    cu.checked.cuMipmappedArrayDestroy(mipmap)


@own_interpreter("on_host", PYGPU_HOST_STRICT="0")
def test_levels_end_with_the_mipmapped_array():
    """Freeing a level does nothing.

    After the array is freed, neither a level nor a texture is usable.
    """
    kernel, levels, places = mipmaps.corpus()["by_level"], levels_of("2d"), places_for("2d")
    objects = Objects()
    mipmap = objects.mipmap(levels, "2d")
    level = cuda.checked.cudaGetMipmappedArrayLevel(mipmap, 1)
    assert int(level) == int(cuda.checked.cudaGetMipmappedArrayLevel(mipmap, 1))
    used = PyGPU.checked.cudaMemGetInfo()[0]
    assert cuda.cudaFreeArray(level) == 0
    assert "cudaMallocMipmappedArray" in host.leaks()
    texture = cuda.checked.cudaCreateTextureObject(
        mipmaps.of_mipmap(mipmap), LevelSampler().described(), None
    )
    cuda.checked.cudaFreeMipmappedArray(mipmap)
    assert PyGPU.checked.cudaMemGetInfo()[0] > used and not host.leaks()
    assert cuda.cudaArrayGetInfo(level)[-1] == 709
    assert cuda.cudaGetMipmappedArrayLevel(mipmap, 0)[-1] == 709
    assert cuda.cudaFreeMipmappedArray(mipmap) == 709
    with host.reports() as reports:
        mipmaps.launch(kernel, np.uint64(texture), places, "2d")
        assert PyGPU.cudaDeviceSynchronize() == 700
    assert any("stands for an array that was freed" in one for one in reports)
    assert PyGPU.cudaDeviceReset() == 0


@own_interpreter("on_host")
def test_hip_has_none_on_linux():
    """AMD's runtime on Linux has none, but checks some arguments first."""
    format_ = hip.checked.hipCreateChannelDesc(32, 0, 0, 0, 2)
    assert hip.hipMallocMipmappedArray(format_, (8, 8, 0), 4, 0)[-1] == 801
    assert hip.hipFreeMipmappedArray(None) == 1
    assert hip.hipGetMipmappedArrayLevel(None, 0)[-1] == 400


@own_interpreter("on_hip")
def test_portable_names_have_none_on_hip():
    """They answer as AMD's runtime on Linux does."""
    channels = PyGPU.checked.cudaCreateChannelDesc(32, 0, 0, 0, 2)
    assert PyGPU.cudaMallocMipmappedArray(channels, (8, 8, 0), 2, 0)[-1] == 801
    assert PyGPU.cudaGetMipmappedArrayLevel(None, 0)[-1] == 400
    assert PyGPU.cudaFreeMipmappedArray(None) == 1
