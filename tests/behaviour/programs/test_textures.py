"""Arrays, textures and surfaces: made, described, written, sampled by a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

import PyGPU
from PyGPU import cuda
from tests.behaviour.programs.kernels import kernel
from tests.behaviour.programs.memory import on_device, read
from tests.behaviour.programs.program import program
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
TO, BACK = cuda.cudaMemcpyHostToDevice, cuda.cudaMemcpyDeviceToHost
FLOATS = (32, 0, 0, 0, cuda.cudaChannelFormatKindFloat)
WIDTH, HEIGHT = 8, 4
PICTURE = (np.arange(WIDTH * HEIGHT, dtype=np.float32) * 1.5 - 7).reshape(HEIGHT, WIDTH)


def picture(flags: int = 0) -> Any:
    """A CUDA array of floats with the content of PICTURE."""
    array = gpu.cudaMallocArray(FLOATS, WIDTH, HEIGHT, flags)
    gpu.cudaMemcpy2DToArray(array, 0, 0, PICTURE, WIDTH * 4, WIDTH * 4, HEIGHT, TO)
    return array


def texture_of(array: Any) -> Any:
    """A texture object over an array, read without a filter, clamped, by texel coordinates."""
    resource = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeArray)
    resource.res.array.array = array
    look = cuda.cudaTextureDesc(
        addressMode=[cuda.cudaAddressModeClamp] * 3,
        filterMode=cuda.cudaFilterModePoint,
        readMode=cuda.cudaReadModeElementType,
        borderColor=[0.25, 0.5, 0.75, 1.0],
    )
    return gpu.cudaCreateTextureObject(resource, look, None)


@program
def test_arrays() -> None:
    """An array: described, written, read in part.

    cudaArrayGetInfo and 2-D copies with offsets.
    """
    array = picture()
    desc, extent, flags = gpu.cudaArrayGetInfo(array)
    assert desc == cuda.cudaChannelFormatDesc(*FLOATS), "desc"
    assert (extent.width, extent.height, extent.depth) == (WIDTH, HEIGHT, 0), "extent"
    assert flags == 0, "flags"
    assert gpu.cudaGetChannelDesc(array) == desc, "cudaGetChannelDesc"
    part = np.zeros((2, 3), dtype=np.float32)
    gpu.cudaMemcpy2DFromArray(part, 12, array, 8, 1, 12, 2, BACK)
    assert part.tolist() == PICTURE[1:3, 2:5].tolist(), "the part"
    gpu.cudaFreeArray(array)


@program
def test_box() -> None:
    """A 3-D array through cudaMemcpy3D.

    cudaMalloc3DArray; in a copy with an array, the extent counts texels.
    """
    array = gpu.cudaMalloc3DArray(FLOATS, (4, 3, 2))
    sent = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    back = np.zeros_like(sent)
    extent = (4, 3, 2)
    gpu.cudaMemcpy3D({"srcPtr": (sent, 16, 4, 3), "dstArray": array, "extent": extent, "kind": TO})
    gpu.cudaMemcpy3D(
        {"srcArray": array, "dstPtr": (back, 16, 4, 3), "extent": extent, "kind": BACK}
    )
    assert back.tolist() == sent.tolist(), "what came back"
    gpu.cudaFreeArray(array)


@program
def test_levels() -> None:
    """A mipmapped array's levels.

    Each level has half the extent of the one before, and is a view without an owner.
    """
    array = gpu.cudaMallocMipmappedArray(FLOATS, (16, 8, 0), 3)
    for level in range(3):
        _, extent, _ = gpu.cudaArrayGetInfo(gpu.cudaGetMipmappedArrayLevel(array, level))
        assert (extent.width, extent.height) == (16 >> level, 8 >> level), f"level {level}"
    gpu.cudaFreeMipmappedArray(array)


@program
def test_described() -> None:
    """A texture object: its descriptions read back.

    The resource and the texture description: unions, arrays of enumerators and of floats.
    """
    array = picture()
    texture = texture_of(array)
    resource = gpu.cudaGetTextureObjectResourceDesc(texture)
    assert resource.resType == cuda.cudaResourceTypeArray, "resType"
    assert resource.res.array.array == array, "the array"
    look = gpu.cudaGetTextureObjectTextureDesc(texture)
    assert list(look.addressMode)[:2] == [cuda.cudaAddressModeClamp] * 2, "addressMode"
    assert look.filterMode == cuda.cudaFilterModePoint, "filterMode"
    # The colour isn't compared: 12.9 and 13.0 leave bytes of their stack in it, the driver zeros.
    assert len(look.borderColor) == 4, "borderColor has four"
    gpu.cudaDestroyTextureObject(texture)
    gpu.cudaFreeArray(array)


@program
def test_linear() -> None:
    """A texture over linear memory.

    Uses another member of the union.
    """
    with on_device(PICTURE) as pointer:
        resource = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeLinear)
        resource.res.linear = {"devPtr": pointer, "desc": FLOATS, "sizeInBytes": PICTURE.nbytes}
        texture = gpu.cudaCreateTextureObject(resource, cuda.cudaTextureDesc(), None)
        description = gpu.cudaGetTextureObjectResourceDesc(texture)
        assert description.resType == cuda.cudaResourceTypeLinear, "resType"
        assert description.res.linear.devPtr == pointer, "devPtr"
        assert description.res.linear.sizeInBytes == PICTURE.nbytes, "sizeInBytes"
        gpu.cudaDestroyTextureObject(texture)


@program
def test_sampled() -> None:
    """A kernel samples a texture.

    Every texel arrives at its place.
    """
    array = picture()
    texture = texture_of(array)
    with on_device(np.zeros_like(PICTURE)) as out:
        args = [np.uint64(texture), np.uint64(out), np.uint32(WIDTH)]
        gpu.cudaLaunchKernel(kernel("sample"), 1, (WIDTH, HEIGHT), args, 0, 0)
        assert read(out, PICTURE.size) == PICTURE.ravel().tolist(), "the texels"
    gpu.cudaDestroyTextureObject(texture)
    gpu.cudaFreeArray(array)


@program
def test_surface() -> None:
    """A kernel writes a surface.

    cudaCreateSurfaceObject, its description, and the array's content after the kernel.
    """
    array = picture(cuda.cudaArraySurfaceLoadStore)
    assert gpu.cudaArrayGetInfo(array)[2] == cuda.cudaArraySurfaceLoadStore, "flags"
    resource = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeArray)
    resource.res.array.array = array
    drawn = gpu.cudaCreateSurfaceObject(resource)
    assert gpu.cudaGetSurfaceObjectResourceDesc(drawn).res.array.array == array, "the array"
    args = [np.uint64(drawn), np.uint32(WIDTH)]
    gpu.cudaLaunchKernel(kernel("draw"), 1, (WIDTH, HEIGHT), args, 0, 0)
    back = np.zeros((HEIGHT, WIDTH), dtype=np.uint32)
    gpu.cudaMemcpy2DFromArray(back, WIDTH * 4, array, 0, 0, WIDTH * 4, HEIGHT, BACK)
    assert back.ravel().tolist() == list(range(WIDTH * HEIGHT)), "what was drawn"
    gpu.cudaDestroySurfaceObject(drawn)
    gpu.cudaFreeArray(array)
