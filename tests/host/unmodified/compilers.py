"""Asks the compilers by their own names for machine code, and prints what comes."""

import ctypes

PART = 'extern "C" __device__ int part(int x) { return 3 * x; }'
KERNEL = (
    'extern "C" __device__ int part(int); extern "C" __global__ void k(int *p) { *p = part(2); }'
)
CUBIN, PTX, LTOIR, LIBRARY, ANY = 1, 2, 3, 6, 10  # kinds of input

nvrtc = ctypes.CDLL("libnvrtc.so.13")
linker = ctypes.CDLL("libnvJitLink.so.13")


def compiled(source, get, *options):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    texts = (ctypes.c_char_p * len(options))(*options)
    assert (
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"a.cu", 0, None, None)
        == 0
    )
    assert nvrtc.nvrtcCompileProgram(program, len(options), texts) == 0
    assert getattr(nvrtc, f"nvrtcGet{get}Size")(program, ctypes.byref(size)) == 0
    image = ctypes.create_string_buffer(size.value)
    assert getattr(nvrtc, f"nvrtcGet{get}")(program, image) == 0
    assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) == 0
    return image.raw


def linked(*parts):
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(b"-arch=sm_80")
    assert linker.nvJitLinkCreate(ctypes.byref(handle), 1, options) == 0
    for kind, part in parts:
        assert linker.nvJitLinkAddData(handle, kind, part, ctypes.c_size_t(len(part)), b"part") == 0
    if linker.nvJitLinkComplete(handle):
        assert linker.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size)) == 0
        log = ctypes.create_string_buffer(size.value)
        assert linker.nvJitLinkGetErrorLog(handle, log) == 0
        return log.value
    assert linker.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)) == 0
    image = ctypes.create_string_buffer(size.value)
    assert linker.nvJitLinkGetLinkedCubin(handle, image) == 0
    assert linker.nvJitLinkDestroy(ctypes.byref(handle)) == 0
    return image.value


cubin = compiled(PART + KERNEL, "CUBIN", b"--gpu-architecture=sm_80")
assert cubin == compiled(PART + KERNEL, "CUBIN", b"-arch=sm_80")
assert cubin == compiled(PART + KERNEL, "PTX", b"-arch=compute_80")
assert b".target sm_80" in cubin
parts = [compiled(one, "LTOIR", b"-arch=sm_80", b"-dlto", b"-rdc=true") for one in (PART, KERNEL)]
assert b".entry k" in linked((LTOIR, parts[0]), (LTOIR, parts[1]))
texts = [compiled(one, "CUBIN", b"-arch=sm_80", b"-rdc=true") for one in (PART, KERNEL)]
for kind in (CUBIN, PTX, ANY):
    result = linked((kind, texts[0]), (kind, texts[1]))
    assert result.count(b".version") == 1 and b".entry k" in result
assert b".entry k" in linked((PTX, texts[0]), (LTOIR, parts[1]), (LIBRARY, b"!<arch>\n"))
print(linked((PTX, texts[0]), (PTX, texts[0])).decode().strip())
print(linked((PTX, texts[1])).decode().strip())
