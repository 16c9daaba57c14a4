// Copying the fields that both layouts have.
#include "types/structs/layouts.hpp"

#include "binding/argument_errors.hpp"
#include "types/structs/numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pygpu {
namespace {

// Copies the bytes that fit. The rest must be zero.
bool copy_bytes(std::byte *to, std::size_t capacity, const std::byte *from, std::size_t size,
                const char *what, const ArgumentContext &context) {
    std::memcpy(to, from, std::min(capacity, size));
    if (size <= capacity || is_zero(from + capacity, size - capacity)) return true;
    return value_error(context, "sets more of '%s' than the loaded release has", what);
}

} // namespace

bool convert_layout(const Target &to, std::size_t layout, const std::byte *from,
                    const ArgumentContext &context) {
    const Layout &shape = to.kind.layout(layout);
    if (to.kind.is_union()) {
        return copy_bytes(to.data, to.shape().size, from, shape.size, to.kind.name(), context);
    }
    for (const Field &source : shape.fields) {
        const std::byte *bytes = from + source.offset;
        const Field *field = to.kind.field(to.layout, source.name);
        if (!field) {
            const bool empty = source.bits ? !load_integer(source, bytes) : is_zero(bytes, extent(source));
            if (empty || !source.positional) continue;
            return value_error(context, "sets '%s', which %s of the loaded release lacks: it belongs to %s",
                               source.name, to.kind.name(), to.kind.releases_with(source.name).c_str());
        }
        std::byte *at = to.data + field->offset;
        if (source.bits || field->bits) {
            store_number(*field, at, static_cast<unsigned long long>(load_integer(source, bytes)));
        } else if (source.role == Role::nested && field->role == Role::nested) {
            const PointerOwners owners = to.owners.at(field->offset);
            const std::uint32_t count = std::max(std::min(source.count, field->count), 1u);
            for (std::uint32_t item = 0; item < count; ++item) {
                const std::size_t offset = std::size_t{item} * field->size;
                const Target inner{to.kind.tables().structs[field->index], field->layout, at + offset,
                                   owners.at(offset)};
                if (!convert_layout(inner, source.layout, bytes + std::size_t{item} * source.size, context)) {
                    return false;
                }
            }
        } else if (!copy_bytes(at, extent(*field), bytes, extent(source), source.name, context)) {
            return false;
        }
    }
    return true;
}

} // namespace pygpu
