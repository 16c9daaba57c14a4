"""Bytes between files and arrays, on a stand-in that moves them."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import pickle
import tempfile

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cufile
from tests.own_interpreter import own_interpreter

NUMBERS = np.arange(100, dtype="f4")


def standin() -> ctypes.CDLL:
    return ctypes.CDLL(os.environ["PYGPU_CUFILE_LIBRARY"])


def registered(file) -> cufile.CUfileHandle_t:
    kind = cufile.CU_FILE_HANDLE_TYPE_OPAQUE_FD
    return cufile.CUfileHandle_t(descr={"type": kind, "handle": {"fd": file.fileno()}})


@own_interpreter("on_standin")
def test_an_array_goes_into_a_file_and_comes_back():
    call = cufile.checked
    source, target = PyGPU.to_gpu(NUMBERS), PyGPU.zeros(100, "f4")
    with tempfile.TemporaryFile() as file, registered(file) as handle:
        assert call.cuFileWrite(handle, source, source.nbytes, 0, 0) == 400
        assert os.fstat(file.fileno()).st_size == 400
        # The last 50 numbers of the file, behind the first ten of the array.
        count, err = cufile.cuFileRead(handle, target, 200, 200, 40)
        assert (count, err) == (200, cufile.CU_FILE_SUCCESS)
        assert (target.get()[10:60] == NUMBERS[50:]).all()
        assert not target.get()[60:].any()
        # At the end of the file a read is short.
        assert call.cuFileRead(handle, target, 400, 360, 0) == 40
        host = np.empty(3, "f4")
        assert call.cuFileRead(handle, host, 12, 4, 0) == 12
        assert (host == NUMBERS[1:4]).all()
    assert standin().standin_made() == 0


@own_interpreter("on_standin")
def test_short_memory_is_refused_with_its_offset():
    array = PyGPU.zeros(100, "f4")
    with tempfile.TemporaryFile() as file, registered(file) as handle:
        for call in (cufile.cuFileRead, cufile.cuFileWrite):
            with pytest.raises(
                ValueError, match="'bufPtr_base' is too short: 404 needed, 400 given"
            ):
                call(handle, array, 400, 0, 4)
        with pytest.raises(TypeError, match="must be writable memory"):
            cufile.cuFileRead(handle, b"abcd", 4, 0, 0)
        with pytest.raises(ValueError, match="base"):
            cufile.cuFileReadv(handle, [{"base": array, "len": 404}], 1, 0, 0)
        one = {"devPtr_base": array, "devPtr_offset": 8, "size": 396}
        batch = cufile.CUfileBatchHandle_t(nr=1)
        with pytest.raises(ValueError, match="devPtr_base"):
            cufile.cuFileBatchIOSubmit(batch, 1, [{"mode": 1, "u": {"batch": one}}], 0)
    with pytest.raises(ValueError, match="401"):
        cufile.cuFileBufRegister(array, 401, 0)
    assert not cufile.cuFileBufRegister(array, 400, 0)
    assert not cufile.cuFileBufDeregister(array)


@own_interpreter("on_standin")
def test_a_failed_transfer_gives_its_status_and_no_count():
    array = PyGPU.zeros(4, "f4")
    count, err = cufile.cuFileRead(None, array, 16, 0, 0)
    assert count is None
    assert err is cufile.CU_FILE_HANDLE_NOT_REGISTERED
    with pytest.raises(PyGPU.GPUError, match="cuFileWrite: CU_FILE_HANDLE_NOT_REGISTERED"):
        cufile.checked.cuFileWrite(0, array, 16, 0, 0)
    with tempfile.TemporaryFile() as file, registered(file) as handle:
        _, err = cufile.cuFileRead(handle, array, 16, -1, 0)  # C returns -1, and errno has the code
        assert err == errno.EINVAL
        assert str(err) == f"CUfileOpError({errno.EINVAL}): {os.strerror(errno.EINVAL)}"
        with open(file.fileno(), closefd=False) as again:
            assert registered(again)
    with open("/dev/null", "rb") as unwritable, registered(unwritable) as other:
        assert cufile.cuFileWrite(other, array, 16, 0, 0) == (None, errno.EBADF)


@own_interpreter("on_standin")
def test_the_drivers_code_comes_with_the_status_that_it_belongs_to():
    err = cufile.cuFileStreamRegister(0, 16)
    assert err == cufile.CU_FILE_CUDA_DRIVER_ERROR == 5011
    assert err.detail is cu.CUresult.CUDA_ERROR_INVALID_HANDLE
    assert repr(err) == "<CUfileOpError: code=5011, detail=400>"
    assert hash(err) == hash(cufile.CU_FILE_CUDA_DRIVER_ERROR)
    assert pickle.loads(pickle.dumps(err)).detail == 400
    assert cufile.CUfileOpError(err).detail == 400
    assert cufile.CU_FILE_CUDA_DRIVER_ERROR.detail is None
    with pytest.raises(
        PyGPU.GPUError, match=r"CU_FILE_CUDA_DRIVER_ERROR.*INVALID_HANDLE"
    ) as raised:
        cufile.checked.cuFileStreamRegister(0, 16)
    assert raised.value.error.detail == 400
    # The second code says nothing beside another first one.
    err = cufile.cuFileBufDeregister(0)
    assert err is cufile.CU_FILE_INVALID_VALUE
    assert err.detail is None
    assert not hasattr(cu.CUDA_SUCCESS, "detail")


@own_interpreter("on_standin")
def test_handles_end_once():
    library = standin()
    with tempfile.TemporaryFile() as file:
        handle = registered(file)
        batch = cufile.CUfileBatchHandle_t(nr=2)
        assert library.standin_made() == 2
        cufile.cuFileHandleDeregister(handle)
        assert library.standin_made() == 1
        del handle, batch
        gc.collect()
        assert library.standin_made() == 0
        with pytest.raises(PyGPU.GPUError, match="CU_FILE_INVALID_FILE_TYPE"):
            cufile.CUfileHandle_t(descr={"type": cufile.CU_FILE_HANDLE_TYPE_USERSPACE_FS})


@own_interpreter("on_standin")
def test_several_memories_at_once():
    call = cufile.checked
    first, second = PyGPU.to_gpu(NUMBERS[:30]), PyGPU.to_gpu(NUMBERS[30:])
    with tempfile.TemporaryFile() as file, registered(file) as handle:
        each = [{"base": first, "len": 120}, {"base": second, "len": 280}]
        assert call.cuFileWritev(handle, each, 2, 0, 0) == 400
        back = [PyGPU.zeros(70, "f4"), PyGPU.zeros(30, "f4")]
        each = [cufile.CUfileIOVec(base=one, len=one.nbytes) for one in back]
        assert call.cuFileReadv(handle, each, 2, 0, 0) == 400
    assert (np.concatenate([one.get() for one in back]) == NUMBERS).all()


@own_interpreter("on_standin")
def test_a_stream_reads_the_numbers_when_it_comes_to_them():
    array, stream = PyGPU.to_gpu(NUMBERS), PyGPU.Stream()
    size, zero = np.array([400], "u8"), np.zeros(1, "i8")  # at most
    written, read = np.full(1, -9, "i8"), np.full(1, -9, "i8")
    with tempfile.TemporaryFile() as file, registered(file) as handle:
        assert not cufile.cuFileStreamRegister(stream, cufile.CU_FILE_STREAM_FIXED_BUF_OFFSET)
        assert not cufile.cuFileWriteAsync(handle, array, size, zero, zero, written, stream)
        target, offset = PyGPU.zeros(102, "f4"), np.array([8], "i8")
        assert not cufile.cuFileReadAsync(handle, target, size, zero, offset, read, stream)
        size[0] = 80
        standin().standin_run()
        assert (written[0], read[0]) == (80, 80)
        assert (target.get()[2:22] == NUMBERS[:20]).all()
        with pytest.raises(ValueError, match="'size_p'"):
            cufile.cuFileReadAsync(handle, target, b"abc", zero, zero, read, stream)


@own_interpreter("on_standin")
def test_a_batch_gives_its_events():
    call = cufile.checked
    array = PyGPU.to_gpu(NUMBERS)
    with tempfile.TemporaryFile() as file, registered(file) as handle:

        def operation(opcode, size, at, cookie, begin=0):
            where = {"devPtr_base": array, "file_offset": at, "devPtr_offset": begin, "size": size}
            return cufile.CUfileIOParams(
                mode=cufile.CUFILE_BATCH,
                u={"batch": where},
                fh=handle,
                opcode=opcode,
                cookie=cookie,
            )

        with cufile.CUfileBatchHandle_t(nr=3) as batch:
            writes = [
                operation(cufile.CUFILE_WRITE, 100, 100 * at, 7 + at, 100 * at) for at in range(3)
            ]
            call.cuFileBatchIOSubmit(batch, 3, writes, 0)
            with pytest.raises(PyGPU.GPUError, match="CU_FILE_BATCH_FULL"):
                call.cuFileBatchIOSubmit(batch, 1, writes[:1], 0)
            events = call.cuFileBatchIOGetStatus(batch, 1, {"tv_sec": 1}, nr=1)
            assert [(one.cookie, one.status, one.ret) for one in events] == [
                (7, cufile.CUFILE_COMPLETE, 100)
            ]
            events = call.cuFileBatchIOGetStatus(batch, 2, None)
            assert [one.cookie for one in events] == [8, 9]
            assert call.cuFileBatchIOGetStatus(batch, 0, None) == []
            assert os.fstat(file.fileno()).st_size == 300
            call.cuFileBatchIOSubmit(batch, 1, [operation(cufile.CUFILE_READ, 8, -8, 1)], 0)
            (event,) = call.cuFileBatchIOGetStatus(batch, 1, None)
            assert event.status == cufile.CUFILE_FAILED
            call.cuFileBatchIOCancel(batch)
    assert standin().standin_made() == 0


@own_interpreter("on_standin")
def test_parameters_and_statistics():
    call = cufile.checked
    which = cufile.CUFILE_PARAM_POLLTHRESHOLD_SIZE_KB
    call.cuFileSetParameterSizeT(which, 64)
    assert call.cuFileGetParameterSizeT(which) == 64
    call.cuFileSetParameterPosixPoolSlabArray([16, 64], [3, 4], 2)
    assert call.cuFileGetParameterPosixPoolSlabArray(2) == ([16, 64], [3, 4])
    sizes, counts, err = cufile.cuFileGetParameterPosixPoolSlabArray(3)
    assert (sizes, counts, err) == (None, None, cufile.CU_FILE_INVALID_VALUE)
    with pytest.raises(ValueError, match="2"):
        cufile.cuFileSetParameterPosixPoolSlabArray([16, 64], [3], 2)
    assert call.cuFileGetStatsL3().detailed.basic.read_ops.ok == 5
    assert cufile.cuFileStatsStart() is cufile.CUfileOpError.PYGPU_ERROR_SYMBOL_NOT_FOUND
