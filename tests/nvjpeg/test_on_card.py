"""Images of known colours, decoded and encoded on a GPU."""

from __future__ import annotations

import io

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.nvjpeg.flat import flat

WIDTH, HEIGHT = 40, 24
# Y, Cb and Cr, and what JFIF's formulas make of them.
COLOURS = [
    ((200,), (200, 200, 200)),
    ((100, 90, 200), (201, 62, 33)),
    ((128, 128, 128), (128, 128, 128)),
]


@pytest.fixture
def handle(nvjpeg, on_card):
    return nvjpeg.nvjpegHandle_t(backend=nvjpeg.NVJPEG_BACKEND_DEFAULT, flags=0)


def decoded(nvjpeg, handle, jpeg: bytes, width: int, height: int) -> np.ndarray:
    """The image in RGB, decoded on a stream of its own."""
    state = nvjpeg.nvjpegJpegState_t(handle=handle)
    pixels = PyGPU.zeros((height, width, 3), "uint8")
    image = nvjpeg.nvjpegImage_t(channel=[pixels], pitch=[3 * width])
    stream = cuda.cudaStream_t(flags=0)
    rgb = nvjpeg.NVJPEG_OUTPUT_RGBI
    nvjpeg.checked.nvjpegDecode(handle, state, jpeg, len(jpeg), rgb, image, stream)
    cuda.checked.cudaStreamSynchronize(stream)
    return pixels.get()


@pytest.mark.parametrize(("levels", "colour"), COLOURS)
def test_a_flat_image_has_its_colour(nvjpeg, handle, levels, colour):
    jpeg = flat(WIDTH, HEIGHT, levels)
    components, subsampling, widths, heights = nvjpeg.checked.nvjpegGetImageInfo(
        handle, jpeg, len(jpeg)
    )
    assert components == len(levels)
    assert subsampling == (nvjpeg.NVJPEG_CSS_GRAY if components == 1 else nvjpeg.NVJPEG_CSS_444)
    assert widths == [WIDTH] * components + [0] * (4 - components)
    assert heights == [HEIGHT] * components + [0] * (4 - components)
    pixels = decoded(nvjpeg, handle, jpeg, WIDTH, HEIGHT)
    assert np.abs(pixels.astype(int) - colour).max() <= 2


def test_a_parsed_bitstream_is_decoded_in_steps(nvjpeg, handle):
    jpeg = flat(WIDTH, HEIGHT, (200,))
    stream = nvjpeg.nvjpegJpegStream_t(handle=handle)
    nvjpeg.checked.nvjpegJpegStreamParse(handle, jpeg, len(jpeg), False, False, stream)
    assert nvjpeg.checked.nvjpegJpegStreamGetFrameDimensions(stream) == (WIDTH, HEIGHT)
    assert nvjpeg.checked.nvjpegJpegStreamGetComponentsNum(stream) == 1
    encoding = nvjpeg.checked.nvjpegJpegStreamGetJpegEncoding(stream)
    assert encoding == nvjpeg.NVJPEG_ENCODING_BASELINE_DCT
    hybrid = nvjpeg.NVJPEG_BACKEND_HYBRID
    decoder = nvjpeg.nvjpegJpegDecoder_t(nvjpeg_handle=handle, implementation=hybrid)
    params = nvjpeg.nvjpegDecodeParams_t(handle=handle)
    nvjpeg.checked.nvjpegDecodeParamsSetOutputFormat(params, nvjpeg.NVJPEG_OUTPUT_Y)
    assert nvjpeg.checked.nvjpegDecoderJpegSupported(decoder, stream, params) == 0
    state = nvjpeg.checked.nvjpegDecoderStateCreate(handle, decoder)
    pinned = nvjpeg.nvjpegBufferPinned_t(handle=handle)
    device = nvjpeg.nvjpegBufferDevice_t(handle=handle)
    nvjpeg.checked.nvjpegStateAttachPinnedBuffer(state, pinned)
    nvjpeg.checked.nvjpegStateAttachDeviceBuffer(state, device)
    plane = PyGPU.zeros((HEIGHT, WIDTH), "uint8")
    image = nvjpeg.nvjpegImage_t(channel=[plane], pitch=[WIDTH])
    nvjpeg.checked.nvjpegDecodeJpeg(handle, decoder, state, stream, image, params, None)
    cuda.checked.cudaDeviceSynchronize()
    assert np.abs(plane.get().astype(int) - 200).max() <= 1
    nvjpeg.checked.nvjpegJpegStateDestroy(state)


def test_a_batch_fills_each_image(nvjpeg, handle):
    images = [flat(WIDTH, HEIGHT, (level, 128, 128)) for level in (40, 90, 250)]
    state = nvjpeg.nvjpegJpegState_t(handle=handle)
    rgb = nvjpeg.NVJPEG_OUTPUT_RGBI
    nvjpeg.checked.nvjpegDecodeBatchedInitialize(handle, state, len(images), 1, rgb)
    pixels = [PyGPU.zeros((HEIGHT, WIDTH, 3), "uint8") for _ in images]
    into = [nvjpeg.nvjpegImage_t(channel=[one], pitch=[3 * WIDTH]) for one in pixels]
    nvjpeg.checked.nvjpegDecodeBatched(handle, state, images, [*map(len, images)], into, None)
    cuda.checked.cudaDeviceSynchronize()
    for level, one in zip((40, 90, 250), pixels, strict=True):
        assert np.abs(one.get().astype(int) - level).max() <= 2


def test_an_encoded_image_comes_back(nvjpeg, handle):
    """The bitstream is one that another decoder reads, too, where Pillow is installed.

    It can be retrieved once: the next retrieval succeeds, but writes nothing.
    """
    column, row = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    given = np.stack((5 * column, 8 * row, 3 * column + 4 * row), 2).astype("u1")
    pixels = PyGPU.to_gpu(given)
    image = nvjpeg.nvjpegImage_t(channel=[pixels], pitch=[3 * WIDTH])
    state = nvjpeg.nvjpegEncoderState_t(handle=handle, stream=None)
    params = nvjpeg.nvjpegEncoderParams_t(handle=handle, stream=None)
    nvjpeg.checked.nvjpegEncoderParamsSetQuality(params, 98, None)
    full = nvjpeg.NVJPEG_CSS_444
    nvjpeg.checked.nvjpegEncoderParamsSetSamplingFactors(params, full, None)
    rgb = nvjpeg.NVJPEG_INPUT_RGBI
    nvjpeg.checked.nvjpegEncodeImage(handle, state, params, image, rgb, WIDTH, HEIGHT, None)
    jpeg = nvjpeg.checked.nvjpegEncodeRetrieveBitstream(handle, state, None)
    assert jpeg[:2] == b"\xff\xd8"
    assert jpeg[-2:] == b"\xff\xd9"
    most = nvjpeg.checked.nvjpegEncodeGetBufferSize(handle, params, WIDTH, HEIGHT)
    assert len(jpeg) <= most
    nvjpeg.checked.nvjpegEncodeImage(handle, state, params, image, rgb, WIDTH, HEIGHT, None)
    on_device = PyGPU.zeros(most, "uint8")
    retrieve = nvjpeg.checked.nvjpegEncodeRetrieveBitstreamDevice
    length = retrieve(handle, state, on_device, most, None)
    cuda.checked.cudaDeviceSynchronize()
    assert bytes(on_device.get()[:length]) == jpeg
    again = decoded(nvjpeg, handle, jpeg, WIDTH, HEIGHT)
    assert np.abs(again.astype(int) - given).max() <= 12
    pillow = pytest.importorskip("PIL.Image")
    other = np.asarray(pillow.open(io.BytesIO(jpeg)).convert("RGB"))
    assert np.abs(again.astype(int) - other).max() <= 4
