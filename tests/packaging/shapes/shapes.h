/* A small C library of somebody's, for test_generator_wheel.py. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stddef.h>

typedef enum { SHAPES_OK = 0, SHAPES_NEGATIVE = 1, SHAPES_NONE = 2 } shapes_status;

typedef struct {
    double width, height;
} shapes_box;

shapes_status shapes_area(const shapes_box *box, double *area);
shapes_status shapes_largest(const double *areas, size_t count, size_t *at);
const char *shapes_text(shapes_status status);

/* Names that the module, or the C++ behind it, has itself. */
shapes_status checked(int value);
shapes_status names(int value);

#endif
