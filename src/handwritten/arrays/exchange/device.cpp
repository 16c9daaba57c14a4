// The tables of device types, and the rules for streams.
#include "arrays/exchange/device.hpp"

#include "arrays/streams/argument.hpp"
#include "python/small_int.hpp"
#include "runtime/api.hpp"

#include <cstdint>

namespace pygpu::arrays {
namespace {

DLDevice device_of(int type, int number) { return {static_cast<DLDeviceType>(type), number}; }

Stream numbered(std::uintptr_t number) { return reinterpret_cast<Stream>(number); }

} // namespace

DLDevice dlpack_device(const Buffer &buffer) {
    const Runtime &runtime = buffer.runtime;
    if (runtime.on_host) return {kDLCPU, 0};
    switch (buffer.location) {
    case Buffer::Location::pinned:
        return device_of(runtime.of_pinned, 0);
    case Buffer::Location::managed: // of a number of its own, it is of no device
        return device_of(runtime.of_managed, runtime.of_managed == runtime.of_device ? buffer.device : 0);
    default:
        return device_of(runtime.of_device, buffer.device);
    }
}

bool load_location(const char *call, const Runtime &runtime, const DLDevice &device,
                   Buffer::Location &location) {
    location = Buffer::Location::device;
    if (runtime.on_host) {
        if (device.device_type == kDLCPU) return true;
        PyErr_Format(
            PyExc_BufferError,
            "%s: the memory is a device's (DLPack type %d), which the host runtime can't reach: copy "
            "it to the host first",
            call, static_cast<int>(device.device_type));
        return false;
    }
    const int type = device.device_type;
    if (type == runtime.of_device && device.device_id >= 0 && device.device_id < most_devices) return true;
    location = Buffer::Location::pinned;
    if (type == runtime.of_pinned) return true;
    location = Buffer::Location::managed;
    if (type == runtime.of_managed && type != runtime.of_device) return true;
    if (device.device_type == kDLCPU)
        PyErr_Format(PyExc_BufferError,
                     "%s: the memory is the host's, which a device can't use as it is: PyGPU.asarray(x) or "
                     "PyGPU.to_gpu(x) copies it",
                     call);
    else
        PyErr_Format(PyExc_BufferError,
                     "%s: the memory is of DLPack's device (%d, %d), which %s doesn't reach", call, type,
                     static_cast<int>(device.device_id), runtime.api.label);
    return false;
}

bool load_consumer(const Runtime &runtime, PyObject *argument, const char *call, Consumer &consumer) {
    Py_ssize_t number = 0;
    const bool none = !argument || argument == Py_None, small = !none && read_small_int(argument, number);
    consumer = {};
    if (small && number == -1) {
        consumer.is_ordered = false;
        return true;
    }
    if (none) { // the host runtime waits; for the vendors it is the default stream, the legacy one of two
        if (runtime.numbers_streams && !runtime.on_host) consumer.stream = own_stream(runtime, nullptr);
        return true;
    }
    if (runtime.on_host) {
        PyErr_Format(PyExc_ValueError, "%s: parameter 'stream' must be None for memory of the host, not %R",
                     call, argument);
        return false;
    }
    if (small && number >= 0 && number <= 2) {
        if (runtime.numbers_streams == (number != 0)) {
            if (number) consumer.stream = own_stream(runtime, numbered(static_cast<std::uintptr_t>(number)));
            return true;
        }
        PyErr_Format(PyExc_ValueError,
                     runtime.numbers_streams
                         ? "%s: parameter 'stream' = %zd is ambiguous: 1 is the legacy default stream, 2 the "
                           "thread's own, -1 orders nothing"
                         : "%s: parameter 'stream' = %zd is no stream of %s: 0 is the default stream",
                     call, number, runtime.api.label);
        return false;
    }
    StreamArgument stream;
    if (!load_stream(argument, call, stream)) return false;
    consumer.stream = stream.stream;
    return true;
}

Stream own_stream(const Runtime &runtime, void *stream) {
    const auto number = reinterpret_cast<std::uintptr_t>(stream);
    if (number > 2) return stream;
    if (runtime.api.per_thread) return number == 2 ? nullptr : numbered(1);
    return number == 2 ? stream : nullptr;
}

void *known_to_all(const Runtime &runtime, Stream stream) {
    return runtime.api.per_thread ? numbered(number_of(runtime, stream)) : stream;
}

std::uintptr_t number_of(const Runtime &runtime, Stream stream) {
    if (stream) return reinterpret_cast<std::uintptr_t>(stream);
    return runtime.api.per_thread ? 2 : 1;
}

PyObject *stream_number(const Runtime &runtime, Stream stream) {
    return PyLong_FromSize_t(stream || runtime.numbers_streams ? number_of(runtime, stream) : 0);
}

} // namespace pygpu::arrays
