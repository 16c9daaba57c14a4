"""PyCUDA's classes of constants: the driver's enumerators without their prefix."""

from __future__ import annotations

from typing import Any

from PyGPU._kernels import driver


class Constants:
    """The enumerators of one enum of the driver API, for the backend in use."""

    def __init__(self, name: str, enum: str, prefix: str) -> None:
        self.__name__ = name
        self._enum = enum
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self.__name__} has no constant {name!r}")
        try:
            value = driver.constant(self._prefix + name)
        except AttributeError:
            raise AttributeError(
                f"{self.__name__} has no constant {name!r}: there is no {self._prefix}{name} on "
                "this backend"
            ) from None
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        """The names that the backend in use has."""
        from PyGPU import cu

        start = len(self._prefix)
        names = dir(getattr(cu, self._enum))
        listed = [one[start:] for one in names if one.startswith(self._prefix)]
        return [one for one in listed if hasattr(self, one)]

    def __repr__(self) -> str:
        return f"<PyGPU.driver.{self.__name__}: {self._enum} without {self._prefix}>"


class host_alloc_flags:  # noqa: N801 - PyCUDA's name
    """Flags of pagelocked_empty(). All page-locked memory of PyGPU's is portable and mapped."""

    PORTABLE, DEVICEMAP, WRITECOMBINED = 1, 2, 4


class mem_host_register_flags:  # noqa: N801 - PyCUDA's name
    """Flags of register_host_memory()."""

    PORTABLE, DEVICEMAP = 1, 2


class array3d_flags:  # noqa: N801 - PyCUDA's name
    """Flags of ArrayDescriptor3D."""

    LAYERED, SURFACE_LDST, CUBEMAP, TEXTURE_GATHER = 1, 2, 4, 8
    ARRAY3D_LAYERED, ARRAY3D_SURFACE_LDST, ARRAY3D_CUBEMAP, ARRAY3D_TEXTURE_GATHER = 1, 2, 4, 8


array_format = Constants("array_format", "CUarray_format", "CU_AD_FORMAT_")
address_mode = Constants("address_mode", "CUaddress_mode", "CU_TR_ADDRESS_MODE_")
filter_mode = Constants("filter_mode", "CUfilter_mode", "CU_TR_FILTER_MODE_")
array_cubemap_face = Constants("array_cubemap_face", "CUarray_cubemap_face", "CU_CUBEMAP_FACE_")
ctx_flags = Constants("ctx_flags", "CUctx_flags", "CU_CTX_")
event_flags = Constants("event_flags", "CUevent_flags", "CU_EVENT_")
device_attribute = Constants("device_attribute", "CUdevice_attribute", "CU_DEVICE_ATTRIBUTE_")
pointer_attribute = Constants("pointer_attribute", "CUpointer_attribute", "CU_POINTER_ATTRIBUTE_")
function_attribute = Constants("function_attribute", "CUfunction_attribute", "CU_FUNC_ATTRIBUTE_")
func_cache = Constants("func_cache", "CUfunc_cache", "CU_FUNC_CACHE_")
shared_config = Constants("shared_config", "CUsharedconfig", "CU_SHARED_MEM_CONFIG_")
memory_type = Constants("memory_type", "CUmemorytype", "CU_MEMORYTYPE_")
compute_mode = Constants("compute_mode", "CUcomputemode", "CU_COMPUTEMODE_")
jit_option = Constants("jit_option", "CUjit_option", "CU_JIT_")
jit_input_type = Constants("jit_input_type", "CUjitInputType", "CU_JIT_INPUT_")
jit_target = Constants("jit_target", "CUjit_target", "CU_TARGET_")
jit_fallback = Constants("jit_fallback", "CUjit_fallback", "CU_")
mem_attach_flags = Constants("mem_attach_flags", "CUmemAttach_flags", "CU_MEM_ATTACH_")
limit = Constants("limit", "CUlimit", "CU_LIMIT_")
ipc_mem_flags = Constants("ipc_mem_flags", "CUipcMem_flags", "CU_IPC_MEM_")
