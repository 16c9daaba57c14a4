"""How a user uses the package that `pygpu bind` made from shapes.h."""

import pickle

import shapes
from shapes import checked

import PyGPU

area, error = shapes.shapes_area({"width": 2.0, "height": 3.0})
assert (area, error) == (6.0, shapes.SHAPES_OK)
assert repr(error) == "<shapes_status: code=0>"
area, error = shapes.shapes_area(shapes.shapes_box(width=-1.0, height=3.0))
assert area is None
assert error is shapes.shapes_status.SHAPES_NEGATIVE

areas = [1.0, 9.0, 3.0]
assert shapes.shapes_largest(areas, 3) == (1, shapes.SHAPES_OK)
assert checked.shapes_largest(areas, 2) == 1


def refusal(*arguments: object) -> str:
    try:
        checked.shapes_largest(*arguments)
    except (ValueError, PyGPU.GPUError) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError(f"{arguments} were taken")


assert "ValueError: " in refusal(areas, 4)
assert "'areas' is too short: 4 needed, 3 given" in refusal(areas, 4)
assert "GPUError: " in refusal(areas, 0)
assert "SHAPES_NONE" in refusal(areas, 0)

try:
    print(shapes.shapes_aera)
except AttributeError as wrong:
    said = str(wrong)
assert "Did you mean 'shapes_area'?" in said

box = shapes.shapes_box(width=1.0, height=2.0)
for one in (box, error, shapes.shapes_area):
    assert pickle.loads(pickle.dumps(one)) == one
assert shapes.shapes_text(0) == "fine"
for call in (shapes.checked_, shapes.names, checked.checked_, checked.names):
    assert call(1) in (shapes.SHAPES_OK, None)
assert shapes.checked_(-1) == shapes.SHAPES_NEGATIVE
assert shapes.address("checked_") != shapes.address("names")
assert shapes.__path__
print(shapes.__name__, shapes._shapes.__name__)
