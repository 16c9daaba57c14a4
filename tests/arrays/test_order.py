"""Streams, devices, lifetimes, exit: what GPUArray promises beside foreign work; host runtime."""

from __future__ import annotations


def test_a_free_waits_for_the_streams_of_copies(on_host):
    on_host("""
        import numpy as np, PyGPU, PyGPU.host as host
        stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
        pinned = PyGPU.pagelocked_empty(100000)
        a = PyGPU.zeros(100000)
        with host.pause(stream):
            a.set_async(pinned, stream)
            out = a.get_async(stream)
            assert not PyGPU.ready(a) and not PyGPU.ready(out) and not PyGPU.ready(pinned)
            view = pinned[5:]
            assert not PyGPU.ready(view)
            pinned[...] = 7  # the copy has not begun
            del a, pinned, view  # kept alive: strict mode would report a use of freed memory
            PyGPU.zeros(100000)
        assert (PyGPU.wait(out) == 7).all() and PyGPU.ready(out)
        PyGPU.to_gpu(np.zeros(3))
        del out
        PyGPU.trim_memory()
        assert not [line for line in host.leaks().splitlines() if "memory" in line], host.leaks()
    """)


def test_a_temporary_as_the_source_of_an_asynchronous_copy(on_host):
    on_host("""
        import numpy as np, PyGPU, PyGPU.host as host
        stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
        with host.pause(stream):
            a = PyGPU.to_gpu_async(np.arange(50000.0)[::-1], stream=stream)
            b = PyGPU.to_gpu_async(PyGPU.pagelocked_zeros(50000) + 1, stream=stream)
            c = PyGPU.to_gpu_async(PyGPU.pagelocked_zeros(50000), stream=stream)
        assert (a.get() == np.arange(50000.0)[::-1]).all()
        assert (b.get() == 1).all() and not c.get().any()
    """)


def test_del_under_a_busy_stream_that_used_the_address(on_host):
    on_host("""
        import PyGPU, PyGPU.host as host
        stream = PyGPU.cudaStream_t(flags=PyGPU.cudaStreamNonBlocking)
        a = PyGPU.zeros(1000, "u1")
        address = int(a.device_data())
        with host.pause(stream):
            assert not PyGPU.cudaMemsetAsync(address, 1, 1000, stream)
            del a
            others = [PyGPU.full(1000, 2, "u1") for _ in range(20)]
            assert address not in [other.ptr for other in others]
        assert not PyGPU.cudaStreamSynchronize(stream)
        assert all((other.get() == 2).all() for other in others)
    """)


def test_arrays_on_each_device(on_host):
    on_host("""
        import numpy as np, PyGPU
        assert not PyGPU.cudaSetDevice(2)
        arrays = []
        for number in range(3):
            with PyGPU.device(number) as chosen:
                assert PyGPU.cudaGetDevice()[0] == number and chosen.number == number
                arrays.append(PyGPU.to_gpu(np.arange(24.0).reshape(4, 6) * number))
            assert PyGPU.cudaGetDevice()[0] == 2
        for number, array in enumerate(arrays):
            assert array.device == number
            wanted = np.arange(24.0).reshape(4, 6) * number
            assert (array.get() == wanted).all()
            assert (array[::2, ::-3].get() == wanted[::2, ::-3]).all()
            assert array.copy().device == number
            array[1] = 9
            array[:, 2].fill(8)
            wanted[1] = 9
            wanted[:, 2] = 8
            assert (array.get() == wanted).all()
        zero, one, two = arrays
        zero[...] = one
        assert (zero.get() == one.get()).all()
        two[::2, ::-1] = one[1::2]
        wanted = two.get()
        assert (wanted[::2] == one.get()[1::2, ::-1]).all()
        two[...] = one[0]
        assert (two.get() == one.get()[0]).all()
        import PyGPU.host as host
        with host.fail("cudaMemcpyPeerAsync", error=1):  # the pool has to be opened first
            two[...] = zero
        assert (two.get() == zero.get()).all() and not PyGPU.cudaGetLastError()
        with PyGPU.device(0):
            joined = PyGPU.concatenate(arrays)
        assert joined.device == 0 and (joined.get()[4:8] == one.get()).all()
        assert PyGPU.cudaGetDevice()[0] == 2
        try:
            with PyGPU.device(5):
                pass
        except PyGPU.GPUError as error:
            assert error.error == PyGPU.cudaErrorInvalidDevice
        assert PyGPU.cudaGetDevice()[0] == 2
    """)


def test_exit_with_arrays_everywhere(on_host):
    on_host("""
        import builtins, gc, threading, PyGPU
        import numpy as np
        class Node:
            def __init__(self):
                self.me, self.array = self, PyGPU.zeros(1000)
                self.pinned = PyGPU.pagelocked_zeros(9)
        nodes = [Node() for _ in range(10)]
        del nodes[:5]
        builtins.kept = PyGPU.ones(4)
        def work():
            mine = PyGPU.to_gpu(np.arange(1000.0))
            for _ in range(200):
                mine = mine[::-1].copy()
                assert mine.get().size == 1000
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for _ in range(20): gc.collect()
        for thread in threads: thread.join()
        stop = threading.Event()
        def endless():
            while not stop.is_set():
                PyGPU.to_gpu(np.arange(100.0)).get()
        threading.Thread(target=endless, daemon=True).start()
        late = PyGPU.to_gpu_async(PyGPU.pagelocked_zeros(1000), stream=PyGPU.cudaStream_t())
    """)


def test_after_a_reset_and_in_a_child(on_host):
    on_host("""
        import os, numpy as np, PyGPU
        a = PyGPU.to_gpu(np.arange(10.0))
        view = a[::2]
        child = os.fork()
        if not child:
            try:
                view.get()
            except PyGPU.GPUError:
                del a, view
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert (view.get() == np.arange(0, 10, 2)).all()
        assert not PyGPU.cudaDeviceReset()
        b = PyGPU.to_gpu(np.arange(5.0))
        for use in (a.get, lambda: a.set(np.zeros(10)), lambda: a.fill(1), a.copy):
            try:
                use()
            except PyGPU.GPUError as error:
                assert error.error == PyGPU.cudaErrorContextIsDestroyed, error
            else:
                raise AssertionError
        del a, view
        assert (b.get() == np.arange(5)).all()
    """)


def test_every_runtime_call_of_arrays_failing_once(on_host):
    """GPUError, or the right elements; the arrays of before intact, nothing leaked."""
    result = on_host("""
        import gc, numpy as np, PyGPU, PyGPU.host as host
        base = np.arange(60.0).reshape(3, 4, 5)

        def work(kept):
            stream = PyGPU.cudaStream_t(flags=1)
            a = PyGPU.to_gpu(base)
            assert (a.get() == base).all()
            b = a[::-1, ::2].copy()
            assert (b.get() == base[::-1, ::2]).all()
            wide = PyGPU.to_gpu(np.arange(4000.0).reshape(2000, 2))
            assert (wide[:, 1].get() == np.arange(1, 4000, 2)).all()
            wide[:, 1] = np.zeros(2000)
            wide[...] = wide[:1]
            wide.T.fill(5.5)
            wide[1:] = wide[:-1]
            wide.fill(0)
            c = PyGPU.to_gpu_async(base, stream=stream)
            c[1].set_async(PyGPU.pagelocked_zeros((4, 5)), stream)
            out = c.get_async(stream)
            PyGPU.wait(out)
            PyGPU.wait(c)
            assert (out[0] == base[0]).all() and not out[1].any()
            with PyGPU.device(1):
                there = PyGPU.empty((3, 4, 5))
            there[...] = a
            there[::2] = a[::2]
            assert (there.get() == base).all()
            assert (c.get()[0] == base[0]).all()
            assert (kept.get() == base).all()

        def settle():
            gc.collect()
            for device in range(3):
                PyGPU.trim_memory(device=device)
            PyGPU.wait(PyGPU.to_gpu(np.zeros(1)).get_async())
            PyGPU.to_gpu(np.zeros(1))
            PyGPU.trim_memory()

        kept = PyGPU.to_gpu(base)
        work(kept)
        settle()
        def leaks():
            lines = host.leaks().splitlines()
            return sorted(line.split(" at ")[0] for line in lines if "event" not in line)
        before = leaks()
        struck, quiet = 0, []
        for name in [name for name, done in host.functions("cuda").items() if done]:
            if name.endswith(("_ptds", "_ptsz")):
                continue
            for call in range(1, 1000):
                failed = False
                with host.fail(name, call, 999) as fault:
                    try:
                        work(kept)
                    except PyGPU.GPUError as error:
                        assert error.error == 999, (name, call, error)
                        failed = True
                if not fault.struck:
                    break
                struck += 1
                if not failed:
                    quiet.append(name)
                assert not PyGPU.cudaSetDevice(0)
                try:
                    work(kept)
                    settle()
                except Exception as error:
                    raise AssertionError((name, call)) from error
                assert leaks() == before, (name, call, leaks(), before)
        print(struck, sorted(set(quiet)))
    """)
    count = int(result.stdout.split()[0])
    assert count > 300, result.stdout
