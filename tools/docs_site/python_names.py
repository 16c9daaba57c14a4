"""Makes the reference of the handwritten classes and functions, from their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import PyGPU

_SECTIONS = {
    "Arrays": "GPUArray empty empty_like zeros zeros_like ones ones_like full full_like arange "
    "to_gpu to_gpu_async copy concatenate stack reshape transpose ready wait",
    "Exchange with other libraries": "asarray from_dlpack",
    "Streams, events and devices": "Stream Event device",
    "Memory": "DeviceMemory HostMemory MemoryInfo register managed_empty managed_zeros "
    "pagelocked_empty pagelocked_empty_like pagelocked_zeros pagelocked_zeros_like memory_info "
    "trim_memory get_allocator set_allocator set_pinned_limit set_pool_threshold",
    "Kernels": "SourceModule Module Kernel CompileError CompileWarning",
    "Errors": "GPUError GPUMemoryError check",
    "Backends and builds": "use get_include get_cmake_dir",
}
_HEAD = """# Python names

The classes and functions that PyGPU adds to the C functions. Each is a name of the module `PyGPU`.
The text is that of `help()`.
"""


def python_page() -> str:
    """A MyST page with every name of `_SECTIONS`; AttributeError for a name that PyGPU lacks."""
    parts = [_HEAD]
    for title, names in _SECTIONS.items():
        parts.append(f"## {title}\n")
        for name in names.split():
            parts += _entry(name, getattr(PyGPU, name))
    return "\n".join(parts)


def _entry(name: str, value: object) -> Iterator[str]:
    if not inspect.isclass(value):
        yield _directive("function", f"PyGPU.{name}{_signature(value)}", value)
        return
    kind = "exception" if issubclass(value, BaseException | Warning) else "class"
    yield _directive(kind, f"PyGPU.{name}{_signature(value)}", value)
    for member in dir(value):
        found = inspect.getattr_static(value, member)
        of_python = member in dir(BaseException)
        if member.startswith("_") or of_python or not _described(found):
            continue
        if isinstance(found, classmethod | staticmethod):
            found = found.__func__
        if inspect.isroutine(found) and not inspect.isdatadescriptor(found):
            yield _directive("method", f"PyGPU.{name}.{member}{_signature(found)}", found)
        else:
            yield _directive("attribute", f"PyGPU.{name}.{member}", found)


def _described(member: object) -> bool:
    """Whether a member has a docstring of its own, and not only the one of its type."""
    text = getattr(member, "__doc__", None)
    return bool(text) and text != type(member).__doc__


def _signature(value: object) -> str:
    """The parameters without their types, which are in the stubs."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except ValueError:  # a default that is a class, such as `float`
        return getattr(value, "__text_signature__", None) or "(...)"
    plain = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in found.parameters.values()
        if one.name != "self"
    ]
    bare = found.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    return re.sub(r"<[^>]*>", "...", str(bare))


def _directive(kind: str, what: str, value: object) -> str:
    text = (inspect.getdoc(value) or "").strip()
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        aligned = re.search(r"^\s", paragraph, re.MULTILINE) or paragraph.startswith("kernel(")
        if aligned:
            paragraphs.append(f"```text\n{paragraph}\n```")
        else:
            paragraphs.append(re.sub(r"(?<![`\w])(\*+)(?=\w)", r"\\\1", paragraph))
    body = "\n\n".join(paragraphs)
    return f":::::{{py:{kind}}} {what}\n{body}\n:::::\n"
