// Buffers whose memory ends with something else: with another buffer, or with loaded code.
#include "arrays/memory/buffer.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

using All = std::unordered_multimap<const void *, Buffer *>;

// By what they end with. Guarded by the GIL.
All &dependents() {
    static auto *all = new All; // outlives every static destructor
    return *all;
}

// Removes what ends with `source` from the list.
void take(const void *source, std::vector<Retained<Buffer>> &taken) {
    const auto [begin, end] = dependents().equal_range(source);
    std::for_each(begin, end, [&](const auto &one) { taken.push_back(retained(*one.second)); });
    dependents().erase(begin, end);
}

} // namespace

void Buffer::end_with(const void *source) {
    source_ = source;
    dependents().emplace(source, this);
}

void Buffer::forget_source() {
    const auto [begin, end] = dependents().equal_range(source_);
    const auto entry = std::find_if(begin, end, [&](const auto &one) { return one.second == this; });
    if (entry != end) dependents().erase(entry);
}

void Buffer::end_dependents(const void *source, int why) {
    std::vector<Retained<Buffer>> ending;
    take(source, ending);
    for (std::size_t at = 0; at < ending.size(); ++at) take(ending[at].get(), ending);
    while (!ending.empty()) { // the last ones first: they lie in the others
        ending.back()->free(why);
        ending.pop_back();
    }
}

} // namespace pygpu::arrays
