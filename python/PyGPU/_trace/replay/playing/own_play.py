"""PyGPU's own calls, made by the bound functions that do the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import own
from .decode import Decoder, api_module

_DRIVER = {"cuda": "cu", "hip": "hip"}

Made = tuple[Callable[..., Any], tuple[Any, ...]]


def made(api: str, name: str, arguments: Mapping[str, Any], decoder: Decoder) -> Made:
    """A function and its arguments. Names of parameters are those of watched.cpp."""
    if name == own.LAUNCH:
        return _launch(api, arguments, decoder)
    given = _Decoded(decoder, arguments)
    short = name.removeprefix(api)

    def function(called: str) -> Any:
        return getattr(api_module(api), api + called)

    if short in ("Malloc", "MallocFromPoolAsync"):
        return function("Malloc"), (given["size"],)
    if short in ("Free", "FreeAsync"):
        return function("Free"), (given["devPtr"],)
    if short in ("MallocManaged", "HostAlloc"):
        called = "HostMalloc" if (api, short) == ("hip", "HostAlloc") else short
        return function(called), (given["size"], 1 if short == "MallocManaged" else 0)
    if short == "FreeHost":
        return function("HostFree" if api == "hip" else short), (given["ptr"],)
    if short == "StreamWaitEvent":
        return function(short), (given["stream"], given["event"], 0)
    if short == "StreamCreateWithPriority":
        return function(short), (0 if given["blocking"] else 1, given["priority"])
    if short == "Memcpy2DAsync":
        names = "dst dpitch src spitch width height kind stream"
        return function(short), tuple(given[one] for one in names.split())
    if short == "Memcpy3DAsync":
        return function(short), (_box(api, given), given["stream"])
    return function(short), tuple(given[one] for one in arguments)


class _Decoded(dict[str, Any]):
    """The arguments that are asked for. Others may name what a replay doesn't need, as a pool."""

    def __init__(self, decoder: Decoder, arguments: Mapping[str, Any]) -> None:
        self._decoder, self._arguments = decoder, arguments

    def __missing__(self, name: str) -> Any:
        self[name] = self._decoder.decoded(self._arguments[name])
        return self[name]


def _box(api: str, given: Mapping[str, Any]) -> Any:
    kind = getattr(api_module(api), f"{api}Memcpy3DParms")
    source = (given["src"], given["spitch"], given["width"], given["srows"])
    target = (given["dst"], given["dpitch"], given["width"], given["drows"])
    extent = (given["width"], given["height"], given["depth"])
    return kind(srcPtr=source, dstPtr=target, extent=extent, kind=given["kind"])


def _launch(api: str, arguments: Mapping[str, Any], decoder: Decoder) -> Made:
    name = str(arguments["name"])
    function = decoder.function(int(arguments["function"]["h"]), name)
    grid, block, cluster = (
        [int(one) for one in arguments[key]] for key in ("grid", "block", "cluster")
    )
    shared, stream = int(arguments["shared"]), decoder.decoded(arguments["stream"])
    values = [decoder.bytes_of_argument(str(one)) for one in arguments["parameters"]]
    driver = api_module(_DRIVER[api])
    sizes = (*grid, *block, shared, stream, values)
    if cluster[0]:
        config = driver.CUlaunchConfig(**_configuration(driver, grid, block, cluster, arguments))
        config.hStream = stream
        return driver.cuLaunchKernelEx, (config, function, values, None)
    if arguments["cooperative"]:
        called = "hipModuleLaunchCooperativeKernel" if api == "hip" else "cuLaunchCooperativeKernel"
        return getattr(driver, called), (function, *sizes)
    called = "hipModuleLaunchKernel" if api == "hip" else "cuLaunchKernel"
    return getattr(driver, called), (function, *sizes, None)


def _configuration(
    driver: Any, grid: list[int], block: list[int], cluster: list[int], given: Mapping[str, Any]
) -> dict[str, Any]:
    sizes = dict(zip(("gridDimX", "gridDimY", "gridDimZ"), grid, strict=True))
    sizes |= dict(zip(("blockDimX", "blockDimY", "blockDimZ"), block, strict=True))
    shape = dict(zip("xyz", cluster, strict=True))
    attributes = [
        {"id": driver.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, "value": {"clusterDim": shape}}
    ]
    if given["cooperative"]:
        value = {"id": driver.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, "value": {"cooperative": 1}}
        attributes.append(value)
    return {**sizes, "sharedMemBytes": int(given["shared"]), "attrs": attributes}
