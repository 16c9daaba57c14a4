"""Files that are written once, in CUDA's names, and read as HIP's."""

from __future__ import annotations

import pytest

from generator import emit
from generator.errors import GeneratorError
from generator.plan import portable


@pytest.fixture(scope="module")
def plans():
    return [emit._plan(name, emit.SPECS) for name in ("cuda_runtime", "hip_runtime")]


@pytest.fixture(scope="module")
def translated(plans):
    names = portable.names(*plans, portable.load(emit.SPECS))
    return lambda text: portable.translated(text, plans[1], names)


def test_names_become_their_counterparts_and_nothing_else_changes(translated):
    text = 'entries.cudaFreeHost(p) == cudaSuccess; // cuda, cudart, "mycudaMalloc", cudaMemPool_t'
    wanted = 'entries.hipHostFree(p) == hipSuccess; // cuda, cudart, "mycudaMalloc", hipMemPool_t'
    assert translated(text) == wanted


def test_a_name_without_counterpart_is_told(translated):
    with pytest.raises(GeneratorError, match="cudaGraphConditionalHandleCreate: HIP has no"):
        translated("entries.cudaGraphConditionalHandleCreate(&handle)")


def test_what_hip_has_by_a_like_name_is_served(plans):
    """A function of another form needs an adaptor, or "" in portable.toml: none is lost."""
    cuda, hip = plans
    exceptions = portable.load(emit.SPECS)
    served = {one.cuda for one in portable.names(cuda, hip, exceptions)}
    alike = portable.Alike(hip, exceptions["prefixes"])
    functions = {one.name for group in cuda.groups.values() for one in group}
    every = functions | {one.name for one in cuda.names}
    refused = {name for table in exceptions.values() for name, value in table.items() if not value}
    assert {name for name in every if alike.of(name)} - served == refused


def test_numbers_of_errors_mean_the_same(plans):
    """By which a code gets its counterpart, and CUDA's name on HIP."""
    codes = [{one.name: one.value for one in plan.names if one.kind == "error"} for plan in plans]
    renamed = {name.replace("hip", "cuda", 1): code for name, code in codes[1].items()}
    both = renamed.keys() & codes[0].keys()
    assert len(both) > 50
    assert {name: renamed[name] for name in both} == {name: codes[0][name] for name in both}


def test_kinds_of_counterparts(plans):
    """A type stands for a type, an enumerator for an enumerator."""
    cuda, hip = ({one.name: one.kind for one in plan.names} for plan in plans)
    for one in portable.names(*plans, portable.load(emit.SPECS)):
        if one.cuda in cuda and one.hip in hip:
            assert cuda[one.cuda] == hip[one.hip], one


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"values": {"cudaNothing": "hipSuccess"}}, "cudaNothing = 'hipSuccess' names what"),
        ({"values": {"cudaHostAllocDefault": "hipNothing"}}, "names what isn't there"),
        (
            {"same": {"cudaThreadExit": "cudaDeviceGetLimit"}},
            "cudaThreadExit is not cudaDeviceGetL",
        ),
    ],
)
def test_wrong_entries_are_told(plans, wrong, said):
    exceptions = {**portable.load(emit.SPECS), **wrong}
    with pytest.raises(GeneratorError, match=said):
        portable.names(*plans, exceptions)
