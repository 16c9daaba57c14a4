"""The generated stubs of the package: those of each API, and those that APIs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment

from generator.errors import GeneratorError
from generator.plan.binding import BindingPlan
from generator.plan.stubs import stub_module
from generator.plan.stubs.names import public_names

# Where each template's text goes, below python/PyGPU/.
PER_API = {"api.pyi": "__init__.pyi", "checked.pyi": "checked.pyi"}
SHARED = {
    "PyGPU.pyi": "__init__.pyi",
    "gpuarray.pyi": "gpuarray.pyi",
    "portable_checked.pyi": "checked.pyi",
}


def render_shared(environment: Environment, plans: Sequence[BindingPlan]) -> dict[str, str]:
    """The stubs that several APIs share, by their paths below python/PyGPU/."""
    values = {"plans": plans, **_stars(plans)}
    files = {
        path: environment.get_template(f"stubs/{name}.j2").render(values)
        for name, path in SHARED.items()
    }
    for path, text in files.items():
        refuse_what_is_no_python(f"PyGPU/{path}", text)
    return files


def render_module(environment: Environment, plan: BindingPlan) -> dict[str, str]:
    """The stubs of one API by their paths below python/."""
    names = {name: f"{plan.folder}/{path}" for name, path in PER_API.items()}
    if not plan.in_core:
        names["extension.pyi"] = f"{plan.package}/{plan.module}.pyi"
    values = {"plan": plan, "stub": stub_module(plan)}
    files = {
        path: environment.get_template(f"stubs/{name}.j2").render(values)
        for name, path in names.items()
    }
    for path, text in files.items():
        refuse_what_is_no_python(path, text)
    return files


def _stars(plans: Sequence[BindingPlan]) -> dict[str, Any]:
    """The modules whose names PyGPU has, too, each with the codes of mypy's complaints.

    `kept` are the names of which `runtime`, the CUDA runtime, has another object than a later one.
    """
    (cuda,) = (plan for plan in plans if plan.in_core and not plan.manifest.stands_for)
    known = set(public_names(cuda))
    stars, kept = {cuda.imported_as: ["no-redef"]}, set()
    for plan in plans:
        if plan.manifest.portable_names:
            twice = known.intersection(public_names(plan))
            is_extra = bool(plan.manifest.extra)
            codes = ["no-redef"]
            if twice or is_extra:  # libraries have enums in common, such as cudaDataType_t
                codes += ["assignment"]
            if is_extra:  # it may not be installed
                codes += ["import-not-found", "unused-ignore"]
            stars[plan.imported_as] = codes
            kept |= twice
    return {"stars": stars, "kept": sorted(kept), "runtime": cuda.imported_as}


def refuse_what_is_no_python(path: str, text: str) -> None:
    """GeneratorError for a stub that Python can't read: two parameters of one name, say."""
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = (error.text or "").strip()
        raise GeneratorError(
            f"python/{path}:{error.lineno}: C's names make no Python: {error.msg}: {line}"
        ) from None
