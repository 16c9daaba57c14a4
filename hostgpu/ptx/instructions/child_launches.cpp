// Launches, copies and sets by kernels: nvcc's <<<...>>> in device code is a call for a buffer of parameters,
// and a call that launches (cuda_device_runtime_api.h of CUDA 12.0 and later).
#include "ptx/instructions/child_launches.hpp"

#include "ptx/instructions/builtin_calls.hpp"
#include "ptx/machine/lanes.hpp"
#include "ptx/read/loaded.hpp"

#include <array>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

using Extent = std::array<std::uint32_t, 3>;

constexpr int success = 0, invalid_value = 1, out_of_memory = 2, invalid_configuration = 9,
              invalid_function = 98;
constexpr std::uint64_t tail_launch = 3; // cudaStreamTailLaunch
constexpr std::uint64_t most_threads = 1024;
constexpr Extent most_threads_of{1024, 1024, 64}, most_blocks_of{0x7fffffff, 0xffff, 0xffff};

std::uint64_t thread_of(const Warp &w, unsigned lane) {
    const Block &block = *w.block;
    const std::uint32_t *const grid = block.launch.grid;
    const std::uint64_t number = block.at[0] + grid[0] * (block.at[1] + std::uint64_t{grid[1]} * block.at[2]);
    return number * most_threads + w.number * 32 + lane;
}

// The result of a call, which is the thread's last error, too.
void end(const Instr *i, Warp &w, unsigned lane, int error) {
    if (error) w.block->launch.children.set_error(thread_of(w, lane), error);
    give(i, w, lane, std::int32_t{error});
}

bool fits(const Extent &size, const Extent &most) {
    for (std::size_t at = 0; at < 3; ++at) {
        if (!size[at] || size[at] > most[at]) return false;
    }
    return true;
}

// The buffer for a grid's parameters; null, with the thread's last error, where it can't be launched.
const Instr *parameter_buffer(const Instr *i, Warp &w) {
    Launch &launch = w.block->launch;
    each_active(w, [&](unsigned l) {
        ChildWork work;
        work.entry = launch.loaded->function_at(argument<std::uint64_t>(i, w, 0, l));
        const auto blocks = argument<Extent>(i, w, 1, l), threads = argument<Extent>(i, w, 2, l);
        std::ranges::copy(blocks, work.blocks);
        std::ranges::copy(threads, work.threads);
        work.shared = argument<std::uint32_t>(i, w, 3, l);
        void *buffer = nullptr;
        int error = success;
        if (!work.entry || !work.entry->entry || !work.entry->defined) {
            error = invalid_function;
        } else if (!fits(blocks, most_blocks_of) || !fits(threads, most_threads_of) ||
                   std::uint64_t{threads[0]} * threads[1] * threads[2] > most_threads) {
            error = invalid_configuration;
        } else {
            work.parameters.resize(launch.loaded->body(*work.entry).parameters_size);
            buffer = launch.memories->allocate(std::max(work.parameters.size(), std::size_t{1}), {});
            if (!buffer) error = out_of_memory;
        }
        if (buffer) launch.children.prepare(reinterpret_cast<std::uint64_t>(buffer), std::move(work));
        if (error) launch.children.set_error(thread_of(w, l), error);
        give(i, w, l, reinterpret_cast<std::uint64_t>(buffer));
    });
    return i + 1;
}

const Instr *launch_grid(const Instr *i, Warp &w) {
    Launch &launch = w.block->launch;
    each_active(w, [&](unsigned l) {
        const auto buffer = argument<std::uint64_t>(i, w, 0, l);
        ChildWork work;
        if (!launch.children.take_prepared(buffer, work)) return end(i, w, l, invalid_value);
        auto *const written = reinterpret_cast<char *>(buffer);
        if (!work.parameters.empty()) std::memcpy(work.parameters.data(), written, work.parameters.size());
        launch.memories->release(written, {});
        ++launch.released;
        work.last = argument<std::uint64_t>(i, w, 1, l) == tail_launch;
        launch.children.queue(std::move(work));
        end(i, w, l, success);
    });
    return i + 1;
}

// cudaMemcpyAsync(to, from, size, kind, stream)
const Instr *copy_bytes(const Instr *i, Warp &w) {
    each_active(w, [&](unsigned l) {
        ChildWork work;
        work.kind = ChildWork::copy;
        work.to = argument<std::uint64_t>(i, w, 0, l);
        work.from = argument<std::uint64_t>(i, w, 1, l);
        work.size = argument<std::uint64_t>(i, w, 2, l);
        work.last = argument<std::uint64_t>(i, w, 4, l) == tail_launch;
        if (work.size) w.block->launch.children.queue(std::move(work));
        end(i, w, l, success);
    });
    return i + 1;
}

// cudaMemsetAsync(to, value, size, stream)
const Instr *set_bytes(const Instr *i, Warp &w) {
    each_active(w, [&](unsigned l) {
        ChildWork work;
        work.kind = ChildWork::set;
        work.to = argument<std::uint64_t>(i, w, 0, l);
        work.value = static_cast<std::uint8_t>(argument<std::uint32_t>(i, w, 1, l));
        work.size = argument<std::uint64_t>(i, w, 2, l);
        work.last = argument<std::uint64_t>(i, w, 3, l) == tail_launch;
        if (work.size) w.block->launch.children.queue(std::move(work));
        end(i, w, l, success);
    });
    return i + 1;
}

template <bool forgets> const Instr *last_error(const Instr *i, Warp &w) {
    each_active(w, [&](unsigned l) {
        give(i, w, l, std::int32_t{w.block->launch.children.error(thread_of(w, l), forgets)});
    });
    return i + 1;
}

} // namespace

Handler child_handler_of(Builtin::BuiltinKind kind) {
    switch (kind) {
    case Builtin::parameter_buffer:
        return parameter_buffer;
    case Builtin::launch_grid:
        return launch_grid;
    case Builtin::copy_bytes:
        return copy_bytes;
    case Builtin::set_bytes:
        return set_bytes;
    case Builtin::peek_error:
        return last_error<false>;
    default:
        return last_error<true>;
    }
}

} // namespace pygpu::host::ptx
