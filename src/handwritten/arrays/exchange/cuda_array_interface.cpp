// Writing and reading the interface.
#include "arrays/exchange/cuda_array_interface.hpp"

#include "arrays/base/numpy.hpp"
#include "arrays/exchange/device.hpp"
#include "arrays/exchange/exchange_api.hpp"
#include "arrays/exchange/order.hpp"
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

// The protocol has no number for HIP's default stream.
bool has_number(const Runtime &runtime, Stream stream) { return stream || !is_hip(runtime); }

// Makes the memory's stream come after all queued work, and waits for the stream if it has no number. False
// with GPUError set.
bool order_stream(const char *call, Buffer &buffer) {
    const Runtime &runtime = buffer.runtime;
    int status = order_to_home(buffer);
    if (!status && !has_number(runtime, buffer.home())) {
        Scope scope(runtime, buffer.device);
        GilReleased released(true);
        status = refuse_capture(runtime, scope, buffer.home());
        if (!status) status = scope(runtime.stream_synchronize(buffer.home()));
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

struct Interface {
    const char *call;
    PyObject *dict;

    // Borrowed; None if the key is missing.
    PyObject *operator[](const char *name) const {
        PyObject *found = PyDict_GetItemString(dict, name);
        return found ? found : Py_None;
    }

    bool refuse(const char *why) const {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_BufferError, "%s: the __cuda_array_interface__ %s", call, why);
        return false;
    }

    bool load_memory(char *&data, bool &readonly) const {
        PyObject *pair = (*this)["data"];
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) return refuse("has no pair as data");
        PyObject *address = PyTuple_GET_ITEM(pair, 0);
        data = nullptr;
        if (address != Py_None) {
            if (!PyLong_Check(address)) return refuse("has an address that is no int");
            data = static_cast<char *>(PyLong_AsVoidPtr(address));
        }
        const int flag = PyObject_IsTrue(PyTuple_GET_ITEM(pair, 1));
        readonly = flag == 1;
        return flag >= 0 && !PyErr_Occurred();
    }

    bool load_type(Reference &dtype, ssize_t &itemsize) const {
        PyObject *typestr = (*this)["typestr"], *fields = (*this)["descr"];
        if (!PyUnicode_Check(typestr)) return refuse("has no typestr");
        const Py_ssize_t length = PyUnicode_GET_LENGTH(typestr);
        const bool of_fields = length > 1 && PyUnicode_READ_CHAR(typestr, 1) == 'V' && PyList_Check(fields) &&
                               PyList_GET_SIZE(fields) > 0;
        dtype = Reference(load_dtype(of_fields ? fields : typestr, itemsize));
        return static_cast<bool>(dtype);
    }

    bool refuse_sizes(const char *name) const {
        PyErr_Format(PyExc_BufferError, "%s: the __cuda_array_interface__ has no tuple of at most %d as %s",
                     call, most_axes, name);
        return false;
    }

    bool load_sizes(const char *name, PyObject *sizes, ssize_t *values, int &count) const {
        if (!PyTuple_Check(sizes) || PyTuple_GET_SIZE(sizes) > most_axes) return refuse_sizes(name);
        count = static_cast<int>(PyTuple_GET_SIZE(sizes));
        for (int axis = 0; axis < count; ++axis) {
            if (!load_int(PyTuple_GET_ITEM(sizes, axis), call, name, values[axis])) return false;
        }
        return true;
    }

    bool load_layout(Layout &layout) const {
        std::size_t bytes = 0;
        if (!load_sizes("shape", (*this)["shape"], layout.shape, layout.axes)) return false;
        for (int axis = 0; axis < layout.axes; ++axis) {
            if (layout.shape[axis] < 0) return refuse("has a negative extent");
        }
        if (!bytes_of(layout, bytes)) return refuse("is of more than any memory");
        PyObject *strides = (*this)["strides"];
        int count = 0;
        if (strides == Py_None) {
            layout.set_strides('C');
            return true;
        }
        if (!load_sizes("strides", strides, layout.strides, count)) return false;
        return count == layout.axes || refuse("has other axes in its strides than in its shape");
    }
};

} // namespace

bool describe_dtype(PyObject *dtype, Reference &typestr, Reference &fields) {
    struct Words {
        Reference typestr; // numpy spells it anew each time, which takes longer than all the rest
        bool has_fields = false;
    };
    static auto &cache = *new ObjectCache<Words>; // never destroyed: static objects outlive the interpreter
    bool has_fields = false;
    if (const Words *known = cache.find(dtype)) {
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
    static PyObject *shape = key("shape"), *typestr = key("typestr"), *pair = key("data"),
                    *strides = key("strides"), *stream = key("stream");
    const Stream home = buffer->home();
    const Reference address(PyLong_FromVoidPtr(data));
    Reference made(address ? new_interface() : nullptr);
    if (!made || !set_entry(made.get(), shape, Reference::borrow(array.shape)) ||
        !set_entry(made.get(), typestr, Reference::borrow(array.typestr)) ||
        !set_entry(made.get(), pair,
                   Reference(PyTuple_Pack(2, address.get(), buffer->readonly ? Py_True : Py_False))) ||
        (array.strides && !set_entry(made.get(), strides, Reference::borrow(array.strides))) ||
        (has_number(buffer->runtime, home) &&
         !set_entry(made.get(), stream, Reference(stream_number(buffer->runtime, home)))) ||
        (array.fields && PyDict_SetItemString(made.get(), "descr", array.fields)))
        return nullptr;
    return made.release();
}

bool import_interface(const char *call, const Runtime &runtime, PyObject *object, PyObject *dict,
                      const StreamArgument &stream, Imported &made, Reference &dtype) {
    const Interface interface{call, dict};
    if (!PyDict_Check(dict)) return interface.refuse("is no dict");
    if (interface["mask"] != Py_None) return interface.refuse("has a mask, which arrays of PyGPU have not");
    if (runtime.on_host) {
        return interface.refuse(
            "has a device's memory, which the host runtime can't reach: copy it to the host "
            "first");
    }
    char *data = nullptr;
    bool readonly = false;
    Consumer producer;
    PyObject *named = interface["stream"];
    if (!interface.load_memory(data, readonly) || !interface.load_type(dtype, made.layout.itemsize) ||
        !interface.load_layout(made.layout) || !load_consumer(runtime, named, call, producer))
        return false;
    ssize_t lowest = 0, end = 0;
    const bool in_range = made.layout.span(lowest, end);
    if (end == lowest) data = nullptr;
    if (!data && end > lowest) return interface.refuse("has elements, but no memory");
    if (!in_range || (data && !have_addresses(data, lowest, end)))
        return interface.refuse("has strides that reach further than any memory");
    const int device = owner_of(runtime, data);
    made.data = data;
    made.dtype = dtype.get();
    made.buffer = Buffer::make(runtime, Buffer::Kind::lent, data ? data + lowest : nullptr,
                               static_cast<std::size_t>(end - lowest), device, stream_on(stream, device),
                               Reference::borrow(object));
    if (!made.buffer) return false;
    made.buffer->readonly = readonly || is_immutable(Py_TYPE(object));
    if (!data || named == Py_None) return true;
    const int status = order_import(runtime, device, made.buffer->home(), producer.stream);
    if (status) raise_status(runtime, status, "%s", call);
    return !status;
}

} // namespace pygpu::arrays
