// A kernel's attributes, as they follow from its PTX.
#include "api/attributes.hpp"

#include "device/facts.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <cstdint>

namespace pygpu::host {
namespace {

// The registers that the PTX declares, counted in 32 bits, but at most as many as a thread of a card has. A
// compiler for a card usually needs fewer; an interpreter is not limited by them.
int declared_registers(const ptx::Function &entry) {
    constexpr std::size_t most = 255;
    std::size_t sum = 0;
    for (const ptx::Type &one : entry.registers)
        sum += one.kind == ptx::Type::predicate ? 0 : (one.width() + 31) / 32;
    return static_cast<int>(std::min(sum, most));
}

constexpr unsigned occupancy_flags = 1;

bool fits(const Kernel &kernel, int threads, std::size_t dynamic) {
    const auto used = static_cast<std::size_t>(kernel_attribute(kernel, static_shared));
    const auto most = static_cast<std::size_t>(facts().shared_most);
    return threads <= kernel_attribute(kernel, threads_per_block) && used <= most && dynamic <= most - used;
}

// How many blocks a multiprocessor runs at once; 0 where none fits.
int blocks_at_once(const Kernel &kernel, int threads, std::size_t dynamic) {
    if (!fits(kernel, threads, dynamic)) return 0;
    constexpr int warp = 32;
    const Facts &all = facts();
    const auto shared = static_cast<std::size_t>(kernel_attribute(kernel, static_shared)) + dynamic +
                        static_cast<std::size_t>(all.shared_reserved);
    return std::min({all.blocks_at_once, all.threads_at_once / ((threads + warp - 1) / warp * warp),
                     static_cast<int>(static_cast<std::size_t>(all.shared_all) / shared)});
}

} // namespace

int kernel_attribute(const Kernel &kernel, int attribute) {
    const ptx::Function *const entry = kernel.entry;
    switch (attribute) {
    case threads_per_block:
        if (entry && entry->threads[0])
            return static_cast<int>(entry->threads[0] * std::max(entry->threads[1], 1u) *
                                    std::max(entry->threads[2], 1u));
        return entry && entry->most_threads ? static_cast<int>(entry->most_threads) : facts().threads;
    case static_shared:
        return entry ? static_cast<int>(kernel.code->static_shared(*entry)) : 0;
    case constant_memory:
        return entry ? static_cast<int>(kernel.code->constant_size()) : 0;
    case local_memory:
        return entry ? static_cast<int>(kernel.code->body(*entry).local) : 0;
    case registers:
        return entry ? declared_registers(*entry) : 0;
    case ptx_version:
        return entry ? static_cast<int>(kernel.code->program->target) : 0;
    case binary_version: // what a driver compiles PTX for
        return entry ? 10 * facts().major + facts().minor : 0;
    case dynamic_shared:
        return *kernel.dynamic_shared ? kernel.dynamic_shared->load() : facts().shared;
    case cluster_must_be_set:
        return entry && entry->in_clusters && !entry->cluster[0];
    case cluster_width:
    case cluster_height:
    case cluster_depth:
        if (!entry || !entry->cluster[0]) return 0;
        return static_cast<int>(std::max(entry->cluster[attribute - cluster_width], 1u));
    case large_clusters:
        return *kernel.large_clusters ? 1 : 0;
    default:
        return 0;
    }
}

Status get_kernel_attribute(const Kernel &kernel, int attribute, int *value) {
    if (!value) return Status::invalid_value;
    *value = kernel_attribute(kernel, attribute);
    return Status::success;
}

Status set_attribute(const Kernel &kernel, int attribute, int value) {
    if (attribute < dynamic_shared || value < -1) return Status::invalid_value;
    if (attribute == large_clusters) {
        if (value < 0) return Status::invalid_value;
        *kernel.large_clusters = value != 0;
    }
    if (attribute != dynamic_shared) return Status::success;
    const auto has = static_cast<std::size_t>(kernel_attribute(kernel, static_shared));
    if (value < 0 || has + static_cast<std::size_t>(value) > static_cast<std::size_t>(facts().shared_most))
        return Status::invalid_value;
    *kernel.dynamic_shared = value;
    return Status::success;
}

Status get_max_active_blocks(const Kernel &kernel, int threads, std::size_t dynamic, unsigned flags,
                             int *count) {
    if (!count || threads <= 0 || flags & ~occupancy_flags) return Status::invalid_value;
    *count = blocks_at_once(kernel, threads, dynamic);
    return Status::success;
}

Status get_block_size(const Kernel &kernel, std::size_t (*dynamic_of)(int threads), std::size_t dynamic,
                      int limit, unsigned flags, int *blocks, int *threads) {
    if (!blocks || !threads || limit < 0 || flags & ~occupancy_flags) return Status::invalid_value;
    constexpr int warp = 32;
    const int most = kernel_attribute(kernel, threads_per_block);
    int best = 0, at_once = 0;
    for (int size = limit ? std::min(limit, most) : most; size > 0; size = (size - 1) / warp * warp) {
        const int now = blocks_at_once(kernel, size, dynamic_of ? dynamic_of(size) : dynamic);
        if (now * size <= at_once * best) continue;
        best = size;
        at_once = now;
    }
    *threads = best;
    *blocks = facts().cores * at_once;
    return Status::success;
}

// A core runs all blocks of a cluster. A launch without clusters has none that run.
Status get_max_active_clusters(const Kernel &kernel, const Launch &launch, int *count) {
    if (!count) return Status::invalid_value;
    const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    std::uint64_t blocks = 1; // the kernel's own size of a cluster, or 0, where the launch has none
    for (const int size : {cluster_width, cluster_height, cluster_depth})
        blocks *= static_cast<std::uint64_t>(kernel_attribute(kernel, size));
    if (launch.in_clusters) blocks = std::uint64_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
    int most = 0;
    if (const Status status = get_max_cluster_size(kernel, launch, &most); status != Status::success)
        return status;
    if ((launch.in_clusters && !blocks) || blocks > static_cast<std::uint64_t>(most))
        return Status::invalid_cluster_size;
    *count = blocks && fits(kernel, static_cast<int>(threads), launch.shared) ? facts().cores : 0;
    return Status::success;
}

Status get_max_cluster_size(const Kernel &kernel, const Launch &launch, int *size) {
    constexpr int portable = 8, most = 16;
    const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    if (!size || !threads || threads > static_cast<std::uint64_t>(facts().threads))
        return Status::invalid_value;
    *size = *kernel.large_clusters ? most : portable;
    return Status::success;
}

// Each block has its part of a multiprocessor's memory, but no more than the kernel may ask for. As an H200
// answers, whose multiprocessors run as many blocks at once.
Status get_available_shared(const Kernel &kernel, int blocks, int threads, std::size_t *size) {
    constexpr int most_blocks = 32;
    if (!size || blocks <= 0 || blocks > most_blocks || threads <= 0 || !fits(kernel, threads, 0))
        return Status::invalid_value;
    if (blocks * threads > facts().threads * 2) return Status::invalid_value;
    const int used = kernel_attribute(kernel, static_shared);
    const int most = *kernel.dynamic_shared ? kernel.dynamic_shared->load() : facts().shared - used;
    *size = static_cast<std::size_t>(std::clamp(facts().shared_all / blocks - used, 0, std::max(most, 0)));
    return Status::success;
}

} // namespace pygpu::host
