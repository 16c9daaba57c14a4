// The message on memory that is too short.
#include "convert/buffer_size.hpp"

namespace pygpu {

PyObject *too_short(const ArgumentContext &context, const SizeRequirement &need, std::size_t size) {
    value_error(context, "is too short: %zu needed, %zu given", need.size, size);
    return nullptr;
}

} // namespace pygpu
