// Listing what wasn't freed.
#include "observe/leaks.hpp"

#include "base/report.hpp"
#include "memory/allocation.hpp"
#include "memory/graph_memory.hpp"
#include "memory/origin.hpp"
#include "memory/virtual_memory.hpp"
#include "streams/plan.hpp"

#include <map>
#include <utility>

namespace pygpu::host {
namespace {

bool is_in_use(const Allocation &of_graph) {
    const auto memory = graph_memory_of(of_graph);
    return memory && memory->taken();
}

} // namespace

std::string leaks_text() {
    std::string pieces;
    std::size_t bytes = 0;
    int count = 0;
    std::map<std::pair<int, std::string>, std::pair<int, std::size_t>> of_kernels; // by device and place
    for (const Memory &memory : memory_of(-1)) {
        if (memory->kind == MemoryKind::registered || memory->owner == Owner::program) continue;
        if (memory->owner == Owner::graph && !is_in_use(*memory)) continue;
        if (memory->owner != Owner::mapping) bytes += memory->size;
        ++count;
        if (memory->owner != Owner::kernels) {
            pieces += "\n  " + describe(*memory);
            continue;
        }
        const auto origin = origins().find(*memory);
        auto &[number, size] = of_kernels[{memory->device, origin ? origin->place : ""}];
        ++number;
        size += memory->size;
    }
    pieces += unreleased_physical(bytes, count);
    for (const auto &[from, sum] : of_kernels)
        pieces += "\n  " + std::to_string(sum.second) + " bytes of the kernels' heap, in " +
                  std::to_string(sum.first) + (sum.first == 1 ? " piece" : " pieces") + ", device " +
                  std::to_string(from.first) + ", made by malloc" +
                  (from.second.empty() ? "() of a kernel" : " at " + from.second);
    if (!count) return "";
    const std::size_t kept = graphs().all().size(), ready = executables().all().size();
    if (kept + ready)
        pieces += "\n  not destroyed either, and may keep some of it: graphs " + std::to_string(kept) +
                  ", executable graphs " + std::to_string(ready);
    return std::to_string(count) + (count == 1 ? " piece of memory, " : " pieces of memory, ") +
           std::to_string(bytes) + (count == 1 ? " bytes, was not freed:" : " bytes, were not freed:") +
           pieces;
}

int report_leaks() {
    const std::string text = leaks_text();
    if (text.empty()) return 0;
    report(text);
    return 1;
}

} // namespace pygpu::host
