"""What PyGPU's own code calls: each API's names by their roles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator import emit
from generator.errors import GeneratorError
from generator.plan import portable
from generator.plan.roles import Roles


@pytest.fixture(scope="module")
def plans():
    return [emit._plan(name, emit.SPECS) for name in ("cuda_runtime", "hip_runtime")]


@pytest.fixture
def hips(plans):
    """HIP's roles, where its api.toml says more than it does."""

    def make(**said) -> Roles:
        cuda, hip = plans
        names = portable.names(cuda, hip, portable.load(emit.SPECS, "hip_runtime", "cuda_runtime"))
        return Roles(replace(hip, manifest=replace(hip.manifest, **said)), cuda.manifest, names)

    return make


def test_an_api_plays_the_roles_of_the_one_it_stands_for(plans, hips):
    cuda, hip = Roles(plans[0]), hips()
    assert (cuda["host_free"], hip["host_free"]) == ("cudaFreeHost", "hipHostFree")
    assert (cuda["stream"], hip["stream"]) == ("cudaStream_t", "hipStream_t")
    assert hip.number("capture_relaxed") == 2
    box = hip.struct("box_copy")
    assert (box["type"], box["from_rows"]) == ("hipMemcpy3DParms", "srcPtr.ysize")
    assert cuda.has("graph_of_node") and not hip.has("graph_of_node")


def test_its_own_manifest_comes_first(hips):
    hip = hips(
        roles={"malloc": "hipExtMallocWithFlags"},
        structs={"box_copy": {"type": "hipMemcpy3DPeerParms", "from": "srcArray"}},
    )
    assert hip["malloc"] == "hipExtMallocWithFlags"
    assert (hip["free"], hip.struct("box_copy")["from"]) == ("hipFree", "srcArray")


def test_everything_that_is_missing_is_named(hips):
    hip = hips(structs={"box_copy": {"type": "hipMemcpy3DParms"}})
    for asked in (hip, hip.struct("box_copy"), hip.struct("launch_config")):
        for role in ("graph_of_node", "from"):
            asked[role]
    with pytest.raises(GeneratorError) as raised:
        hip.check()
    assert str(raised.value) == (
        "api_specs/hip_runtime/api.toml: say what plays these roles: "
        "structs.launch_config: type; roles: graph_of_node (cudaGraphNodeGetContainingGraph); "
        "roles: from; structs.box_copy: graph_of_node; structs.box_copy: from"
    )


def test_a_role_that_no_template_has_is_refused(hips):
    with pytest.raises(GeneratorError, match="no such role: mallok"):
        hips(roles={"mallok": "hipMalloc"}).check()


def test_what_is_named_exists(hips):
    with pytest.raises(
        GeneratorError, match="malloc = 'hipMalloK' names something that doesn't exist"
    ):
        hips(roles={"malloc": "hipMalloK"})
    with pytest.raises(GeneratorError, match=r"compiler\.kinds\.x: function = 'hipX' names some"):
        hips().function("compiler.kinds.x: function", "hipX")
    path = "srcPtr.size"
    said = r"'srcPtr\.size': hipMemcpy3DParms has no such field"
    box = hips(structs={"box_copy": {"type": "hipMemcpy3DParms", "from": path}}).struct("box_copy")
    with pytest.raises(GeneratorError, match=said):
        box["from"]
