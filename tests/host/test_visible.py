"""Which devices a program sees by the vendors' variables, of three that the host runtime has."""

from __future__ import annotations

import ctypes
import os

NONE: list[int] = []
ALL = [0, 1, 2]
FIRST = "GPU-50794750-5520-686f-7374-000000000000"  # NVIDIA's name of the first device
THIRD = FIRST[:-1] + "2"
AMD_FIRST, AMD_THIRD = "GPU-5079475000000000", "GPU-5079475000000002"

# NVIDIA's answers: an H200 (driver 13.0). A device that is named twice is an error of its own.
TWICE = 101
NVIDIA = {
    "": NONE, " ": NONE, "0": [0], "2": [2], "2,0": [2, 0], "0,1,2": ALL, "1,2,0": [1, 2, 0],
    "-1": NONE, "0,-1": [0], "0,-1,1": [0], "-1,0": NONE, "3": NONE, "0,3,1": [0], "3,0": NONE,
    "0,0": TWICE, "1,2,1": TWICE, "0,3,0": [0], f"{FIRST},{FIRST}": TWICE,
    "junk": NONE, "0,junk,1": [0], "junk,0": NONE, "0junk,1": [0, 1], " 0": [0], "0 ": [0],
    "0, 1": [0, 1], "0 1": [0], "0;1": [0], ",0": NONE, "0,,1": [0], "0,": [0], "00": [0],
    "+0": [0], "0x1": [0], "1.5": [1], "01": [1],
    FIRST: [0], THIRD: [2], f"{THIRD},{FIRST}": [2, 0], f"{THIRD},1": [2], f"0,{THIRD}": [0],
    "GPU-ffffffff": NONE, "GPU-ffffffff,0": NONE, FIRST + "f": [0], "gpu" + FIRST[3:]: NONE,
    FIRST[:10]: NONE, "GPU-": NONE, FIRST[4:]: NONE, " " + FIRST: NONE, "MIG-" + FIRST: NONE,
}  # fmt: skip

# AMD's: the sources that visible.cpp names.
HIP = {
    "": ALL, "0": [0], "2,0": [2, 0], "0,0,1": [0, 1], "0,-1,1": [0], "-1": NONE, "3": NONE,
    "0,3,1": [0], "junk": NONE, " 0": NONE, "0, 1": [0], "0,": [0], "00": NONE, "+0": NONE,
    "0x1": NONE, AMD_FIRST: [0], AMD_THIRD: [2], f"{AMD_THIRD},0": [2, 0], AMD_FIRST[:9]: [0],
    "GPU-": [0], "GPU-ff": NONE,
}  # fmt: skip
ROCR = {
    "": NONE, "0": [0], "2,0": [2, 0], "0,0,1": [0], "0,-1,1": [0], "-1": NONE, "3": NONE,
    "junk": NONE, " 0": [0], "0, 1": [0, 1], "00": [0], "0x1": [1], "0,1,2,0": ALL, "GPU-": NONE,
    AMD_THIRD: [2], AMD_THIRD.lower(): [2], AMD_THIRD[:-1]: NONE, f"{AMD_THIRD},1": [2, 1],
    AMD_THIRD + "0": NONE,
}  # fmt: skip

CASES = [
    *(("cuda", {"CUDA_VISIBLE_DEVICES": text}, seen) for text, seen in NVIDIA.items()),
    *(("hip", {"HIP_VISIBLE_DEVICES": text}, seen) for text, seen in HIP.items()),
    *(("hip", {"CUDA_VISIBLE_DEVICES": text}, seen) for text, seen in HIP.items()),
    *(("hip", {"ROCR_VISIBLE_DEVICES": text}, seen) for text, seen in ROCR.items()),
    ("cuda", {"HIP_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "1"}, ALL),
    ("hip", {"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "2"}, [1]),
    ("hip", {"HIP_VISIBLE_DEVICES": "", "CUDA_VISIBLE_DEVICES": "2"}, [2]),
    ("hip", {"ROCR_VISIBLE_DEVICES": "2,1", "HIP_VISIBLE_DEVICES": "1,0"}, [1, 2]),
    ("hip", {"ROCR_VISIBLE_DEVICES": "2", "HIP_VISIBLE_DEVICES": "2"}, NONE),
]


# Forks a process for each case. The process prints the numbers in its devices' names.
def see(path, cases):
    library = ctypes.CDLL(path)
    for api, variables, _ in cases:
        child = os.fork()
        if not child:
            os.environ.update(variables)
            print(seen_by(library, api), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def seen_by(library, api):
    count, text = ctypes.c_int(-1), ctypes.create_string_buffer(64)
    none = getattr(library, f"{api}GetDeviceCount")(ctypes.byref(count))
    assert none in ((0,) if count.value else (100, TWICE))
    if api == "cuda":
        assert library.cuInit(0) == none
    numbers = []
    for device in range(count.value):
        assert getattr(library, f"{api}SetDevice")(device) == 0
        name = library.cuDeviceGetName if api == "cuda" else library.hipDeviceGetName
        assert name(text, len(text), device) == 0
        number = int(text.value.split()[-1])
        assert getattr(library, f"{api}DeviceGetPCIBusId")(text, len(text), device) == 0
        assert text.value == b"0000:%02x:00.0" % (number + 1)
        result = ctypes.c_int(-1)
        assert getattr(library, f"{api}DeviceGetByPCIBusId")(ctypes.byref(result), text) == 0
        assert result.value == device
        numbers.append(number)
    assert getattr(library, f"{api}SetDevice")(count.value) == (none or 101)
    pointer = ctypes.c_void_p()
    assert getattr(library, f"{api}Malloc")(ctypes.byref(pointer), 64) == none
    return TWICE if none == TWICE else numbers


def test_the_vendors_variables_choose_devices_and_their_order(python, host_library):
    done = python(see, str(host_library), CASES, PYGPU_HOST_DEVICES="3")
    lines = [
        (*case, line)
        for case, line in zip(CASES, done.stdout.splitlines(), strict=True)
        if str(case[-1]) != line
    ]
    assert lines == []


def test_a_device_has_the_same_name_in_every_order(python, host_library):
    """Two processes that see devices in different orders know which is which."""
    done = python(uuids, str(host_library), PYGPU_HOST_DEVICES="3")
    straight, turned, amd, amd_turned = done.stdout.splitlines()
    assert straight.split() == turned.split()[::-1]
    assert amd.split() == amd_turned.split()[::-1]
    assert len({*straight.split(), *amd.split()}) == 4


def uuids(path):
    library = ctypes.CDLL(path)
    for api, variables in (
        ("cu", {"CUDA_VISIBLE_DEVICES": "0,2"}), ("cu", {"CUDA_VISIBLE_DEVICES": "2,0"}),
        ("hip", {"HIP_VISIBLE_DEVICES": "0,2"}), ("hip", {"HIP_VISIBLE_DEVICES": "2,0"}),
    ):  # fmt: skip
        child = os.fork()
        if not child:
            os.environ.update(variables)
            getattr(library, f"{api}Init")(0)
            name = library.cuDeviceGetUuid_v2 if api == "cu" else library.hipDeviceGetUuid
            created = ctypes.create_string_buffer(16)
            print(*(name(created, number) or created.raw.hex() for number in range(2)), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
