"""The TOML files of a new project, as `pygpu bind` writes them; a library escapes the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import tomlkit
from tomlkit import TOMLDocument, comment, nl
from tomlkit.items import Array

_RULES = """\
# What {header} doesn't say; PyGPU's documentation, "Rules", lists the kinds and their keys.
# After a change, run `pygpu bind` again.

# The releases whose functions you have read. In these, evidence in the header may decide outputs,
# and rules for many functions ([family."…"], [parameter.…]) count. In others these are proposals.
reviewed = []"""
_GUESSES = """
# Guesses from types and names; a guess does nothing while it is a comment. Compare each with the
# library's manual, correct it, and remove the # before it. Without a rule, Python callers pass the
# parameter as an address (an int)."""


def manifest(
    name: str,
    header: str,
    library: str,
    status: Mapping[str, str] | None,
    uses: Mapping[str, str],
) -> str:
    """api.toml. `uses` are the APIs whose headers it includes, each with a release."""
    doc = tomlkit.document()
    _say(
        doc,
        f"What PyGPU has to know of {header} and its library. PyGPU's documentation, "
        '"Adding an API", describes the keys.',
        "After a change, run `pygpu bind` again.",
    )
    doc.add(nl())
    doc.add("namespace", tomlkit.item(name))
    doc.add("own_package", tomlkit.item(True))
    doc.add("label", tomlkit.item(name))
    doc.add("vendor", tomlkit.item("its maker"))
    what = "every call returns (value, ..., error)" if status else "calls return their values"
    doc.add("summary", tomlkit.item(f"{header} under its own names; {what}."))
    if status:
        if status["type"] != status["class"]:
            _say(
                doc,
                "The statuses are plain numbers; a pattern `names` says which macros are their"
                " names.",
            )
        doc.add("status", tomlkit.item(dict(status)))
    else:
        _say(
            doc,
            "Functions that return an int as a status want a table such as this; `names` are the"
            " macros of its codes.",
            "[status]",
            'type = "int"',
            f'class = "{name}Status"',
            'names = "MINE_(OK|ERROR_.*)"',
        )
    if uses:
        _say(doc, "The APIs whose headers it includes, each with the release to read it with.")
        doc.add("depends", tomlkit.item(dict(uses)))
    _say(doc, "`variable` names the library's file; else it is searched for where the loader does.")
    doc.add("library", tomlkit.item({"stem": library, "variable": f"PYGPU_{name.upper()}_LIBRARY"}))
    return tomlkit.dumps(doc)


def releases(
    header: str, defines: Sequence[str], include: Sequence[str], exclude: Sequence[str]
) -> str:
    """releases.toml, without a release yet."""
    doc = tomlkit.document()
    _say(doc, f"How {header} is read, and which releases of it were. `pygpu bind` adds releases.")
    doc.add(nl())
    doc.add("header", tomlkit.item(header))
    for key, values in (("defines", defines), ("include", include), ("exclude", exclude)):
        if values:
            doc.add(key, _list(values))
    doc.add("releases", _list(()))
    return tomlkit.dumps(doc)


def rules(header: str, tables: Iterable[str]) -> str:
    """rules.toml: each proposed table stands there as a comment."""
    proposed = list(tables)
    lines = [_RULES.format(header=header), *([_GUESSES] if proposed else [])]
    for table in proposed:
        lines += ["", *(f"#{line}" for line in table.splitlines())]
    return "\n".join(lines) + "\n"


def package(name: str, header: str, version: str) -> str:
    """pyproject.toml; `version` is the generator's."""
    doc = tomlkit.document()
    _say(doc, f"How the Python package of {header} is built: `pip install .`")
    doc.add(nl())
    doc.add(
        "build-system",
        tomlkit.item(
            {
                "requires": ["scikit-build-core>=0.11", f"PyGPU[generator]=={version}"],
                "build-backend": "scikit_build_core.build",
            }
        ),
    )
    doc.add(
        "project",
        tomlkit.item(
            {
                "name": name,
                "version": "0.1.0",
                "description": f"{header} in Python",
                "requires-python": ">=3.10",
                "dependencies": [f"PyGPU~={version}"],
            }
        ),
    )
    doc.add(
        "tool",
        tomlkit.item(
            {
                "scikit-build": {
                    "minimum-version": "0.11",
                    "wheel": {"packages": [f"python/{name}"]},
                }
            }
        ),
    )
    return tomlkit.dumps(doc)


def _say(doc: TOMLDocument, *lines: str) -> None:
    """Comments, behind a blank line unless they are the first."""
    if doc.body:
        doc.add(nl())
    for line in lines:
        doc.add(comment(line))


def _list(values: Sequence[str]) -> Array:
    array = tomlkit.array()
    array.extend(values)
    return array
