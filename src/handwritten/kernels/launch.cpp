// One launch: its arguments, the order with other work on the arrays' memory, the call, and its errors.
#include "kernels/launch.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/exchange/device.hpp"
#include "arrays/streams/argument.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/transfer/in_flight.hpp"
#include "binding/function_record.hpp"
#include "kernels/arguments.hpp"
#include "kernels/configuration.hpp"
#include "kernels/kernel.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "trace/keep.hpp"
#include "trace/locate.hpp"
#include "trace/on.hpp"
#include "trace/span.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pygpu::kernels {
namespace {

using arrays::Buffer;
using arrays::Runtime;
using arrays::Scope;
using arrays::StreamArgument;

int call_untraced(const Kernel &kernel, const Configuration &how, const Runtime &runtime,
                  arrays::Stream stream, void **arguments) {
    const auto &[grid_x, grid_y, grid_z] = how.grid;
    const auto &[block_x, block_y, block_z] = how.block;
    if (how.cluster[0])
        return runtime.launch_clusters(
            kernel.launchers.clusters,
            {how.grid.data(), how.block.data(), how.cluster.data(), how.shared, how.cooperative, stream},
            kernel.function, arguments);
    if (how.cooperative)
        return kernel.launchers.cooperative(kernel.function, grid_x, grid_y, grid_z, block_x, block_y,
                                            block_z, how.shared, stream, arguments);
    return kernel.launchers.plain(kernel.function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                  how.shared, stream, arguments, nullptr);
}

// The sizes of the parameters, as the code declares them or the runtime tells; none if neither is known.
std::optional<std::vector<std::size_t>> sizes_of_parameters(const Kernel &kernel, const Runtime &runtime) {
    std::vector<std::size_t> sizes;
    if (kernel.known) {
        for (const Parameter &one : *kernel.known) sizes.push_back(one.size);
        return sizes;
    }
    if (!runtime.api.own.function_parameter) return std::nullopt;
    ErrorStateGuard guard(runtime.api.own);
    std::size_t offset = 0, size = 0;
    while (!guard(runtime.api.own.function_parameter(kernel.function, sizes.size(), &offset, &size)))
        sizes.push_back(size);
    return sizes;
}

// The launch with its arguments by value, for a replay.
void keep(trace::KeptOwnCall &kept, const Kernel &kernel, const Configuration &how, const Runtime &runtime,
          arrays::Stream stream, void **arguments) {
    static const trace::OwnCall launching{
        runtime.api.name, "pygpuLaunch",
        "function\0address\0name\0text\0grid\0bytes\0block\0bytes\0cluster\0bytes\0cooperative\0int\0"
        "shared\0int\0stream\0handle @Stream_t\0known\0int\0"};
    std::vector<std::byte> memory(1 << 16);
    trace::Items items(memory.data(), memory.data() + memory.size());
    items.add_address(kernel.function);
    items.add_text(kernel.name);
    for (const Dimensions *one : {&how.grid, &how.block, &how.cluster})
        items.add_bytes(one->data(), sizeof *one);
    items.add_signed(how.cooperative);
    items.add_unsigned(how.shared);
    items.add_address(stream);
    const auto sizes = sizes_of_parameters(kernel, runtime);
    items.add_signed(sizes.has_value());
    for (std::size_t at = 0; sizes && at < sizes->size(); ++at) items.add_bytes(arguments[at], (*sizes)[at]);
    const auto used = static_cast<std::size_t>(items.at() - memory.data());
    kept.begin(runtime.api, launching, {memory.data(), used});
}

int call(const Kernel &kernel, const Configuration &how, const Runtime &runtime, arrays::Stream stream,
         void **arguments) {
    if (!trace::is_on()) [[likely]]
        return call_untraced(kernel, how, runtime, stream, arguments);
    // The tables of parameters are alike for all runtimes, which have one backend in a process.
    static const trace::OwnCall launching{
        runtime.api.name, runtime.driver_calls.launch,
        "f\0text\0gridDim\0dim3\0blockDim\0dim3\0sharedMemBytes\0int\0stream\0handle @Stream_t\0"};
    trace::Span span;
    span.begin(launching);
    span.items().add_text(kernel.name);
    span.items().add_struct(how.grid.data(), sizeof how.grid);
    span.items().add_struct(how.block.data(), sizeof how.block);
    span.items().add_unsigned(how.shared);
    span.items().add_address(stream);
    trace::KeptOwnCall kept;
    if (trace::is_keeping()) keep(kept, kernel, how, runtime, stream, arguments);
    span.start();
    int status = call_untraced(kernel, how, runtime, stream, arguments);
    span.returned(status);
    span.end();
    if (!status && trace::is_locating()) status = trace::wait_for(runtime.api, stream);
    kept.end(status, {});
    return status;
}

// A thread that has not called the runtime yet has no context. Then this makes one and calls again.
int call_with_context(const Kernel &kernel, const Configuration &how, const Runtime &runtime, int device,
                      arrays::Stream stream, void **arguments) {
    GilReleased released(true);
    int status = call(kernel, how, runtime, stream, arguments);
    if (!status || status != runtime.codes.no_context) return status;
    status = runtime.set_device(device);
    if (!status) status = runtime.free(nullptr); // until CUDA 12, set_device() alone made none
    return status ? status : call(kernel, how, runtime, stream, arguments);
}

// The dynamic shared memory that a block may have by itself, on all devices.
constexpr unsigned shared_without_asking = 48 << 10;

// Whether the arguments are those of a launch in CuPy: kernel((4,), (256,), (a, b)).
bool is_cupys(PyObject *const *values, Py_ssize_t count) {
    return count == 3 &&
           std::ranges::all_of(std::span(values, 3), [](PyObject *one) { return PyTuple_Check(one); });
}

bool check(const Kernel &kernel, const Configuration &how, PyObject *const *values, Py_ssize_t count) {
    const char *name = kernel.name.c_str();
    if (!how.block[0] && is_cupys(values, count)) {
        PyErr_Format(PyExc_TypeError,
                     "%s(): %s(grid, block, arguments) is CuPy's form: write %s(*arguments, grid=grid, "
                     "block=block)",
                     name, name, name);
        return false;
    }
    if (!how.block[0]) {
        PyErr_Format(PyExc_TypeError,
                     "%s(): block is missing: %s(..., grid=(x, y, z), block=(x, y, z)) or "
                     "%s[grid, block](...)",
                     name, name, name);
        return false;
    }
    const unsigned long long threads = 1ull * how.block[0] * how.block[1] * how.block[2];
    if (kernel.most_threads && (threads > kernel.most_threads || how.block[0] > kernel.most_threads ||
                                how.block[1] > kernel.most_threads)) {
        PyErr_Format(PyExc_ValueError,
                     "%s(): a block of (%u, %u, %u) has too many threads: the kernel takes %u", name,
                     how.block[0], how.block[1], how.block[2], kernel.most_threads);
        return false;
    }
    if ((how.cluster[0] && !kernel.launchers.clusters) ||
        (how.cooperative && !kernel.launchers.cooperative)) {
        PyErr_Format(PyExc_NotImplementedError, "%s(): the loaded driver has no %s launches", name,
                     how.cluster[0] ? "cluster" : "cooperative");
        return false;
    }
    return true;
}

void go_on(std::span<const Buffer::Using> uses, arrays::Stream stream, int device) {
    for (const Buffer::Using &one : uses) one.buffer().go_on_with_use(stream, device);
}

// The default streams have numbers of their own beside 0.
bool is_same(arrays::Stream one, arrays::Stream other, const Runtime &runtime) {
    return arrays::number_of(runtime, one) == arrays::number_of(runtime, other);
}

// The launch comes after the work that is queued on the streams of foreign arrays.
int begin_after_producers(const Runtime &runtime, Scope &scope, const StreamArgument &stream,
                          std::span<const StreamArgument> producers) {
    int status = arrays::success;
    for (const StreamArgument &one : producers) {
        if (status || is_same(one.stream, stream.stream, runtime)) continue;
        const int device = one.device == arrays::any_device ? scope.device() : one.device;
        status = order(runtime, scope, stream.stream, one.stream, device);
    }
    return status;
}

// Whether a launch on this stream needs no preparation: the device is current, no capture is under way, and
// all memory is in order there. Then the uses are begun. Asks the driver, because the runtime's answers take
// several times as long.
bool begin_simply(const Launchers &driver, const Runtime &runtime, int device, const StreamArgument &stream,
                  const Launch &arguments) {
    if (!std::ranges::all_of(arguments.producers, [&](const StreamArgument &one) {
            return is_same(one.stream, stream.stream, runtime);
        }))
        return false;
    const std::span<const Buffer::Using> uses = arguments.uses;
    int current = 0, capturing = 0;
    if (driver.get_device(&current) || current != device) return false;
    const bool may_capture = stream.stream || runtime.api.per_thread;
    if (may_capture && (driver.get_capturing(stream.stream, &capturing) || capturing)) return false;
    for (const Buffer::Using &one : uses) {
        if (!one.buffer().is_in_order(stream.stream, device, stream.is_default())) return false;
    }
    go_on(uses, stream.stream, device);
    return true;
}

std::vector<Buffer::Using> moved(std::span<Buffer::Using> uses) {
    return {std::make_move_iterator(uses.begin()), std::make_move_iterator(uses.end())};
}

// A launch that has to wait for something, or that goes into a graph.
int launch_in_scope(const Kernel &kernel, const Configuration &how, CodeObject &code,
                    const StreamArgument &stream, const Launch &arguments) {
    const Runtime &runtime = *code.runtime;
    Scope scope(runtime, code.device);
    int status = scope.status();
    bool capturing = false;
    if (!status) status = ask_capturing(runtime, scope, stream.stream, capturing);
    if (!status && !capturing) status = begin_after_producers(runtime, scope, stream, arguments.producers);
    for (const Buffer::Using &one : arguments.uses) {
        if (capturing)
            one.buffer().let_be_used_anywhere(); // the graph may run whenever its owner likes
        else if (!status)
            status = one.buffer().begin_use(scope, stream, stream.is_default());
    }
    Reference use; // the graph's use of the code; made before the launch, which can't be undone
    if (!status && capturing && !(use = code.use_object())) {
        PyErr_Clear();
        status = runtime.codes.out_of_memory;
    }
    if (!status)
        status =
            scope(call_with_context(kernel, how, runtime, code.device, stream.stream, arguments.pointers));
    if (capturing && !status) {
        arrays::keep_by_graph(runtime, stream.stream, {std::move(use), {}, moved(arguments.uses)});
    } else if (!capturing) {
        go_on(arguments.uses, stream.stream, scope.device());
    }
    return status;
}

} // namespace

PyObject *launch(const Kernel &kernel, const Configuration &how, PyObject *const *values, Py_ssize_t count) {
    CodeObject &code = *code_object(kernel.code.get());
    const char *call = kernel.call.c_str();
    if (!code.check(call) || !check(kernel, how, values, count)) return nullptr;

    static const FunctionRecord no_record{.api = code.runtime->api, .name = "", .texts = no_texts};
    const FieldPath place{nullptr, kernel.place.c_str()};
    LaunchArguments arguments;
    const std::span<PyObject *const> all(values, static_cast<std::size_t>(count));
    if (!arguments.load(call, all, kernel.parameters ? &*kernel.parameters : nullptr,
                        ArgumentContext::outside(no_record, place)))
        return nullptr;
    return launch(kernel, how, {arguments.pointers(), arguments.uses(), arguments.producers()});
}

PyObject *launch(const Kernel &kernel, const Configuration &how, const Launch &arguments) {
    CodeObject &code = *code_object(kernel.code.get());
    const char *name = kernel.name.c_str(), *call = kernel.call.c_str();
    const Runtime &runtime = *code.runtime;
    StreamArgument requested = arrays::current_stream();
    if (how.stream && how.stream.get() != Py_None && !arrays::load_stream(how.stream.get(), call, requested))
        return nullptr;
    if (!requested.current && !requested.is_of(code.device)) {
        return PyErr_Format(PyExc_ValueError,
                            "%s(): parameter 'stream' is of device %d, the kernel of device %d", name,
                            requested.device, code.device);
    }
    const StreamArgument stream = arrays::stream_on(requested, code.device);

    if (!code.check(call)) return nullptr; // again: reading arguments and streams may have run any code
    const CodeObject::Using using_code(code);
    code.launched = true;
    int status = arrays::success;
    if (begin_simply(kernel.launchers, runtime, code.device, stream, arguments)) {
        status = call_with_context(kernel, how, runtime, code.device, stream.stream, arguments.pointers);
        go_on(arguments.uses, stream.stream, code.device);
    } else {
        status = launch_in_scope(kernel, how, code, stream, arguments);
    }
    if (!status) Py_RETURN_NONE;
    if (trace::is_locating() && trace::has_faulted())
        trace::blame(runtime.api, "launch of " + kernel.name, stream.stream, status);
    if ((status == runtime.codes.not_supported || status == runtime.codes.no_kernel_image) &&
        runtime.api.host)
        return raise_status(
            runtime, status,
            "%s (its code can't be run here, for a reason that stderr tells, and PyGPU.host.kernel() "
            "has registered no function for it)",
            call);
    if (status == runtime.codes.invalid_value && how.shared > shared_without_asking)
        return raise_status(
            runtime, status,
            "%s (with %u bytes of dynamic shared memory: before it, "
            "kernel.set_attribute('MAX_DYNAMIC_SHARED_SIZE_BYTES', bytes) asks for more than %u, up to the "
            "device's limit)",
            call, how.shared, shared_without_asking);
    return raise_status(runtime, status, "%s", call);
}

} // namespace pygpu::kernels
