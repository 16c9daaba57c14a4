// What the runtime does for a launch of PTX: it finds the memory that kernels access, and queues the launch.
#include "code/device_code.hpp"

#include "base/call.hpp"
#include "base/context.hpp"
#include "base/kernel_times.hpp"
#include "base/process.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "code/captured_launch.hpp"
#include "code/registered.hpp"
#include "code/run_grid.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "image/texture_objects.hpp"
#include "memory/freed.hpp"
#include "memory/graph_memory.hpp"
#include "memory/seen_writes.hpp"
#include "memory/virtual_memory.hpp"
#include "ptx/instructions/all.hpp"
#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"
#include "streams/by_handle.hpp"
#include "streams/condition.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace pygpu::host {
namespace {

// A kernel's malloc() and free(), for reports.
constexpr Call malloc_call{"malloc", nullptr, Vendor::cuda, Guard::light, false};
constexpr Call free_call{"free", nullptr, Vendor::cuda, Guard::light, false};

// Where the kernel is that calls them.
class AtPlace {
public:
    explicit AtPlace(const std::string &place) : before_(thread().place) {
        thread().place = place.empty() ? nullptr : &place;
    }
    ~AtPlace() { thread().place = before_; }
    AtPlace(const AtPlace &) = delete;
    AtPlace &operator=(const AtPlace &) = delete;

private:
    const std::string *before_;
};

// The runtime's allocations, and a device's heap of kernels' malloc().
class Allocations final : public ptx::Memories {
public:
    explicit Allocations(int device) : device_(device) {}

    std::shared_ptr<const void> find(std::uintptr_t address, AddressRange &range) override {
        Memory memory = memory_at(reinterpret_cast<const void *>(address));
        const unsigned access = memory ? access_of(*memory, device_) : 0;
        if (!(access & may_read) || !is_held(*memory)) return nullptr;
        const auto base = reinterpret_cast<std::uintptr_t>(memory->base);
        range = {base, base + memory->size, memory->writable && access & may_write};
        return memory;
    }

    ptx::WriteFlags written(std::uintptr_t address) override {
        const Memory memory = memory_at(reinterpret_cast<const void *>(address));
        if (!memory) return {};
        const auto base = reinterpret_cast<std::uintptr_t>(memory->base);
        const auto bytes = written_of(memory);
        return {{base, base + memory->size}, bytes ? bytes->at(memory->base) : nullptr, fresh_pattern};
    }

    void around(std::uintptr_t address, AddressRange &before, AddressRange &after) override {
        Memory first, second;
        memory_around(reinterpret_cast<const void *>(address), first, second);
        const auto range_of = [](const Memory &one) {
            const auto base = reinterpret_cast<std::uintptr_t>(one->base);
            return AddressRange{base, base + one->size, one->writable};
        };
        if (first) before = range_of(first);
        if (second) after = range_of(second);
    }

    std::shared_ptr<const Texture> texture(std::uint64_t handle, bool surface, const char *&why) override {
        return usable_texture(handle, surface, why);
    }

    ptx::FreedPiece freed(std::uintptr_t address) override {
        FreedRecord record = record_of_freed(reinterpret_cast<const void *>(address));
        if (record.piece.empty()) return {};
        return {reinterpret_cast<std::uintptr_t>(record.base), std::move(record.piece),
                record.at.empty() ? "by " + record.by : record.at + ", by " + record.by};
    }

    void *allocate(std::size_t size, const std::string &place) override {
        const Inside inside(malloc_call);
        const AtPlace here(place);
        if (!size || !reserve_heap(device_, size, device(device_).limit(heap_limit))) return nullptr;
        Memory memory;
        if (host::allocate(MemoryKind::device, device_, size, 0, memory, Owner::kernels) != Status::success) {
            return_heap(device_, size);
            return nullptr;
        }
        return memory->base;
    }

    bool set_condition(std::uint64_t handle, unsigned value) override {
        const std::shared_ptr<Condition> condition = condition_of(handle);
        if (condition) condition->value = value;
        return condition != nullptr;
    }

    Released release(void *memory, const std::string &place) override {
        const Inside inside(free_call);
        const AtPlace here(place);
        const Memory allocation = memory_at(memory);
        if (!allocation) return lately_freed(memory) ? Released::before : Released::never;
        if (allocation->owner != Owner::kernels) return Released::never;
        if (allocation->base != memory) return Released::inside;
        return forget(allocation) ? Released::now : Released::before;
    }

private:
    const int device_;
};

Allocations &allocations(int device) {
    static auto *const all = [] { // never destroyed: launches come until the end
        auto *instance = new std::vector<Allocations>;
        for (int number = 0; number < all_devices(); ++number) instance->emplace_back(number);
        return instance;
    }();
    return (*all)[static_cast<std::size_t>(device)];
}

} // namespace

std::shared_ptr<ptx::Loaded> link_code(const Code &code, const std::vector<Variable> &variables,
                                       const NamedHandles &textures) {
    if (!code.program) return nullptr;
    ptx::Loaded::Addresses addresses;
    for (const Variable &one : variables)
        addresses[one.name] = reinterpret_cast<std::uint64_t>(one.memory->base);
    for (const auto &[name, handle] : textures) addresses[name] = reinterpret_cast<std::uint64_t>(handle);
    auto loaded = std::make_shared<ptx::Loaded>(code.program, std::move(addresses), ptx::all_instructions(),
                                                settings().check);
    for (const ptx::Global &from : code.variables) {
        const auto to = std::ranges::find(variables, from.name, &Variable::name);
        if (to == variables.end()) continue;
        for (const ptx::AddressIn &one : from.addresses) {
            const std::uint64_t value =
                (loaded->address_of(one.symbol).value_or(0) + one.offset) >> one.shift;
            if (one.at <= to->size && to->size - one.at >= one.size)
                std::memcpy(to->memory->base + one.at, &value, one.size);
        }
    }
    return loaded;
}

Kernel kernel_in(const Code &code, const CodeKernel &from, std::shared_ptr<ptx::Loaded> loaded) {
    Kernel kernel{from.name, from.parameters};
    kernel.is_cubin = code.is_cubin;
    if (!loaded) return kernel;
    const auto entry = code.program->by_name.find(from.name);
    if (entry != code.program->by_name.end() && entry->second->entry && entry->second->defined)
        kernel.entry = entry->second;
    kernel.code = std::move(loaded);
    return kernel;
}

namespace {

unsigned bits_in(const std::vector<std::uint32_t> &mask) {
    unsigned bits = 0;
    for (const std::uint32_t word : mask) bits += static_cast<unsigned>(std::popcount(word));
    return bits;
}

// CUDA Driver API, "cuLaunchKernelEx": "the grid dimension must be a multiple of the cluster dimension".
// Eight blocks are portable; an H200 has 16 for kernels that ask for it (CUDA C++ Programming Guide, "Thread
// Block Clusters").
Status set_cluster(const Kernel &kernel, const Launch &setup, ptx::LaunchSetup &launch) {
    constexpr std::uint64_t most_portable = 8, most = 16;
    const ptx::Function &entry = *kernel.entry;
    const std::uint32_t asked[3] = {setup.cluster.x, setup.cluster.y, setup.cluster.z};
    const bool required = entry.cluster[0] != 0;
    launch.explicit_cluster = setup.in_clusters || required;
    if (!launch.explicit_cluster) return entry.in_clusters ? Status::invalid_value : Status::success;
    for (int at = 0; at < 3; ++at) {
        std::uint32_t &size = launch.cluster[at];
        size = required ? std::max(entry.cluster[at], 1u) : asked[at];
        if (!size || (required && setup.in_clusters && asked[at] != size)) return Status::invalid_value;
    }
    std::uint64_t blocks = 1;
    for (const std::uint32_t size : launch.cluster) {
        if (size > most) return Status::invalid_value;
        blocks *= size;
    }
    if (blocks > most) return Status::invalid_value;
    if (blocks > (*kernel.large_clusters ? most : most_portable) ||
        (entry.most_in_cluster && blocks > entry.most_in_cluster))
        return Status::invalid_cluster_size;
    for (int at = 0; at < 3; ++at) {
        if (launch.grid[at] % launch.cluster[at]) return Status::invalid_value;
    }
    return Status::success;
}

} // namespace

Status launch_code(const Kernel &kernel, const Launch &setup, const std::shared_ptr<Stream> &stream,
                   const Arguments &arguments) {
    auto launch = std::make_shared<ptx::LaunchSetup>();
    const ptx::Function &entry = *kernel.entry;
    const std::uint32_t threads = setup.block.x * setup.block.y * setup.block.z;
    if (entry.most_threads && threads > entry.most_threads) return Status::invalid_value;
    const std::uint32_t block[3] = {setup.block.x, setup.block.y, setup.block.z};
    for (int at = 0; at < 3; ++at) {
        if (entry.threads[0] && block[at] != std::max(entry.threads[at], 1u)) return Status::invalid_value;
    }
    const bool asked = *kernel.dynamic_shared;
    const auto most = static_cast<std::size_t>(asked ? facts().shared_most : facts().shared);
    if (kernel.code->static_shared(entry) + setup.shared > most) return Status::invalid_value;
    launch->loaded = kernel.code;
    launch->body = &kernel.code->body(entry);
    launch->grid[0] = setup.grid.x;
    launch->grid[1] = setup.grid.y;
    launch->grid[2] = setup.grid.z;
    std::copy_n(block, 3, launch->block);
    if (const Status status = set_cluster(kernel, setup, *launch); status != Status::success) return status;
    launch->dynamic_shared = setup.shared;
    if (!stack_of(*launch, threads, stream->device)) return Status::launch_out_of_resources;
    launch->cores = static_cast<std::uint32_t>(facts().processors);
    launch->multiprocessors = static_cast<std::uint32_t>(facts().cores);
    if (const auto green = green_context_of(*stream)) launch->cores = std::min(launch->cores, green->share);
    if (!stream->mask.empty()) launch->cores = std::max(1u, std::min(launch->cores, bits_in(stream->mask)));
    launch->memories = &allocations(stream->device);
    launch->ending = &process.ending;
    launch->origins = settings().origins();
    launch->cooperative = setup.cooperative;
    if (setup.cooperative) launch->workspace.resize(64);
    launch->parameters.resize(std::max(end_of(*kernel.parameters), launch->body->parameters_size));
    if (!copy_arguments(*kernel.parameters, arguments, launch->parameters.data()))
        return Status::invalid_value;
    auto work = make_work(
        [launch, number = stream->device, id = number_of(*stream)] {
            const KernelRun running(launch->body->function->name, number, id);
            run_grid(*launch, number);
        },
        Task::kernel);
    if (captures(*stream))
        describe(*work, *stream, kernel, setup, arguments, *kernel.parameters, launch->parameters.data(),
                 launch);
    stream->submit(std::move(work));
    return Status::success;
}

} // namespace pygpu::host
