"""The types of other APIs that an API uses: which modules have their classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from generator.errors import GeneratorError
from generator.manifest import Handles, Manifest
from generator.model import Api
from generator.rules import Rules

KINDS = ("structs", "enums", "handles")


def homes(
    api: Api,
    status: str,
    rules: Rules,
    depends: Mapping[str, Manifest],
    own: Collection[str] = (),
) -> Mapping[str, str]:
    """For each type that another API's headers declare, the module with its class.

    The enum of this API's statuses is always its own, and so are the types in `own`. GeneratorError
    for a type of an API that the manifest doesn't depend on, and for a rule by which Python would
    own another API's handle.
    """
    result = {}
    for kind in KINDS:
        for name, forms in getattr(api, kind).items():
            owner = forms[-1].node.source.owner
            if owner is None or name == status or name in own:
                continue
            if owner not in depends:
                raise GeneratorError(
                    f"{name} ({forms[-1].node.source}): api.toml depends on no {owner}"
                )
            result[name] = depends[owner].imported_as
    if wrong := sorted(result.keys() & rules.handles.keys()):
        raise GeneratorError(
            f"api_specs/{api.name}/rules.toml: handle.{wrong[0]}: its class is {result[wrong[0]]}'s"
        )
    return result


def handles(manifest: Manifest, depends: Mapping[str, Manifest]) -> Handles:
    """The handles that mean something to PyGPU: an API's own, else those of APIs it depends on."""
    every = [manifest.handles, *(one.handles for one in depends.values())]
    return Handles(
        next((one.stream for one in every if one.stream), None),
        next((one.event for one in every if one.event), None),
        next((one.node for one in every if one.node), None),
        tuple(name for one in every for name in one.kernels),
        {name: tags for one in reversed(every) for name, tags in one.take.items()},
    )
