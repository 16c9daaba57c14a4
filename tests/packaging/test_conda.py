"""The recipe of the conda package: rattler-build accepts it, and it agrees with pyproject.toml."""

from __future__ import annotations

import sys

import pytest

import PyGPU
from tests.conftest import ROOT, required

RECIPE = (ROOT / "conda" / "recipe.yaml").read_text()


def test_a_field_that_no_recipe_has_is_refused():
    builder = required("rattler_build")
    with pytest.raises(builder.RecipeParseError, match="licence"):
        builder.Stage0Recipe.from_yaml(RECIPE.replace("license:", "licence:"))


def test_recipe_renders():
    builder = required("rattler_build")
    compilers = {"cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]}
    variants = builder.VariantConfig({"python": ["3.10.*", "3.13.*"], **compilers})
    packages = builder.Stage0Recipe.from_yaml(RECIPE).render(variants)
    rendered = [(one.recipe.package.name, one.recipe.package.version) for one in packages]
    assert rendered == [("pygpu", PyGPU.__version__)] * 2


def test_recipe_needs_what_the_project_needs():
    tomllib = required("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = required("yaml").safe_load(RECIPE)
    needed = {name.replace(" ", "") for name in recipe["requirements"]["host"]}
    assert needed == {"python", "pip", *project["build-system"]["requires"]}
    assert recipe["requirements"]["run"] == ["python", *project["project"]["dependencies"]]
    assert recipe["about"]["license"] == project["project"]["license"]
    assert recipe["about"]["summary"] == project["project"]["description"]
    files = {path for one in recipe["about"]["license_file"] for path in ROOT.glob(one)}
    patterns = project["project"]["license-files"]
    assert files == {path for pattern in patterns for path in ROOT.glob(pattern)}
    for test in recipe["tests"]:
        for file in test.get("files", {}).get("source", []):
            assert (ROOT / file).is_file()
