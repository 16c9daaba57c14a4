// Looking up what an enumerator stands for.
#include "types/by_enumerator/table.hpp"

#include "runtime/api.hpp"

#include <algorithm>

namespace pygpu {

const TypedCase *TypedTable::find(long long enumerator) const {
    auto found = std::ranges::lower_bound(cases, enumerator, {}, &TypedCase::enumerator);
    for (; found != cases.end() && found->enumerator == enumerator; ++found) {
        if (tables.api.may_be(found->since, found->until)) return found->field.type ? &*found : nullptr;
    }
    return nullptr;
}

std::size_t TypedTable::most_bytes() const {
    constexpr std::size_t usual = 64; // the size of all unions of launch attributes, and of shareable handles
    return whole < 0 ? usual : std::max(usual, tables.structs[static_cast<std::size_t>(whole)].size());
}

} // namespace pygpu
