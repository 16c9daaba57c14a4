"""Copies by several threads: every byte, in order, and one failing call of theirs."""

from __future__ import annotations


def test_all_bytes_arrive_both_ways(on_host):
    on_host("""
        import numpy as np, PyGPU, PyGPU.host as host
        from PyGPU._core import arrays
        arrays._set_large_copies(1 << 20, 3)
        random = np.random.default_rng(1)
        MIB = 1 << 20
        for size in (MIB, MIB + 1, 2 * MIB - 1, 5 * MIB, 7 * MIB + 13):
            values = np.empty(size + 3, "u1")[3:]  # lies anywhere
            values[...] = random.integers(0, 255, size, "u1")
            a = PyGPU.to_gpu(values)
            assert (a.get() == values).all(), size
            a.fill(0)
            a.set(values)
            back = np.empty(size, "u1")
            assert a.get(back) is back and (back == values).all(), size
        d = PyGPU.DeviceArray_uint8(values)
        for status in d.allocate(), d.to_device():
            assert not status
        kept = values.copy()
        values[...] = 0
        assert not d.to_host() and (values == kept).all()
        del a, d
        PyGPU.trim_memory()
        assert not [line for line in host.leaks().splitlines() if "event" not in line], host.leaks()
    """)


def test_they_come_after_the_default_stream(on_host):
    on_host("""
        import threading
        import numpy as np, PyGPU, PyGPU.host as host
        from PyGPU._core import arrays
        arrays._set_large_copies(1 << 20, 2)
        a, values = PyGPU.zeros(1 << 18), np.arange(float(1 << 18))
        done = threading.Event()
        with host.pause(0):
            a.fill(3.0)
            setter = threading.Thread(target=lambda: (a.set(values), done.set()))
            setter.start()
            assert not done.wait(0.05)
        setter.join()
        assert (a.get() == values).all()
        with host.pause(0):
            a.fill(4.0)
            out = np.zeros(1 << 18)
            getter = threading.Thread(target=a.get, args=(out,))
            getter.start()
        getter.join()
        assert (out == 4).all()
    """)


def test_a_failing_call_of_any_thread_is_the_copys(on_host):
    result = on_host("""
        import numpy as np, PyGPU, PyGPU.host as host
        from PyGPU._core import arrays
        arrays._set_large_copies(1 << 20, 2)
        values = np.arange(float(1 << 19))
        a, b = PyGPU.to_gpu(values), PyGPU.empty(1 << 19)
        PyGPU.trim_memory()
        sites = 0
        for name in ("cudaMemcpyAsync", "cudaEventRecord", "cudaEventSynchronize", "cudaHostAlloc",
                     "cudaEventCreateWithFlags", "cudaGetDevice", "cudaSetDevice"):
            for call in range(1, 100):
                PyGPU.trim_memory()
                out = np.zeros(1 << 19)
                with host.fail(name, call, 999) as fault:
                    try:
                        b.set(values)
                        a.get(out)
                        failed = False
                    except PyGPU.GPUError as error:
                        assert error.error == 999
                        failed = True
                if not fault.struck:
                    break
                sites += 1
                assert not int(PyGPU.cudaPeekAtLastError()), (name, call)
                # Where the call got by without it, all is there.
                if not failed:
                    assert (out == values).all() and (b.get() == values).all(), (name, call)
                elif name in ("cudaHostAlloc", "cudaEventCreateWithFlags"):
                    raise AssertionError((name, call))
                b.set(values)
                assert (b.get() == values).all(), (name, call)
        print(sites)
    """)
    assert int(result.stdout) > 20, result.stdout


def test_page_locked_memory_goes_straight(on_host):
    on_host("""
        import numpy as np, PyGPU, PyGPU.host as host
        from PyGPU._core import arrays
        arrays._set_large_copies(1 << 20, 2)
        pinned = PyGPU.pagelocked_zeros(1 << 18)
        registered = np.zeros(1 << 18)
        a = PyGPU.zeros(1 << 18)
        with PyGPU.register(registered):
            for source in pinned, registered:
                with host.fail("cudaMemcpyAsync", error=999) as fault:
                    a.set(source)
                assert not fault.struck
    """)
