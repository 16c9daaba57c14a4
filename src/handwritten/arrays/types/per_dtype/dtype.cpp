// Finding the dtype of a buffer's items by the buffer's format.
#include "arrays/types/per_dtype/dtype.hpp"

#include <bit>
#include <cstring>

namespace pygpu::arrays {
namespace {

static_assert(std::endian::native == std::endian::little, "the table's typestr says '<'");

struct Items {
    char kind = 0; // 0: not a number
    bool swapped = false;
};

Items items_of(const Py_buffer &buffer) {
    const char *format = buffer.format ? buffer.format : "B";
    Items items;
    if (std::strchr("@=<>!^", *format) && *format) {
        items.swapped = (*format == '>' || *format == '!') && buffer.itemsize > 1;
        ++format;
    }
    const bool complex = *format == 'Z';
    const char *letter = format + complex;
    if (!*letter || letter[1]) return items; // a struct, a string, a subarray
    if (std::strchr("efdg", *letter))
        items.kind = complex ? 'c' : 'f';
    else if (complex)
        return items;
    else if (*letter == '?')
        items.kind = 'b';
    else if (std::strchr("bhilqn", *letter))
        items.kind = 'i';
    else if (std::strchr("BHILQN", *letter))
        items.kind = 'u';
    return items;
}

} // namespace

const DType *find_dtype(char kind, std::size_t size) {
    for (const DType &one : dtypes) {
        if (one.kind == kind && one.size == size) return &one;
    }
    return nullptr;
}

bool check_items(const DType &dtype, const Py_buffer &buffer, const char *call, const char *family) {
    const Items items = items_of(buffer);
    const DType *actual = find_dtype(items.kind, static_cast<std::size_t>(buffer.itemsize));
    if (!actual) {
        PyErr_Format(PyExc_TypeError,
                     "%s(): the buffer's items have the format '%s' and %zd bytes: no %s class "
                     "holds them",
                     call, buffer.format ? buffer.format : "B", buffer.itemsize, family);
    } else if (items.swapped) {
        PyErr_Format(PyExc_TypeError,
                     "%s(): the buffer's numbers are big-endian, which devices can't read: pass "
                     "a.astype('%s')",
                     call, actual->name);
    } else if (actual != &dtype) {
        PyErr_Format(PyExc_TypeError, "%s(): the buffer holds %s: use %s_%s", call, actual->name, family,
                     actual->name);
    } else {
        return true;
    }
    return false;
}

} // namespace pygpu::arrays
