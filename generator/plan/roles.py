"""The names by which PyGPU's own C++ uses an API: each plays a role in a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.errors import GeneratorError
from generator.manifest import Manifest
from generator.plan.binding import BindingPlan, StructType
from generator.plan.portable import Portable

_NOTHING = "nothing"  # printed for what is missing; check() then refuses the file


class Roles:
    """What plays the roles of templates/arrays.cpp.j2 and own_calls.cpp.j2 in one API.

    Its api.toml says so. If the API stands for another one, `other`, whose names it serves by
    `names`, a role that its api.toml leaves out is played by the counterpart of the other API's.
    """

    def __init__(
        self, plan: BindingPlan, other: Manifest | None = None, names: Sequence[Portable] = ()
    ) -> None:
        self._plan, self._manifest, self._other = plan, plan.manifest, other
        self._served = {one.cuda: one.hip for one in names}
        self._numbers = {one.name: one.value for one in plan.names}
        self._structs = {one.name: one for one in plan.names if one.kind == "struct_type"}
        handles = plan.manifest.handles
        known = {"stream": handles.stream, "event": handles.event, **plan.manifest.roles}
        self._own = {role: name for role, name in known.items() if name}
        self._functions = {one.name for one in plan.entries}
        for role, name in plan.manifest.roles.items():
            if name not in self._numbers:
                self.function(f"roles: {role}", name)
        self._used: set[str] = set()
        self._missing: dict[str, None] = {}

    def __getitem__(self, role: str) -> str:
        """The name in C; templates spell it `its.malloc`."""
        if name := self._name(role):
            return name
        return self._lacks(f"roles: {role}", (self._other.roles if self._other else {}).get(role))

    def function(self, where: str, name: str) -> str:
        """A function's name that stands in the manifest; GeneratorError if there is none."""
        if name not in self._functions:
            raise self._error(f"{where} = {name!r} names something that doesn't exist")
        return name

    def has(self, role: str) -> bool:
        """Whether anything plays a role."""
        return bool(self._name(role))

    def number(self, role: str, otherwise: int | None = None) -> int:
        """The number of an enumerator or a constant; `otherwise` if nothing plays the role."""
        if otherwise is not None and not self.has(role):
            return otherwise
        return self._numbers.get(self[role], 0)

    def struct(self, role: str) -> Struct:
        """A struct, and the paths of its fields by what they mean."""
        self._used.add(role)
        if role in self._manifest.structs:
            fields = self._manifest.structs[role]
            type_ = fields.get("type", "")
        else:
            fields = self._other.structs.get(role, {}) if self._other else {}
            type_ = self._served.get(fields.get("type", ""), "")
        where = f"structs.{role}"
        if type_ not in self._structs:
            self._lacks(f"{where}: type", fields.get("type"))
            return Struct(self, where, {}, None)
        struct = self._plan.struct_types[self._structs[type_].index]
        return Struct(self, where, {**fields, "type": type_}, struct)

    def check(self) -> None:
        """GeneratorError for roles that nothing plays, and for those that no template has."""
        if self._missing:
            raise self._error(f"say what plays these roles: {'; '.join(self._missing)}")
        said = {*self._manifest.roles, *self._manifest.structs}
        if unknown := sorted(said - self._used):
            raise self._error(f"no such role: {', '.join(unknown)}")

    def field(self, where: str, path: str, struct: StructType) -> str:
        """A path, such as "location.id", of fields that exist."""
        step: StructType | None = struct
        for name in path.split("."):
            fields = step.bound.fields if step else ()
            one = next((field for field in fields if field.name == name), None)
            if one is None:
                raise self._error(f"{where} = {path!r}: {struct.name} has no such field")
            step = self._plan.struct_types[one.index] if one.role == "nested" else None
        return path

    def lacks_field(self, where: str) -> str:
        """Notes a field that is missing."""
        return self._lacks(where, None)

    def _name(self, role: str) -> str | None:
        self._used.add(role)
        if role in self._own or self._other is None:
            return self._own.get(role)
        return self._served.get(self._other.roles.get(role, ""))

    def _lacks(self, role: str, other: str | None) -> str:
        self._missing[f"{role} ({other})" if other else role] = None
        return _NOTHING

    def _error(self, said: str) -> GeneratorError:
        return GeneratorError(f"api_specs/{self._plan.api}/api.toml: {said}")


class Struct:
    """A struct of C: `struct["type"]` and the paths of its fields."""

    def __init__(
        self, roles: Roles, where: str, fields: Mapping[str, str], struct: StructType | None
    ) -> None:
        self._roles, self._where, self._fields, self._struct = roles, where, fields, struct

    def __getitem__(self, key: str) -> str:
        if self._struct is None:
            return _NOTHING
        if key == "type":
            return self._fields[key]
        if key not in self._fields:
            return self._roles.lacks_field(f"{self._where}: {key}")
        return self._roles.field(f"{self._where}: {key}", self._fields[key], self._struct)
