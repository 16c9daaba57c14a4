// Copying arguments, and calling registered functions.
#include "code/launch.hpp"

#include "base/kernel_times.hpp"
#include "base/report.hpp"
#include "code/captured_launch.hpp"
#include "code/device_code.hpp"
#include "code/registered.hpp"
#include "common/demangled.hpp"
#include "device/facts.hpp"
#include "memory/seen_writes.hpp"
#include "streams/by_handle.hpp"
#include "streams/user_work.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace pygpu::host {
namespace {

thread_local const char *types = nullptr;

// Storage with an alignment that suits any parameter.
struct alignas(128) Chunk {
    char bytes[128];
};

// A launch that waits for its turn.
class Queued {
public:
    Queued(std::shared_ptr<Registered> kernel, const Launch &launch, std::string types)
        : kernel_(std::move(kernel)), grid_{launch.grid.x, launch.grid.y, launch.grid.z},
          block_{launch.block.x, launch.block.y, launch.block.z}, types_(std::move(types)) {}

    // False where a value is missing.
    bool copy(const Signature &parameters, const Arguments &arguments) {
        values_.resize((end_of(parameters) + sizeof(Chunk) - 1) / sizeof(Chunk));
        char *to = reinterpret_cast<char *>(values_.data());
        for (const Parameter &one : parameters) pointers_.push_back(to + one.offset);
        return copy_arguments(parameters, arguments, to);
    }

    char *values() { return reinterpret_cast<char *>(values_.data()); }

    void run() {
        types = types_.c_str();
        kernel_->function(static_cast<const unsigned *>(grid_), static_cast<const unsigned *>(block_),
                          static_cast<void *const *>(pointers_.data()));
        types = nullptr;
        count_all_as_written();
    }

private:
    std::shared_ptr<Registered> kernel_;
    unsigned grid_[3], block_[3];
    std::string types_;
    std::vector<Chunk> values_;
    std::vector<void *> pointers_;
};

Status refuse(const Kernel &kernel, const std::string &why, Status status = Status::not_supported) {
    report_once(demangled(kernel.name) + ": " + why + "; the launch returned " +
                (status == Status::not_supported ? "ErrorNotSupported (801)"
                 : status == Status::no_binary   ? "ErrorNoKernelImageForDevice (209)"
                                                 : "ErrorInvalidValue (1)"));
    return status;
}

std::string types_of(const Signature &parameters) {
    std::string text;
    for (const Parameter &one : parameters) {
        const bool block = one.type == "b8" && one.size != 1;
        text += (text.empty() ? "" : " ") + one.type + (block ? "[" + std::to_string(one.size) + "]" : "");
    }
    return text;
}

bool have_types(const Signature &parameters) {
    for (const Parameter &one : parameters) {
        if (one.type.empty()) return false;
    }
    return true;
}

// Whether two lists of parameters have the same sizes.
bool agree(const Signature &one, const Signature &other) {
    if (one.size() != other.size()) return false;
    for (std::size_t index = 0; index < one.size(); ++index) {
        if (one[index].size != other[index].size) return false;
    }
    return true;
}

bool fits(const Launch &launch) {
    const Facts &limits = facts();
    const auto within = [](unsigned value, int most) {
        return value && value <= static_cast<unsigned>(most);
    };
    const Dim &grid = launch.grid, &block = launch.block;
    return within(grid.x, limits.grid_x) && within(grid.y, limits.grid_yz) &&
           within(grid.z, limits.grid_yz) && within(block.x, limits.threads) &&
           within(block.y, limits.threads) && within(block.z, limits.block_z) &&
           std::uint64_t{block.x} * block.y * block.z <= static_cast<std::uint64_t>(limits.threads);
}

} // namespace

Status launch_kernel(const Kernel &kernel, const Launch &launch, const std::shared_ptr<Stream> &stream,
                     const Arguments &arguments) {
    if (!fits(launch)) return Status::invalid_configuration;
    const int most_shared = std::max(facts().shared, kernel.dynamic_shared->load());
    if (launch.shared > static_cast<std::size_t>(most_shared)) return Status::invalid_value;
    auto registered = registered_for(kernel.name);
    if (!registered && kernel.entry) return launch_code(kernel, launch, stream, arguments);
    if (!registered && kernel.is_cubin) {
        return refuse(
            kernel,
            "its image holds machine code of a card alone, and PyGPU.host.kernel() has registered no "
            "function for it; PTX can be run on the CPU: nvcc -gencode arch=compute_80,code=compute_80, "
            "or compile() with arch=\"compute_80\"",
            Status::no_binary);
    }
    if (!registered) {
        return refuse(kernel, "kernels can't be run on the CPU, and PyGPU.host.kernel() has registered no "
                              "function for this one");
    }
    const std::optional<Signature> &said = registered->parameters;
    if (said && kernel.parameters && !agree(*said, *kernel.parameters))
        return refuse(kernel, "PyGPU.host.kernel() was given other parameters than the device code has",
                      Status::invalid_value);
    const std::optional<Signature> &taken = kernel.parameters ? kernel.parameters : said;
    if (!taken)
        return refuse(kernel, "the device code doesn't tell its parameters: PyGPU.host.kernel() takes them");
    if (registered->needs_types && !said && !have_types(*taken))
        return refuse(kernel, "the device code doesn't tell the types of its parameters: "
                              "PyGPU.host.kernel() takes them");
    auto queued = std::make_shared<Queued>(std::move(registered), launch, types_of(*taken));
    if (!queued->copy(*taken, arguments)) return Status::invalid_value;
    std::unique_ptr<Work> work =
        make_user_work(stream->device, [queued, device = stream->device, id = number_of(*stream),
                                        name = std::string(kernel.name)] {
            const KernelRun running(name, device, id);
            queued->run();
        });
    work->task = Task::kernel;
    if (captures(*stream))
        describe(*work, *stream, kernel, launch, arguments, *taken, queued->values(), queued);
    stream->submit(std::move(work));
    return Status::success;
}

const char *types_of_arguments() { return types; }

} // namespace pygpu::host
