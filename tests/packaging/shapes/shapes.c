/* The library behind shapes.h. */
#include "shapes.h"

shapes_status shapes_area(const shapes_box *box, double *area) {
    if (box->width < 0 || box->height < 0) return SHAPES_NEGATIVE;
    *area = box->width * box->height;
    return SHAPES_OK;
}

shapes_status shapes_largest(const double *areas, size_t count, size_t *at) {
    if (!count) return SHAPES_NONE;
    *at = 0;
    for (size_t one = 1; one < count; ++one)
        if (areas[one] > areas[*at]) *at = one;
    return SHAPES_OK;
}

shapes_status checked(int value) {
    return value < 0 ? SHAPES_NEGATIVE : SHAPES_OK;
}

shapes_status names(int value) {
    return checked(value);
}

const char *shapes_text(shapes_status status) {
    return status == SHAPES_OK ? "fine" : "not fine";
}
