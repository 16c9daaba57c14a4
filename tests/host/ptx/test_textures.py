"""Textures and surfaces are read as the programming guide says, and faults are reported by name.

A GPU runs the same kernels, where there is one, and the interpreter is compared with both.
"""

from __future__ import annotations

import itertools
import json
import pathlib
import re

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda, hip, host
from tests.host.ptx import textures
from tests.host.ptx.textures import BORDER, CLAMP, MIRROR, WRAP, Objects, Sampler
from tests.own_interpreter import own_interpreter

HERE = pathlib.Path(__file__).parent
SIZES = (13, 9, 5)  # x, y, z
MODES = (WRAP, CLAMP, MIRROR, BORDER)


@pytest.fixture(autouse=True)
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


def corpus() -> PyGPU.Module:
    source = (HERE / "corpus" / "textures.cu").read_text()
    return PyGPU.Module(PyGPU.compiler.compile(source, [], "compute_80", cache=False))


def texels_of(dtype: str, count: int, *sizes: int) -> np.ndarray:
    """Random texels, [z, y, x, channel]."""
    random = np.random.default_rng(7)
    shape = (*reversed(sizes), count)
    if np.dtype(dtype).kind == "f":
        return random.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(max(info.min, -info.max), info.max, shape, dtype, endpoint=True)


def places(normalized: bool) -> np.ndarray:
    """Places in the texture, around it and far away; multiples of 1/256 where filtering rounds."""
    random = np.random.default_rng(11)
    at = np.floor(random.uniform(-1.5, 2.5, (320, 3)) * SIZES * 256) / 256 + 1 / 1024
    at[-3:] = [[1e6, 0.6, 0.6], [0.6, -1e6, 0.6], [-1e6, 1e6, 1e5]]
    return (at / SIZES if normalized else at).astype(np.float32)


def run(kernel, texture: np.uint64, at: np.ndarray, kind: int) -> np.ndarray:
    out = PyGPU.to_gpu(np.full((len(at), 4), np.nan, np.float32))
    arguments = (texture, PyGPU.to_gpu(at), out, np.int32(len(at)), np.int32(kind))
    kernel(*arguments, grid=-(-len(at) // 64), block=64)
    return out.get()


@pytest.mark.parametrize(
    "kind", ["f4 1", "f4 2", "f4 4", "f2 1", "f2 4", "u1 4", "i1 1", "u2 1", "i2 2"]
)
@own_interpreter("on_devices")
def test_addressing_and_filtering(kind):
    dtype, count = kind[:2], int(kind[3:])
    kernel = corpus()["by_dimensions"]
    border = (0.25, 0.5, -1.0, 3.0)
    for dimensions in (1, 2, 3):
        texels = texels_of(dtype, count, *SIZES[:dimensions])
        whole = np.dtype(dtype).kind != "f"
        with Objects() as objects:
            array = objects.array(texels)
            for address, filtered, normalized in itertools.product(MODES, (0, 1), (0, 1)):
                sampler = Sampler(address, bool(filtered), bool(normalized), whole, border)
                at = places(sampler.normalized)
                got = run(
                    kernel, objects.texture(textures.of_array(array), sampler), at, dimensions
                )
                seen, there = textures.as_row(texels, at, sampler)
                expected = textures.read(seen, there, sampler)
                here = (dtype, dimensions, sampler)
                assert np.array_equal(got[:, count:], np.zeros((len(at), 4 - count))), here
                # Weights are multiples of 1/256, and small formats have few bits.
                colours = np.append(
                    textures.fractions(texels), textures.border_of(sampler, texels.dtype)[:count]
                )
                bound = {"f4": 5e-7, "f2": 2e-3}.get(dtype, 4e-5 if filtered else 1e-7)
                bound += (seen.ndim - 2) / 256 * np.ptp(colours) if filtered else 0
                assert np.abs(got[:, :count] - expected).max() <= bound, here


@pytest.mark.parametrize("modes", [(3, 3, 1), (3, 1, 3), (1, 3, 1), (3, 1, 1)], ids=str)
@own_interpreter("on_devices")
def test_a_line_has_a_border_above_it_where_the_second_mode_says_so(modes):
    """This holds whatever the other two modes are."""
    texels, kernel = texels_of("f4", 1, SIZES[0]), corpus()["by_dimensions"]
    with Objects() as objects:
        array = objects.array(texels)
        for normalized in (False, True):
            sampler = Sampler(modes, True, normalized, border=(2.0, 0.0, 0.0, 0.0))
            at = places(normalized)
            got = run(kernel, objects.texture(textures.of_array(array), sampler), at, 1)
            expected = textures.read(*textures.as_row(texels, at, sampler), sampler)
            off = np.abs(got[:, :1] - expected)
            bound = 5e-7 + (modes[1] == BORDER) / 256 * np.ptp(np.append(texels, 2))
            assert off.max() <= bound, (sampler, at[off.argmax()], got[off.argmax()])


@own_interpreter("on_devices")
def test_results_are_those_of_an_h200():
    """Four formats, bit by bit: how weights are rounded, and to what sums are rounded."""
    kernel = corpus()["by_dimensions"]
    with Objects() as objects:
        for one in json.loads((HERE / "textures-h200.json").read_text()):
            sizes = SIZES[: one["dimensions"]]
            texels = np.array(one["texels"], one["dtype"]).reshape(*sizes[::-1], -1)
            sampler = Sampler(one["address"], True, one["normalized"], True, (0.25, 0.5, -1.0, 3.0))
            at = np.array(one["at"], np.float32)
            texture = objects.texture(textures.of_array(objects.array(texels)), sampler)
            got = run(kernel, texture, at, len(sizes))[:, : texels.shape[-1]]
            most = 65535 if one["dtype"][0] == "u" else 32767
            results = np.rint(got.astype(np.float64) * most).astype(int)
            assert results.tolist() == one["results"], one["about"]


@own_interpreter("on_devices")
def test_texels_come_as_they_are():
    """Integers and floats of one, two and four channels, of arrays, pitched and linear memory."""
    module = corpus()
    kinds = ["char i1 1", "uchar2 u1 2", "uchar4 u1 4", "short i2 1", "ushort2 u2 2", "short4 i2 4"]
    kinds += ["int i4 1", "uint2 u4 2", "int4 i4 4", "float f4 1", "float2 f4 2", "float4 f4 4"]
    width, height = 7, 5
    for name, dtype, count in map(str.split, kinds):
        count = int(count)
        texels = texels_of(dtype, count, width, height)
        out = PyGPU.to_gpu(np.zeros_like(texels))
        rows = np.zeros((height, 128 // texels.itemsize), dtype)
        rows[:, : width * count] = texels.reshape(height, -1)
        memory, flat = PyGPU.to_gpu(rows), PyGPU.to_gpu(texels)
        with Objects() as objects:
            for resource in (
                textures.of_array(objects.array(texels)),
                textures.of_pitched(memory, width, height, count, 128),
            ):
                out.set(np.zeros_like(texels))
                read = module[f"read_{name}"]
                read(objects.texture(resource), out, np.int32(width), np.int32(height), block=64)
                assert np.array_equal(out.get(), texels), (name, resource)
            # Beyond the ends of linear memory there are zeros.
            texture = objects.texture(textures.of_linear(flat, count))
            module[f"fetch_{name}"](texture, out, np.int32(35), np.int32(-2), block=64)
            expected = np.zeros((35, count), dtype)
            expected[2:] = texels.reshape(35, count)[:-2]
            assert np.array_equal(out.get().reshape(35, count), expected), name
            if count == 1 and texels.itemsize < 4:
                fraction = objects.texture(textures.of_linear(flat, 1), Sampler(as_fraction=True))
                floats = PyGPU.to_gpu(np.zeros(35, np.float32))
                module["fetch_float"](fraction, floats, np.int32(35), np.int32(0), block=64)
                close = textures.fractions(texels).ravel().astype(np.float32)
                assert np.allclose(floats.get(), close, rtol=2e-7, atol=0)


@own_interpreter("on_devices")
def test_layers_levels_and_gathers():
    module = corpus()
    at = places(normalized=False)
    n, sampler = len(at), Sampler(BORDER, filtered=True, border=(1.0, 2.0, 3.0, 4.0))
    with Objects() as objects:
        for dimensions in (1, 2):
            texels = texels_of("f4", 4, *SIZES[:dimensions], 4)
            array = objects.array(texels, textures.LAYERED)
            texture = objects.texture(textures.of_array(array), sampler)
            got = run(module["layers"], texture, at, dimensions)
            layer = np.clip(np.arange(n) % 6 - 1, 0, 3)
            layer[np.arange(n) % 6 == 0] = 3  # -1 as an unsigned number is the largest one
            for number in range(4):
                mine = layer == number
                expected = textures.read(texels[number], at[mine], sampler)
                bound = 1e-6 if dimensions == 1 else 6 / 256
                assert np.abs(got[mine] - expected).max() < bound, (dimensions, number)
        texels = texels_of("f4", 4, *SIZES[:2])
        texture = objects.texture(textures.of_array(objects.array(texels)), sampler)
        plain = run(module["by_dimensions"], texture, at, 2)
        for kind in (1, 2, 3):
            assert np.array_equal(run(module["levels"], texture, at, kind), plain)
        point = Sampler(BORDER, border=(1.0, 2.0, 3.0, 4.0))
        for channel, number in ((0, 0), (3, 1)):
            got = run(module["gathers"], texture, at, number)
            for part, (dx, dy) in enumerate(((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))):
                moved = at + np.array([dx, dy, 0], np.float32)
                expected = textures.read(texels, moved, point)[:, channel]
                assert np.array_equal(got[:, part], expected.astype(np.float32)), (channel, part)


@own_interpreter("on_devices")
def test_surfaces_are_read_and_written():
    module = corpus()
    width, height = 6, 3
    texels = texels_of("i2", 2, width, height)
    around = (width + 2, height + 2)
    with Objects() as objects:
        array = objects.array(texels, textures.SURFACE)
        handle = objects.surface(textures.of_array(array))
        out = PyGPU.to_gpu(np.zeros((around[1], around[0], 2), np.int16))
        sizes = np.int32(width), np.int32(height)

        def surface(beyond: int) -> np.ndarray:
            module["surface"](handle, out, *sizes, np.int32(beyond), block=around)
            return out.get()

        edged = np.pad(texels, ((1, 1), (1, 1), (0, 0)))
        assert np.array_equal(surface(0), edged)
        assert np.array_equal(surface(1), np.pad(texels, ((1, 1), (1, 1), (0, 0)), "edge"))
        written = np.stack(np.meshgrid(100 + np.arange(width), 100 + np.arange(height)), -1)
        surface(2)
        assert np.array_equal(surface(0)[1:-1, 1:-1], written)
        cuda.checked.cudaMemcpy2DToArray(
            array, 0, 0, texels.reshape(height, -1), 4 * width, 4 * width, height, 1
        )
        surface(3)
        assert np.array_equal(surface(0), np.pad(written, ((1, 1), (1, 1), (0, 0))))

        line = texels_of("f4", 4, 4)
        array = objects.array(line, textures.SURFACE)
        out = PyGPU.to_gpu(np.zeros((16, 4), np.float32))
        module["surfaces"](objects.surface(textures.of_array(array)), out, np.int32(0), block=4)
        texture = objects.texture(textures.of_array(array))
        at = np.zeros((4, 3), np.float32)
        at[:, 0] = np.arange(4)
        back = run(module["by_dimensions"], texture, at, 1)
        assert np.array_equal(back, line[::-1])
        for flags, kind in ((0, 2), (textures.LAYERED, 3)):
            cubes = texels_of("f4", 4, 4, 2, 2)
            handle = objects.surface(
                textures.of_array(objects.array(cubes, textures.SURFACE | flags))
            )
            module["surfaces"](handle, out, np.int32(kind), block=16)
            assert np.array_equal(out.get(), cubes.reshape(16, 4)), flags
            if flags:
                continue
            module["surfaces"](handle, out, np.int32(1), block=16)
            module["surfaces"](handle, out, np.int32(2), block=16)
            assert np.array_equal(out.get()[:, 0], np.arange(16))


# Surfaces of words: their shape [z, y, x], and the order of coordinates. z may be the layer.
SURFACES = {
    "1d": ((1, 1, 5), "{%x}"),
    "2d": ((1, 3, 5), "{%x, %y}"),
    "3d": ((2, 3, 5), "{%x, %y, %z, %z}"),
    "a1d": ((3, 1, 5), "{%z, %x}"),
    "a2d": ((2, 3, 5), "{%z, %x, %y, %y}"),
}
ACCESSES = [(1, "b8"), (2, "b8"), (1, "b16"), (1, "b32"), (2, "b32"), (4, "b16"), (4, "b32")]
AT_PLACES = """.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 s, .param .u64 at, .param .u64 out, .param .u32 count) {{
    .reg .u64 %s, %at, %out; .reg .b32 %i, %n, %x, %y, %z; .reg .pred %q;
    .reg .{register} %v0, %v1, %v2, %v3;
    mov.u32 %i, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %i, %n, 64, %i;
    ld.param.u32 %n, [count]; setp.ge.u32 %q, %i, %n; @%q exit;
    ld.param.u64 %s, [s]; ld.param.u64 %at, [at]; ld.param.u64 %out, [out];
    mad.wide.u32 %at, %i, 12, %at; mad.wide.u32 %out, %i, {size}, %out;
    ld.global.b32 %x, [%at]; ld.global.b32 %y, [%at+4]; ld.global.b32 %z, [%at+8];
    {body} ret; }}"""


@pytest.mark.parametrize("geometry", SURFACES)
@own_interpreter("on_devices")
def test_surfaces_beyond_their_edges(geometry):
    """.clamp accesses the nearest aligned place; .zero reads zeros and drops what is stored.

    The layer is unsigned (PTX ISA, "suld", "sust").
    """
    shape, order = SURFACES[geometry]
    layered = geometry.startswith("a")
    texels = np.arange(1, 1 + np.prod(shape), dtype=np.uint32).reshape(shape) * np.uint32(0x1030507)
    sizes = [n for n, axis in zip(shape, "zyx", strict=True) if f"%{axis}" in order]
    for (parts, kind), mode in itertools.product(ACCESSES, ("clamp", "zero")):
        size = parts * int(kind[1:]) // 8
        last = np.array([20 // size * size - size, shape[1] - 1, shape[0] - 1])
        x, y, z = (np.arange(-2, n + 2) for n in (20 // size, *shape[1::-1]))
        at = np.stack([one.ravel() for one in np.meshgrid(x * size, y, z)], -1).astype(np.int32)
        at[:, [f"%{axis}" not in order for axis in "xyz"]] = 0
        arguments = at.astype(np.int64)
        arguments[:, 2] += np.where(layered & (arguments[:, 2] < 0), 1 << 32, 0)
        inside = ((arguments >= 0) & (arguments <= last)).all(1)
        to = np.clip(arguments, 0, last)
        bytes_at = (to[:, 2:], to[:, 1:2], to[:, :1] + np.arange(size))
        values = ", ".join(f"%v{k}" for k in range(parts))
        name = f"b.{geometry}{f'.v{parts}' if parts > 1 else ''}.{kind}.{mode}"
        memory = f"global{f'.v{parts}' if parts > 1 else ''}.{kind}"
        loads = f"suld.{name} {{{values}}}, [%s, {order}]; st.{memory} [%out], {{{values}}};"
        stores = f"ld.{memory} {{{values}}}, [%out]; sust.{name} [%s, {order}], {{{values}}};"
        with Objects() as objects:
            array = objects.array(
                texels.reshape(*sizes, 1), textures.SURFACE | (textures.LAYERED if layered else 0)
            )
            handle, places = objects.surface(textures.of_array(array)), PyGPU.to_gpu(at)
            held = texels.view(np.uint8).copy()
            for body in (loads, stores, loads):
                out = PyGPU.to_gpu(np.full((len(at), size), 90, np.uint8))
                register = "b16" if kind == "b8" else kind
                text = AT_PLACES.format(register=register, size=size, body=body)
                grid = -(-len(at) // 64)
                PyGPU.Module(text.encode())["k"](
                    handle, places, out, np.uint32(len(at)), grid=grid, block=64
                )
                if body == stores:
                    reached = inside | (mode == "clamp")
                    held[tuple(one[reached] for one in bytes_at)] = 90
                    continue
                due = held[bytes_at] * (inside | (mode == "clamp"))[:, None]
                np.testing.assert_array_equal(out.get(), due, name)


@own_interpreter("on_devices")
def test_surfaces_are_reduced_into():
    """All threads at once, signed and unsigned. Out-of-range texels are skipped where asked."""
    with Objects() as objects:
        texels = np.array([5, 100, 7, 0, -1, 9, 0, 0], np.int32).reshape(8, 1)
        array = objects.array(texels, textures.SURFACE)
        corpus()["reduce"](
            objects.surface(textures.of_array(array)), np.int32(32), grid=2, block=32
        )
        back = np.zeros(8, np.int32)
        cuda.checked.cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 1, 2)
    wide = 2 * (32 * 2**31 + sum(range(32)))
    assert back.tolist() == [5 + 2 * -16, -16, -1, -1, 0, 9, wide % 2**32, wide >> 32]


@own_interpreter("on_host")
def test_sizes_are_told():
    with Objects() as objects:
        array = textures.of_array(objects.array(texels_of("f4", 1, 13, 9), textures.SURFACE))
        out = PyGPU.to_gpu(np.zeros(4, np.int32))
        corpus()["queries"](objects.texture(array), objects.surface(array), out, block=1)
        assert out.get().tolist() == [13, 9, 13, 9]


@own_interpreter("on_host")
def test_every_api_makes_the_same_objects():
    """The same kernels read the driver's and HIP's objects, and the objects describe themselves."""
    texels = texels_of("u1", 4, 13, 9)
    at = places(normalized=True)
    sampler = Sampler(WRAP, filtered=True, normalized=True, as_fraction=True)
    kernel = corpus()["by_dimensions"]
    with Objects() as objects:
        array = objects.array(texels)
        expected = run(kernel, objects.texture(textures.of_array(array), sampler), at, 2)
        modes = {"addressMode": [WRAP] * 3, "filterMode": 1}
        drivers = {**modes, "flags": cu.CU_TRSF_NORMALIZED_COORDINATES}
        resource = {"resType": 0, "res": {"array": {"hArray": int(array)}}}
        cu.checked.cuInit(0)
        handle = cu.checked.cuTexObjectCreate(resource, drivers, None)
        assert np.array_equal(run(kernel, np.uint64(handle), at, 2), expected)
        reported = cu.checked.cuTexObjectGetTextureDesc(handle)
        assert (reported.flags, reported.filterMode) == (2, 1)
        assert int(cu.checked.cuTexObjectGetResourceDesc(handle).res.array.hArray) == int(array)
        cu.checked.cuTexObjectDestroy(handle)

        theirs = {"resType": 0, "res": {"array": {"array": int(array)}}}
        handle = hip.checked.hipCreateTextureObject(theirs, sampler.described(), None)
        assert np.array_equal(run(kernel, np.uint64(int(handle)), at, 2), expected)
        reported = hip.checked.hipGetTextureObjectTextureDesc(handle)
        assert (reported.readMode, reported.normalizedCoords, reported.addressMode[0]) == (
            1,
            True,
            0,
        )
        hip.checked.hipDestroyTextureObject(handle)
        handle = hip.checked.hipTexObjectCreate(resource, drivers, None)
        assert np.array_equal(run(kernel, np.uint64(int(handle)), at, 2), expected)


@own_interpreter("on_host")
def test_the_drivers_arrays_hold_what_is_copied():
    cu.checked.cuInit(0)
    cu.checked.cuCtxSetCurrent(cu.checked.cuDevicePrimaryCtxRetain(0))
    wanted = {"Width": 4, "Height": 3, "Format": cu.CU_AD_FORMAT_FLOAT, "NumChannels": 2}
    array = cu.checked.cuArrayCreate(wanted)
    reported = cu.checked.cuArrayGetDescriptor(array)
    assert (reported.Width, reported.Height, reported.Format, reported.NumChannels) == (
        4,
        3,
        0x20,
        2,
    )
    arguments, back = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    row = PyGPU.to_gpu(arguments[::-1].copy())
    cu.checked.cuMemcpyHtoA(array, 0, arguments, 32)
    cu.checked.cuMemcpyAtoA(array, 0, array, 24, 8)
    cu.checked.cuMemcpyDtoA(array, 8, int(row.gpudata), 8)
    cu.checked.cuMemcpyAtoD(int(row.gpudata) + 8, array, 0, 16)
    cu.checked.cuMemcpyAtoH(back, array, 0, 32)
    assert back.tolist() == [6, 7, 7, 6, 4, 5, 6, 7]
    assert row.get().tolist() == [7, 6, 6, 7, 7, 6, 1, 0]
    assert int(cu.cuMemcpyAtoH(back, array, 8, 32)) == 1
    assert int(cu.cuMemcpyAtoH(back, None, 0, 4)) == 1
    cube = cu.checked.cuArray3DCreate({**wanted, "Depth": 2, "Flags": 2})
    reported = cu.checked.cuArray3DGetDescriptor(cube)
    assert (reported.Depth, reported.Flags, reported.Format) == (2, 2, 0x20)
    for one in (array, cube):
        cu.checked.cuArrayDestroy(one)
    assert int(cu.cuArrayDestroy(None)) == 400
    for wrong in ({"Width": 0}, {"Format": 7}, {"NumChannels": 3}):
        assert int(cu.cuArrayCreate({**wanted, **wrong})[-1]) == 1


REFERENCE = b""".version 8.0
.target sm_80
.address_size 64
.global .texref picture;
.visible .entry k(.param .u64 p) {
    .reg .u64 %rd<3>; .reg .f32 %f<8>; .reg .u32 %r<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    mov.f32 %f2, 0f3F800000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [picture, {%f1, %f2}];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.f32 [%rd2], %f3;
    ret;
}"""


@own_interpreter("on_host")
def test_texture_references_are_bound_by_the_program():
    """As PyCUDA's references, with code from a compiler that still makes them."""
    from PyGPU import driver

    module = PyGPU.Module(REFERENCE)
    picture, out = module.get_texref("picture"), PyGPU.to_gpu(np.zeros(8, np.float32))
    with pytest.raises(PyGPU.GPUError, match="500"):
        module.get_texref("other")

    def read() -> list[float]:
        module["k"](out, block=8)
        return out.get().tolist()

    matrix = np.arange(24, dtype=np.float32).reshape(3, 8)
    driver.matrix_to_texref(matrix, picture, order="C")
    assert read() == matrix[1].tolist()
    picture.set_address_mode(0, driver.address_mode.CLAMP)
    picture.set_filter_mode(driver.filter_mode.LINEAR)
    assert read()[1:] == [one - 0.5 - 4 for one in matrix[1, 1:]]
    picture.set_flags(driver.TRSF_NORMALIZED_COORDINATES)
    assert picture.get_flags() == 2
    assert read() == [16.0, *[23.0] * 7]

    rows = PyGPU.to_gpu(np.arange(64, dtype=np.int8).reshape(2, 32))
    descriptor = driver.ArrayDescriptor()
    descriptor.width, descriptor.height = 20, 2
    descriptor.format = driver.array_format.SIGNED_INT8
    picture.set_filter_mode(driver.filter_mode.POINT)
    picture.set_flags(0)
    picture.set_address_2d(rows.gpudata, descriptor, 32)
    assert picture.get_address() == int(rows.gpudata)
    assert np.allclose(read(), np.arange(32, 40) / 127)
    one = cu.checked.cuTexRefCreate()
    assert cu.checked.cuTexRefGetFormat(one) == (cu.CU_AD_FORMAT_FLOAT, 1)
    cu.checked.cuTexRefDestroy(one)
    assert int(cu.cuTexRefDestroy(one)) == 400


@own_interpreter("on_host")
def test_a_reference_that_nothing_is_bound_to_is_told():
    out = PyGPU.to_gpu(np.zeros(8, np.float32))
    module = PyGPU.Module(REFERENCE)
    with host.reports() as reports:
        module["k"](out, block=8)
        assert PyGPU.cudaDeviceSynchronize() == 700
    assert "a texture reference to which nothing is bound" in reports[0]


FAULTS = {
    "a handle of nothing": ("read_one", 700, "handle 0x3039 is no texture object"),
    "null": ("read_one", 700, "handle 0x0 is no texture object"),
    "destroyed": ("read_one", 700, "is not a texture object, or one that was destroyed"),
    "freed": ("read_one", 700, "stands for an array that was freed"),
    "a surface": ("read_one", 700, "is a surface object, not a texture object"),
    "a texture": ("load_one", 700, "is a texture object, not a surface object"),
    "no memory": ("fetch_one", 700, "stands for memory that isn't allocated"),
    "too much": ("fetch_one", 700, "a texel at 0x[0-9a-f]+, which isn't in memory"),
    "beyond": ("load_one", 700, "byte 32 lies beyond the surface, which has 32 in a row"),
    "stored beyond": ("store_one", 700, "byte 32 lies beyond the surface"),
    "misaligned": ("store_one", 716, "no multiple of the access's size"),
    "samples": ("samples", 719, r"tex\.2dms\.v4\.f32\.s32 can't be run on the CPU"),
}


@pytest.mark.parametrize("fault", FAULTS)
@own_interpreter("on_host")
def test_a_fault_is_told_and_stays(fault):
    name, code, said = FAULTS[fault]
    with Objects() as objects:
        array = objects.array(texels_of("i4", 1, 8, 4), textures.SURFACE)
        resource = textures.of_array(array)
        texture, surface = objects.texture(resource), objects.surface(resource)
        handle, at = {"load_one": surface, "store_one": surface}.get(name, texture), 0
        memory = PyGPU.to_gpu(np.zeros(64, np.float32))
        if fault in ("no memory", "too much"):
            linear = textures.of_linear(memory, 1)
            linear["res"]["linear"]["sizeInBytes"] = 1 << 28
            at = (1 << 26) - 1
            address = 1 << 46 if fault == "no memory" else int(memory.gpudata)
            linear["res"]["linear"]["devPtr"] = address
            handle = objects.texture(linear)
        if fault == "destroyed":
            cuda.checked.cudaDestroyTextureObject(int(texture))
        if fault == "freed":
            cuda.checked.cudaFreeArray(array)
        handle = {"null": np.uint64(0), "a handle of nothing": np.uint64(12345)}.get(fault, handle)
        handle = {"a surface": surface, "a texture": texture}.get(fault, handle)
        at = 32 if "beyond" in fault else 5 if fault == "misaligned" else at
        out = PyGPU.to_gpu(np.zeros(1, np.float32))
        with host.reports() as reports:
            corpus()[name](handle, out, np.int32(at), block=1)
            assert PyGPU.cudaDeviceSynchronize() == code
        assert len(reports) == 1
        assert re.search(rf"{name}, line \d+ of its PTX, .*{said}", reports[0]), reports
        assert PyGPU.cudaMalloc(4)[-1] == code
    assert PyGPU.cudaDeviceReset() == 0
    assert PyGPU.cudaDeviceSynchronize() == 0
