"""Names of other packages' classes that PyGPU's lack: the AttributeError says what is here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Elsewhere:
    """Such a name, as an attribute of the class.

    A `__getattr__` could say the same, but all attributes of the class would take longer.
    """

    def __init__(self, way: str) -> None:
        self._way = way

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner.__name__, name

    def __get__(self, instance: Any, kind: Any = None) -> NoReturn:
        raise AttributeError(f"{self._owner} has no {self._name}: {self._way}")


class HidesElsewhere:
    """Base of a class with such names: dir() leaves them out."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        lacking = {
            name
            for kind in type(self).__mro__
            for name, value in vars(kind).items()
            if isinstance(value, Elsewhere)
        }
        return [name for name in super().__dir__() if name not in lacking]
