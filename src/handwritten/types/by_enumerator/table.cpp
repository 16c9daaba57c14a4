// Looking up what an enumerator stands for.
#include "types/by_enumerator/table.hpp"

#include "runtime/api.hpp"

#include <algorithm>

namespace pygpu {

const TypedCase *TypedTable::find(long long enumerator) const {
    auto one = std::ranges::lower_bound(cases, enumerator, {}, &TypedCase::enumerator);
    for (; one != cases.end() && one->enumerator == enumerator; ++one) {
        if (tables.api.may_be(one->since, one->until)) return one->field.type ? &*one : nullptr;
    }
    return nullptr;
}

std::size_t TypedTable::most_bytes() const {
    constexpr std::size_t usual = 64; // the size of all unions of launch attributes, and of shareable handles
    return whole < 0 ? usual : std::max(usual, tables.structs[static_cast<std::size_t>(whole)].size());
}

} // namespace pygpu
