// Looking up what an enumerator stands for.
#include "typed/table.hpp"

#include <algorithm>

namespace pygpu {

const TypedCase *TypedTable::find(long long enumerator) const {
    const auto found = std::ranges::lower_bound(cases, enumerator, {}, &TypedCase::enumerator);
    return found != cases.end() && found->enumerator == enumerator && found->field.type ? &*found : nullptr;
}

std::size_t TypedTable::room() const {
    constexpr std::size_t usual = 64; // of every union of launch attributes, and of shareable handles
    return whole < 0 ? usual : std::max(usual, structs[static_cast<std::size_t>(whole)].size());
}

} // namespace pygpu
