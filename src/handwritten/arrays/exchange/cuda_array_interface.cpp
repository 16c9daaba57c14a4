// Writing and reading the interface.
#include "arrays/exchange/cuda_array_interface.hpp"

#include "PyGPU/detail/array_interface.h"
#include "arrays/base/numpy.hpp"
#include "arrays/exchange/device.hpp"
#include "arrays/exchange/exchange_api.hpp"
#include "arrays/exchange/handover.hpp"
#include "arrays/memory/allocator.hpp"
#include "arrays/streams/captures.hpp"
#include "convert/sizes.hpp"
#include "python/gil.hpp"
#include "python/object_cache.hpp"
#include "python/package.hpp"
#include "runtime/api.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace pygpu::arrays {
namespace {

// The protocol has no number for a default stream that is 0.
bool has_number(const Runtime &runtime, Stream stream) { return stream || runtime.numbers_streams; }

// Makes the memory's stream come after all queued work, and waits for the stream if it has no number. False
// with GPUError set.
bool order_stream(const char *call, Buffer &buffer) {
    const Runtime &runtime = buffer.runtime;
    int status = order_to_home(buffer);
    if (const Stream home = buffer.home(); !status && !has_number(runtime, home)) {
        Scope scope(runtime, buffer.device);
        GilReleased released(true);
        status = refuse_capture(runtime, scope, home);
        if (!status) status = scope(runtime.stream_synchronize(home));
    }
    if (status) raise_status(runtime, status, "%s", call);
    return !status;
}

// A dict with the keys of every interface, and with the values that are always the same. Copying this dict is
// quicker than adding the keys to an empty one.
PyObject *new_interface() {
    static PyObject *pattern = nullptr; // never released
    if (!pattern)
        pattern = Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:i}", "shape", Py_None, "typestr", Py_None, "data",
                                Py_None, "strides", Py_None, "stream", Py_None, "version", 3);
    return pattern ? PyDict_Copy(pattern) : nullptr;
}

PyObject *key(const char *text) { return PyUnicode_InternFromString(text); }

bool set_entry(PyObject *interface, PyObject *name, const Reference &value) {
    return value && !PyDict_SetItem(interface, name, value.get());
}

using Interface = detail::array_interface<Reference>;

bool refuse_interface(const char *call, const char *why) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_BufferError, "%s: the __cuda_array_interface__ %s", call, why);
    return false;
}

// The dtype of fields, if the interface lists them.
bool load_type(const Interface &interface, Reference &dtype, ssize_t &itemsize) {
    PyObject *const fields = interface.descr.get();
    const bool of_fields = fields && PyList_Check(fields) && PyList_GET_SIZE(fields) > 0;
    dtype = Reference(load_dtype(of_fields ? fields : interface.typestr.get(), itemsize));
    return static_cast<bool>(dtype);
}

bool load_sizes(const char *call, const char *name, PyObject *sizes, ssize_t *values, int &count) {
    if (PyTuple_GET_SIZE(sizes) > most_axes) {
        PyErr_Format(PyExc_BufferError, "%s: the __cuda_array_interface__ has more than %d axes", call,
                     most_axes);
        return false;
    }
    count = static_cast<int>(PyTuple_GET_SIZE(sizes));
    for (int axis = 0; axis < count; ++axis) {
        if (!load_int(PyTuple_GET_ITEM(sizes, axis), call, name, values[axis])) return false;
    }
    return true;
}

bool load_layout(const char *call, const Interface &interface, Layout &layout) {
    std::size_t bytes = 0;
    if (!load_sizes(call, "shape", interface.shape.get(), layout.shape, layout.axes)) return false;
    for (int axis = 0; axis < layout.axes; ++axis) {
        if (layout.shape[axis] < 0) return refuse_interface(call, "has a negative extent");
    }
    if (!bytes_of(layout, bytes)) return refuse_interface(call, "is of more than any memory");
    if (!interface.strides) {
        layout.set_strides('C');
        return true;
    }
    int count = 0;
    if (!load_sizes(call, "strides", interface.strides.get(), layout.strides, count)) return false;
    return count == layout.axes || refuse_interface(call, "has other axes in its strides than in its shape");
}

} // namespace

bool describe_dtype(PyObject *dtype, Reference &typestr, Reference &fields) {
    struct TypeText {
        Reference typestr; // numpy spells it anew each time, which takes longer than all the rest
        bool has_fields = false;
    };
    static auto &cache =
        *new ObjectCache<TypeText>; // never destroyed: static objects outlive the interpreter
    bool has_fields = false;
    if (const TypeText *known = cache.find(dtype)) {
        typestr = Reference::borrow(known->typestr.get());
        has_fields = known->has_fields;
    } else {
        typestr = Reference(PyObject_GetAttrString(dtype, "str"));
        const Reference named(typestr ? PyObject_GetAttrString(dtype, "fields") : nullptr);
        if (!named) return false;
        has_fields = named.get() != Py_None;
        cache.put(dtype, {Reference::borrow(typestr.get()), has_fields});
    }
    if (has_fields) fields = Reference(PyObject_GetAttrString(dtype, "descr"));
    return !has_fields || fields;
}

PyObject *cuda_array_interface(const char *call, const Retained<Buffer> &buffer, void *data,
                               const Described &array) {
    if (buffer->runtime.on_host) {
        const Reference text(call_in_package(package::refused_interface, "(s)", call));
        if (text) PyErr_SetObject(PyExc_AttributeError, text.get());
        return nullptr;
    }
    if (!buffer->check(call)) return nullptr;
    const Buffer::Using using_it(*buffer);
    // Without elements there is no work to order.
    if (data && !order_stream(call, *buffer)) return nullptr;
    static PyObject *const shape = key("shape"), *const typestr = key("typestr"), *const pair = key("data"),
                           *const strides = key("strides"), *const stream = key("stream");
    const Stream home = buffer->home();
    const Reference address(PyLong_FromVoidPtr(data));
    Reference dict(address ? new_interface() : nullptr);
    if (!dict || !set_entry(dict.get(), shape, Reference::borrow(array.shape)) ||
        !set_entry(dict.get(), typestr, Reference::borrow(array.typestr)) ||
        !set_entry(dict.get(), pair,
                   Reference(PyTuple_Pack(2, address.get(), buffer->readonly ? Py_True : Py_False))) ||
        (array.strides && !set_entry(dict.get(), strides, Reference::borrow(array.strides))) ||
        (has_number(buffer->runtime, home) &&
         !set_entry(dict.get(), stream, Reference(stream_number(buffer->runtime, home)))) ||
        (array.fields && PyDict_SetItemString(dict.get(), "descr", array.fields)))
        return nullptr;
    return dict.release();
}

bool import_interface(const char *call, const Runtime &runtime, PyObject *object, PyObject *dict,
                      const StreamArgument &stream, Imported &imported, Reference &dtype) {
    Interface interface;
    const char *why = nullptr;
    if (!detail::read_array_interface(dict, interface, why)) return why && refuse_interface(call, why);
    if (runtime.on_host)
        return refuse_interface(
            call, "has a device's memory, which the host runtime can't reach: copy it to the host first");
    auto *data = reinterpret_cast<char *>(interface.address);
    Consumer producer;
    if (!load_type(interface, dtype, imported.layout.itemsize) ||
        !load_layout(call, interface, imported.layout) ||
        !load_consumer(runtime, interface.stream ? interface.stream.get() : Py_None, call, producer))
        return false;
    ssize_t lowest = 0, end = 0;
    const bool in_range = imported.layout.span(lowest, end);
    if (end == lowest) data = nullptr;
    if (!data && end > lowest) return refuse_interface(call, "has elements, but no memory");
    if (!in_range || (data && !have_addresses(data, lowest, end)))
        return refuse_interface(call, "has strides that reach further than any memory");
    const int device = owner_of(runtime, data);
    imported.data = data;
    imported.dtype = dtype.get();
    imported.buffer = Buffer::make(runtime, Buffer::Kind::lent, data ? data + lowest : nullptr,
                                   static_cast<std::size_t>(end - lowest), device, stream_on(stream, device),
                                   Reference::borrow(object));
    if (!imported.buffer) return false;
    imported.buffer->readonly = interface.readonly || is_immutable(Py_TYPE(object));
    if (!data || !interface.stream) return true;
    const int status = order_import(runtime, device, imported.buffer->home(), producer.stream);
    if (status) raise_status(runtime, status, "%s", call);
    return !status;
}

} // namespace pygpu::arrays
