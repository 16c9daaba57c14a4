// Defaults of fields.
#include "types/structs/target.hpp"

#include "types/structs/numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pygpu {
namespace {

// The members of a union stay zero, because nobody has chosen one of them.
void set_defaults(const StructClass &kind, std::size_t layout, std::byte *data) {
    if (kind.is_union()) return;
    for (const Field &field : kind.layout(layout).fields) {
        if (!field.positional) continue;
        if (field.default_value) store_number(field, data + field.offset, field.default_value);
        if (field.role != Role::nested) continue;
        for (std::uint32_t at = 0; at < std::max(field.count, 1u); ++at) {
            set_defaults(kind.tables().structs[field.index], field.layout,
                         data + field.offset + std::size_t{at} * field.size);
        }
    }
}

} // namespace

void apply_defaults(const Target &target) { set_defaults(target.kind, target.layout, target.data); }

void reset(const Target &target) {
    std::memset(target.data, 0, target.shape().size);
    apply_defaults(target);
}

std::size_t positions(const Layout &shape) {
    return static_cast<std::size_t>(std::ranges::count_if(shape.fields, &Field::positional));
}

} // namespace pygpu
