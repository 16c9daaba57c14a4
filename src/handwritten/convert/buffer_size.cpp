// The message on memory that is too short.
#include "convert/buffer_size.hpp"

namespace pygpu {

PyObject *too_short(const Place &place, const Need &need, std::size_t size) {
    value_error(place, "is too short: %zu needed, %zu given", need.size, size);
    return nullptr;
}

} // namespace pygpu
