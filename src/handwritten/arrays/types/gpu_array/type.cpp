// The Python base type of PyGPU.GPUArray: construction, properties, and all methods that must be quick.
#include "arrays/types/gpu_array/type.hpp"

#include "arrays/base/numpy.hpp"
#include "arrays/exchange/cuda_array_interface.hpp"
#include "arrays/machine/limits.hpp"
#include "arrays/memory/allocator.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/memory/huge_pages.hpp"
#include "arrays/memory/known_memory.hpp"
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/in_flight.hpp"
#include "arrays/transfer/progress_watch.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "arrays/types/gpu_array/spare.hpp"
#include "arrays/types/per_dtype/device_array.hpp"
#include "arrays/types/per_dtype/pointer_wrapper.hpp"
#include "common/checked_int.hpp"
#include "convert/memory.hpp"
#include "convert/tensor_values.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "python/trashcan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <structmember.h>

namespace pygpu::arrays {
namespace {

PyTypeObject *type = nullptr;

// Whether the first argument is a shape (an int, tuple or list), not data to copy.
bool is_shape(PyObject *object) {
    if (PyLong_Check(object)) return true;
    if (PyIndex_Check(object) && !PySequence_Check(object)) // bools and statuses are refused as shapes
        return !is_tensor(object);
    return PyTuple_Check(object) || PyList_Check(object);
}

// GPUArray(data): a copy of a buffer, or of anything that numpy can make an array of.
PyObject *from_data(PyTypeObject *kind, PyObject *data, PyObject *dtype, PyObject *allocator, PyObject *order,
                    PyObject *on) {
    constexpr const char *call = "GPUArray()";
    const auto or_none = [](PyObject *object) { return object ? object : Py_None; };
    StreamArgument stream;
    Runtime *runtime = nullptr;
    Reference foreign;
    if (is_array(data))
        return PyErr_Format(PyExc_TypeError, "%s: that is a GPUArray already; a.copy() copies it", call);
    if (!load_shared(data, call, on, foreign)) return nullptr;
    if (foreign) {
        char letter = 'K';
        ssize_t itemsize = 0;
        const Reference due(load_dtype(dtype ? dtype : array_of(foreign.get()).dtype, itemsize));
        const bool of_memory = !order || PyUnicode_CompareWithASCIIString(order, "K") == 0;
        if (!due || (!of_memory && !load_order(order, call, letter, &array_of(foreign.get()))) ||
            !load_stream(on, call, stream))
            return nullptr;
        const Reference alike(converted(foreign.get(), due.get(), or_none(on)));
        return alike ? copy_shared(kind, alike.get(), letter, allocator, stream, false, call) : nullptr;
    }
    const Reference values(call_in_package(package::values_of_data, "(OO)", data, or_none(dtype)));
    HostArray host;
    if (!values || !host.load(values.get(), false) || !begin(runtime) || !load_stream(on, call, stream))
        return nullptr;
    Layout layout = host.layout;
    const Reference strides(call_in_package(package::strides_like, "(OnOs)", host.array.get(),
                                            layout.itemsize, order ? order : Py_None, call));
    int axes = 0;
    const Reference kept(load_dtype(host.dtype.get(), layout.itemsize));
    if (!strides || !kept || !load_sizes(strides.get(), call, "strides", layout.strides, axes))
        return nullptr;
    const Reference result(make_empty(kind, call, layout, kept.get(), allocator, stream));
    if (!result || !upload_elements(result.get(), values.get(), stream, false, call)) return nullptr;
    return Py_NewRef(result.get());
}

// The memory of arrays and pointers, for known_memory().
Buffer *memory_of_array(PyObject *object, char *&data) {
    if (is_array(object)) {
        data = array_of(object).data;
        return array_of(object).buffer;
    }
    if (const PointerWrapper *pointer = pointer_wrapper(object)) {
        data = static_cast<char *>(pointer->pointer);
        return pointer->buffer.get();
    }
    return device_array_buffer(object, data);
}

PyObject *out_of_range(const char *call) {
    return PyErr_Format(PyExc_ValueError, "%s: the shape and strides reach further than any memory", call);
}

// An array on memory that a user gives: memory of PyGPU, or any object with an address. The object is
// retained.
PyObject *on_memory(PyTypeObject *kind, const Layout &layout, PyObject *dtype, PyObject *gpudata,
                    PyObject *base, PyObject *allocator) {
    constexpr const char *call = "GPUArray()";
    char *data = nullptr;
    ssize_t lowest = 0, end = 0;
    if (!layout.span(lowest, end)) return out_of_range(call);
    if (Buffer *known = known_memory(gpudata, data)) {
        if (!known->check_exists("GPUArray(): parameter 'gpudata'")) return nullptr;
        const ssize_t before = data - static_cast<char *>(known->pointer);
        const ssize_t after = static_cast<ssize_t>(known->size) - before;
        if (-lowest <= before && end <= after)
            return make_array(kind, layout, dtype, *known, data, base, allocator);
        return PyErr_Format(PyExc_ValueError,
                            "%s: parameter 'gpudata' has %zd bytes before its address and %zd from there on; "
                            "the shape and strides need %zd and %zd",
                            call, before, after, -lowest, end);
    }
    Runtime *runtime = arrays::runtime();
    Foreign memory;
    if (!runtime || !load_foreign(*runtime, gpudata, call, "parameter 'gpudata'", memory)) return nullptr;
    char *pointer = static_cast<char *>(memory.pointer);
    if (!pointer && end > lowest)
        return PyErr_Format(PyExc_ValueError, "%s: parameter 'gpudata' is address 0, %zd bytes are needed",
                            call, end - lowest);
    if (end > lowest && !have_addresses(pointer, lowest, end)) return out_of_range(call);
    if (static_cast<std::size_t>(end) > memory.size)
        return PyErr_Format(PyExc_ValueError,
                            "%s: parameter 'gpudata' has %zu bytes; the shape and strides need %zd", call,
                            memory.size, end);
    // The address may lie anywhere in the range that the strides reach.
    const auto size = static_cast<std::size_t>(end - lowest);
    const StreamArgument home = stream_on(current_stream(), memory.device);
    const Retained<Buffer> buffer =
        make_foreign(*runtime, Buffer::Kind::foreign, std::move(memory), pointer + lowest, size, home);
    if (!buffer) return nullptr;
    return make_array(kind, layout, dtype, *buffer, pointer, base, allocator);
}

// GPUArray(shape, dtype=None, allocator=None, base=None, gpudata=None, strides=None, order="C", stream=None)
PyObject *construct(PyTypeObject *kind, PyObject *args, PyObject *kwargs) {
    constexpr const char *call = "GPUArray()";
    const Arguments arguments(
        call, {"shape", "dtype", "allocator", "base", "gpudata", "strides", "order", "stream"}, args, kwargs);
    if (!arguments) return nullptr;
    PyObject *shape = arguments[0], *spelling = arguments.unless_none(1),
             *allocator = arguments.unless_none(2), *base = arguments.unless_none(3), *gpudata = arguments[4],
             *strides = arguments.unless_none(5), *order = arguments.unless_none(6), *on = arguments[7];
    if (gpudata == Py_None)
        return PyErr_Format(PyExc_TypeError,
                            "%s: parameter 'gpudata' is None, which is no memory (a cudaMalloc that failed "
                            "gives it); leave it out for new memory",
                            call);
    if (allocator && !check_allocator(allocator, call)) return nullptr;
    if (!is_shape(shape)) {
        if (!base && !gpudata && !strides) return from_data(kind, shape, spelling, allocator, order, on);
        return PyErr_Format(PyExc_TypeError,
                            "%s: 'base', 'gpudata' and 'strides' go with a shape, not with %.80s, "
                            "which is copied",
                            call, Py_TYPE(shape)->tp_name);
    }
    Layout layout;
    char letter = 'C';
    StreamArgument stream;
    if (!load_shape(shape, call, layout) || (order && !load_order(order, call, letter)) ||
        !load_stream(on, call, stream))
        return nullptr;
    Reference dtype(load_dtype(spelling ? spelling : Py_None, layout.itemsize));
    std::size_t size = 0;
    if (!dtype) return nullptr;
    if (!bytes_of(layout, size))
        return PyErr_Format(PyExc_ValueError, "%s: an array of this shape is larger than any memory", call);
    layout.set_strides(letter);
    if (strides) {
        int count = 0;
        if (!load_sizes(strides, call, "strides", layout.strides, count)) return nullptr;
        if (count != layout.axes)
            return PyErr_Format(PyExc_ValueError, "%s: parameter 'strides' has %d axes, the shape %d", call,
                                count, layout.axes);
        ssize_t lowest = 0, end = 0;
        if (!layout.span(lowest, end)) return out_of_range(call);
        if (!gpudata && (lowest < 0 || static_cast<std::size_t>(end) > size))
            return PyErr_Format(
                PyExc_ValueError,
                "%s: parameter 'strides' reaches beyond the memory of the shape; give 'gpudata'", call);
    }
    if (gpudata) return on_memory(kind, layout, dtype.get(), gpudata, base, allocator);
    if (base)
        return PyErr_Format(PyExc_TypeError, "%s: 'base' owns the memory of 'gpudata', which is missing",
                            call);
    return make_empty(kind, call, layout, dtype.get(), allocator, stream);
}

// empty(shape, dtype=float, allocator=None, order="C", stream=None): the constructor without its rare
// arguments.
PyObject *empty(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    constexpr const char *call = "empty()";
    static const char *const names[] = {"shape", "dtype", "allocator", "order", "stream"};
    const Arguments values(call, names, args, count, keywords);
    if (!values) return nullptr;
    PyTypeObject *kind = public_type();
    Layout layout;
    char order = 'C';
    StreamArgument stream;
    PyObject *allocator = values.unless_none(2);
    if (!kind || !load_shape(values[0], call, layout) || (values[3] && !load_order(values[3], call, order)) ||
        !load_stream(values[4], call, stream) || (allocator && !check_allocator(allocator, call)))
        return nullptr;
    Reference dtype(
        load_dtype(values[1] ? values[1] : reinterpret_cast<PyObject *>(&PyFloat_Type), layout.itemsize));
    if (!dtype) return nullptr;
    layout.set_strides(order);
    return make_empty(kind, call, layout, dtype.get(), allocator, stream);
}

// _view(shape, strides, offset, dtype): any layout on the same memory. ValueError if it reaches out of the
// memory.
PyObject *view(PyObject *self, PyObject *args) {
    PyObject *shape = nullptr, *strides = nullptr, *spelling = nullptr;
    Py_ssize_t offset = 0;
    if (!PyArg_ParseTuple(args, "OOnO", &shape, &strides, &offset, &spelling)) return nullptr;
    Layout layout;
    int count = 0;
    Reference dtype(load_dtype(spelling, layout.itemsize));
    if (!dtype || !load_shape(shape, "GPUArray", layout) ||
        !load_sizes(strides, "GPUArray", "strides", layout.strides, count))
        return nullptr;
    const Array &array = array_of(self);
    std::size_t bytes = 0, size = array.buffer->size;
    ssize_t lowest = 0, end = 0, first = 0;
    const ssize_t begin = array.data - static_cast<char *>(array.buffer->pointer);
    const bool inside = count == layout.axes && bytes_of(layout, bytes) && layout.span(lowest, end) &&
                        (CheckedInt(begin) + offset).fits(first) &&
                        (!bytes || ((CheckedInt(first) + lowest).value_or(-1) >= 0 &&
                                    static_cast<std::size_t>((CheckedInt(first) + end).saturated()) <= size));
    if (!inside) return PyErr_Format(PyExc_ValueError, "GPUArray: the view reaches out of its memory");
    return make_view(self, layout, offset, dtype.get());
}

PyObject *record_stream(PyObject *self, PyObject *stream) {
    if (!arrays::record_stream(*array_of(self).buffer, "GPUArray.record_stream()", stream)) return nullptr;
    Py_RETURN_NONE;
}

// _check_no_mask(values): TypeError for one of numpy's masked arrays.
PyObject *refuse_mask(PyObject *, PyObject *values) {
    return check_no_mask(values) ? Py_NewRef(Py_None) : nullptr;
}

// _is_default_stream(stream): whether it is the stream that all of the process share, and wait for.
PyObject *is_default_stream(PyObject *, PyObject *object) {
    Runtime *runtime = nullptr;
    StreamArgument stream;
    if (!begin(runtime) || !load_stream(object, "GPUArray", stream)) return nullptr;
    return PyBool_FromLong(!stream.stream && !runtime->api.per_thread);
}

PyObject *host_ready(PyObject *, PyObject *args) {
    PyObject *array = nullptr;
    int wait = 0;
    bool failed = false;
    if (!PyArg_ParseTuple(args, "Op", &array, &wait)) return nullptr;
    const bool ready = host_is_ready(array, wait, failed);
    return failed ? nullptr : PyBool_FromLong(ready);
}

// _ready(wait): whether all work that PyGPU queued on the array's memory is done.
PyObject *device_ready(PyObject *self, PyObject *wait) {
    Buffer &buffer = *array_of(self).buffer;
    if (!buffer.check("GPUArray: waiting")) return nullptr;
    if (!buffer.pointer) Py_RETURN_TRUE;
    const bool waits = PyObject_IsTrue(wait) == 1;
    const int status = buffer.query(waits);
    if (status && status != buffer.runtime.codes.not_ready)
        return raise_status(buffer.runtime, status, "GPUArray: waiting");
    if (!status) release_done();
    return PyBool_FromLong(status == success);
}

// _set_copies(threads, results_from, forced, interval, piece, moves): sets CopySettings, the number of
// threads, and the interval of a watch in milliseconds. For tests and measurements. Arguments that are not
// given get their defaults.
PyObject *set_copies(PyObject *, PyObject *args, PyObject *kwargs) {
    static const char *const names[] = {"threads", "results_from", "forced", "interval",
                                        "piece",   "moves",        nullptr};
    Py_ssize_t results = static_cast<Py_ssize_t>(least_in_huge_pages), piece = 0;
    int threads = 0, interval = 50, moves = 0;
    const char *forced = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$inzini", const_cast<char **>(names), &threads, &results,
                                     &forced, &interval, &piece, &moves))
        return nullptr;
    const auto *path = forced ? std::find_if(std::begin(path_names), std::end(path_names),
                                             [&](const char *name) { return !std::strcmp(name, forced); })
                              : nullptr;
    if (path == std::end(path_names)) return PyErr_Format(PyExc_ValueError, "no way: %s", forced);
    CopySettings &settings = copy_settings();
    threads_asked_for() = threads;
    settings.results_from = static_cast<std::size_t>(results);
    settings.piece = static_cast<std::size_t>(piece);
    settings.forced = path ? static_cast<int>(path - path_names) : -1;
    settings.moves = static_cast<MoveBy>(moves);
    watch_interval = interval;
    Py_RETURN_NONE;
}

// _way(size, up, pageable, strided, waits, captured, may_queue, threads): the way that the table chooses.
PyObject *ask_way(PyObject *, PyObject *args) {
    Py_ssize_t size = 0;
    int up = 0, pageable = 0, strided = 0, waits = 0, captured = 0, may_queue = 0, threads = 0;
    if (!PyArg_ParseTuple(args, "nppppppi", &size, &up, &pageable, &strided, &waits, &captured, &may_queue,
                          &threads))
        return nullptr;
    const CopyRequest request{static_cast<std::size_t>(size),
                              up != 0,
                              pageable != 0,
                              strided != 0,
                              waits != 0,
                              captured != 0,
                              may_queue != 0,
                              threads};
    return PyUnicode_FromString(path_names[static_cast<int>(copy_path_of(request))]);
}

// _rows_way(size, width, calls, reach, up, waits, kernels, pieces): the way of rows that the table chooses.
PyObject *ask_rows_way(PyObject *, PyObject *args) {
    Py_ssize_t size = 0, width = 0, calls = 0, reach = 0;
    int up = 0, waits = 0, kernels = 0, pieces = 0;
    if (!PyArg_ParseTuple(args, "nnnnpppp", &size, &width, &calls, &reach, &up, &waits, &kernels, &pieces))
        return nullptr;
    const CopyPath path = pieces ? CopyPath::pieces : CopyPath::direct;
    const Rows rows{size, width, calls, reach, up != 0, waits != 0, kernels != 0, path};
    return PyUnicode_FromString(rows_path_names[static_cast<int>(rows_path_of(rows))]);
}

// _pieces(size, up=False, strided=False): the usable processors, and the row of pieces_of() for a device.
PyObject *ask_pieces(PyObject *, PyObject *args) {
    Py_ssize_t size = 0;
    int up = 0, strided = 0;
    if (!PyArg_ParseTuple(args, "n|pp", &size, &up, &strided)) return nullptr;
    const Pieces row = pieces_of(static_cast<std::size_t>(size), up != 0, strided != 0, false);
    return Py_BuildValue("iinnN", usable_processors(), row.threads, static_cast<Py_ssize_t>(row.piece),
                         static_cast<Py_ssize_t>(row.sent), PyBool_FromLong(row.streaming));
}

PyObject *free_call(PyObject *self, PyObject *) {
    constexpr const char *call = "GPUArray.free()";
    const Array &array = array_of(self);
    if (array.base && is_array(array.base))
        return PyErr_Format(PyExc_ValueError, "%s: it is a view: free its base, whose memory it is", call);
    return free_memory(*array.buffer, call);
}

PyObject *enter(PyObject *self, PyObject *) {
    return array_of(self).buffer->check("with GPUArray") ? Py_NewRef(self) : nullptr;
}

PyObject *leave(PyObject *self, PyObject *) { return free_call(self, nullptr); }

int traverse(PyObject *self, visitproc visit, void *arg) {
    const Array &array = array_of(self);
    Py_VISIT(Py_TYPE(self));
    if (array.buffer) Py_VISIT(array.buffer->object()); // null while the array is being made
    Py_VISIT(array.dtype);
    Py_VISIT(array.base);
    Py_VISIT(array.allocator);
    return 0;
}

// Keeps the memory and the dtype, because finalisers may still use the array.
int clear(PyObject *self) {
    Py_CLEAR(array_of(self).base);
    Py_CLEAR(array_of(self).allocator);
    return 0;
}

void end(PyObject *self) {
    Array &array = array_of(self);
    if (array.weak_references) PyObject_ClearWeakRefs(self);
    if (array.buffer) array.buffer->release();
    Py_XDECREF(array.dtype);
    Py_XDECREF(array.base);
    Py_XDECREF(array.allocator);
    end_array_object(self);
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    // Arrays that own other arrays may be nested to any depth. But deep nesting is rare and the trashcan
    // takes time, so it is used from some depth on only.
    constexpr int most_nested = 50;
    static int nested = 0; // guarded by the GIL
    if (nested < most_nested) {
        ++nested;
        end(self);
        --nested;
        return;
    }
    Py_TRASHCAN_BEGIN(self, destroy);
    end(self);
    Py_TRASHCAN_END;
}

// Sets the public class. If its objects have no more fields than an Array, they get Array's destructor, which
// is quicker than the destructor that Python gives to any class.
PyObject *set_class(PyObject *, PyObject *object) {
    auto *kind = reinterpret_cast<PyTypeObject *>(object);
    if (!PyType_Check(object) || !PyType_IsSubtype(kind, type))
        return PyErr_Format(PyExc_TypeError, "_set_class(): a subclass of Array is wanted");
    if (kind->tp_basicsize == type->tp_basicsize && !kind->tp_dictoffset && !kind->tp_finalize)
        kind->tp_dealloc = destroy;
    set_public_type(kind);
    Py_RETURN_NONE;
}

Py_ssize_t length(PyObject *self) {
    const Array &array = array_of(self);
    if (array.axes()) return array.shape()[0];
    PyErr_SetString(PyExc_TypeError, "len() of a 0-d GPUArray");
    return -1;
}

PyObject *get_shape(PyObject *self, void *) {
    return sizes_to_python(array_of(self).shape(), array_of(self).axes());
}
PyObject *get_strides(PyObject *self, void *) {
    return sizes_to_python(array_of(self).strides(), array_of(self).axes());
}
PyObject *get_dtype(PyObject *self, void *) { return Py_NewRef(array_of(self).dtype); }
PyObject *get_axes(PyObject *self, void *) { return PyLong_FromLong(array_of(self).axes()); }
PyObject *get_count(PyObject *self, void *) { return PyLong_FromSsize_t(array_of(self).layout().count()); }
PyObject *get_bytes(PyObject *self, void *) {
    return PyLong_FromSsize_t(array_of(self).layout().count() * array_of(self).itemsize);
}
PyObject *get_itemsize(PyObject *self, void *) { return PyLong_FromSsize_t(array_of(self).itemsize); }
PyObject *get_base(PyObject *self, void *) {
    return Py_NewRef(array_of(self).base ? array_of(self).base : Py_None);
}
PyObject *get_allocator(PyObject *self, void *) {
    return Py_NewRef(array_of(self).allocator ? array_of(self).allocator : Py_None);
}
PyObject *get_device(PyObject *self, void *) { return PyLong_FromLong(array_of(self).buffer->device); }
PyObject *get_stream(PyObject *self, void *) { return PyLong_FromVoidPtr(array_of(self).buffer->home()); }

// The address of the first element, for handing it out; null if there is no element.
char *first_element(const Array &array) {
    return array.buffer->pointer && array.layout().count() ? array.data : nullptr;
}

PyObject *get_address(PyObject *self, void *) { return PyLong_FromVoidPtr(array_of(self).data); }

PyObject *get_pointer(PyObject *self, void *) {
    const Array &array = array_of(self);
    return array.buffer->let_out("GPUArray") ? PyLong_FromVoidPtr(first_element(array)) : nullptr;
}
PyObject *get_freed(PyObject *self, void *) { return PyBool_FromLong(array_of(self).buffer->was_freed()); }

// The memory for raw functions. For a strided array the size is unknown: the caller has to know how far it
// reaches.
ProvidedPointer provide(PyObject *self) {
    const Array &array = array_of(self);
    if (!array.buffer->let_out("GPUArray")) return {};
    const Layout layout = array.layout();
    const auto bytes = static_cast<std::size_t>(layout.count() * layout.itemsize);
    return {array.buffer->pointer && bytes ? array.data : nullptr,
            layout.contiguous_as_c() ? bytes : Memory::unknown, array.buffer->readonly,
            element_of_dtype(array.dtype)};
}

bool owns(PyObject *self) { return array_of(self).buffer->frees(); }

PyObject *get_memory(PyObject *self, void *) {
    Buffer &buffer = *array_of(self).buffer;
    char *data = buffer.pointer ? array_of(self).data : nullptr, *begin = nullptr;
    // What the allocator returned, which the allocator may know again. The order of both is the same.
    PyObject *owner = buffer.owner();
    if (owner && device_memory_buffer(owner, begin) && begin == data) return Py_NewRef(owner);
    return make_device_memory(retained(buffer), data);
}

PyObject *get_contiguity(PyObject *self, void *) {
    const Layout layout = array_of(self).layout();
    return Py_BuildValue("(NN)", PyBool_FromLong(layout.contiguous_as_c()),
                         PyBool_FromLong(layout.contiguous_as_f()));
}

PyObject *get_interface(PyObject *self, void *) {
    const Array &array = array_of(self);
    const Layout layout = array.layout();
    const Reference shape(get_shape(self, nullptr));
    const Reference strides(layout.contiguous_as_c() ? nullptr : get_strides(self, nullptr));
    Reference typestr, fields;
    if (PyErr_Occurred() || !describe_dtype(array.dtype, typestr, fields)) return nullptr;
    return cuda_array_interface("GPUArray.__cuda_array_interface__", retained(*array.buffer),
                                first_element(array),
                                {shape.get(), strides.get(), typestr.get(), fields.get()});
}

// get() or set() for one kind of use.
template <auto Method, OtherShape other_shape>
PyObject *call_for(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    return Method(other_shape, self, args, count, keywords);
}

// For PyGPU's own kernels that write to an array.
PyObject *check_writable(PyObject *self, PyObject *call) {
    const char *text = PyUnicode_AsUTF8(call);
    if (!text || !array_of(self).buffer->check_writable(text)) return nullptr;
    Py_RETURN_NONE;
}

PyObject *overlaps(PyObject *self, PyObject *other) {
    if (!is_array(other)) return PyErr_Format(PyExc_TypeError, "_overlaps() takes a GPUArray");
    const Array &one = array_of(self), &two = array_of(other);
    return PyBool_FromLong(overlap(one.data, one.layout(), two.data, two.layout()));
}

PyMethodDef methods[] = {
    {"_overlaps", overlaps, METH_O,
     "_overlaps($self, other, /)\n--\n\nWhether two arrays may have bytes in common."},
    {"_check_writable", check_writable, METH_O,
     "_check_writable($self, call, /)\n--\n\nRaises ValueError for memory that was freed or is read-only."},
    {"transpose", with_keywords(transpose), METH_FASTCALL | METH_KEYWORDS,
     "transpose($self, *positions, axes=None)\n--\n\nA view with the axes in another order, reversed unless given: as "
     "ints, as one tuple, or as the keyword `axes`. ValueError."},
    {"reshape", with_keywords(reshape), METH_FASTCALL | METH_KEYWORDS,
     "reshape($self, *shape, order='C')\n--\n\nThe elements in another shape; one extent may be -1. It is a view if the strides allow "
     "that, else a copy. `order` is C, F or A; A is F for an array that has only that order. "
     "Raises ValueError if the sizes don't fit."},
    {"get", with_keywords(call_for<get, OtherShape::deprecated>), METH_FASTCALL | METH_KEYWORDS,
     "get($self, ary=None, pagelocked=False, async_=False, stream=None, progress=None)\n--\n\nThe elements as "
     "a numpy array, a new one (page-locked on request) or `ary`. With `async_` the copy is only queued, and PyGPU.wait() waits for it. `progress` is called now and then with the bytes done, all bytes, and "
     "bytes a second; True shows a bar (rich). Raises TypeError for another dtype, ValueError "
     "for another size, GPUError."},
    {"set", with_keywords(call_for<set, OtherShape::mistake>), METH_FASTCALL | METH_KEYWORDS,
     "set($self, ary, async_=False, stream=None, progress=None)\n--\n\nCopies a numpy array (or a GPUArray) of "
     "the same size and dtype into this one. Without `async_` the elements of `ary` may change as soon as this "
     "returns. `progress` is as in get(). Raises ValueError for another size or dtype, GPUError."},
    {"fill", with_keywords(fill_call), METH_FASTCALL | METH_KEYWORDS,
     "fill($self, value, stream=None)\n--\n\nSets every element to one value, and returns the array. With a stream it is only queued. Raises ValueError, TypeError or OverflowError for what "
     "numpy's fill() refuses, GPUError."},
    {"device_data", device_data, METH_NOARGS,
     "device_data($self, /)\n--\n\nThe address of the first element as a pointer_wrapper, which keeps the memory alive. Raises TypeError for a dtype that has none."},
    {"free", free_call, METH_NOARGS,
     "free($self)\n--\n\nFrees the memory now, in stream order: work that is under way ends first, and a graph "
     "keeps the memory. The array and its views can't be used afterwards, and raise "
     "ValueError. A second call does nothing. Raises ValueError for a view, and for memory "
     "that is known by its address alone."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {"__dlpack__", with_keywords(dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nThe array as a "
     "capsule of DLPack, for from_dlpack() of other libraries: their stream comes after all work that PyGPU has "
     "queued on the memory. BufferError where DLPack can't express it, GPUError."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS,
     "__dlpack_device__($self)\n--\n\nDLPack's type and number of the array's device."},
    {"record_stream", record_stream, METH_O,
     "record_stream($self, stream, /)\n--\n\nSays that a stream uses the memory: freeing the memory waits for the work that is "
     "queued there by then. From now on it waits for recorded streams only, even if the "
     "address is known elsewhere."},
    {"_copy", copy_of, METH_VARARGS, nullptr},
    {"_cast", cast_at_once, METH_VARARGS, nullptr},
    {"_get", with_keywords(call_for<get, OtherShape::welcome>), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_set", with_keywords(call_for<set, OtherShape::welcome>), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_fill", fill_with, METH_VARARGS, nullptr},
    {"_view", view, METH_VARARGS, nullptr},
    {"_ready", device_ready, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"shape", get_shape, nullptr, "the extents, a tuple", nullptr},
    {"strides", get_strides, nullptr, "bytes from one element to the next on each axis", nullptr},
    {"dtype", get_dtype, nullptr, "the numpy dtype", nullptr},
    {"ndim", get_axes, nullptr, "the number of axes", nullptr},
    {"size", get_count, nullptr, "the number of elements", nullptr},
    {"mem_size", get_count, nullptr, "the number of elements, PyCUDA's name", nullptr},
    {"nbytes", get_bytes, nullptr, "bytes of all elements", nullptr},
    {"itemsize", get_itemsize, nullptr, "bytes of an element", nullptr},
    {"base", get_base, nullptr, "the array that this is a view of, what was given as base, or None", nullptr},
    {"allocator", get_allocator, nullptr, "what was given as allocator, or None", nullptr},
    {"device", get_device, nullptr, "the number of the device whose memory it is", nullptr},
    {"freed", get_freed, nullptr, "whether free() gave its memory back", nullptr},
    {"stream", get_stream, nullptr, "the address of the stream whose order the memory follows", nullptr},
    {"ptr", get_pointer, nullptr, "the address of the first element; 0 for an empty array", nullptr},
    {"_address", get_address, nullptr, "the same, for PyGPU's own comparisons: it does not escape", nullptr},
    {"gpudata", get_memory, nullptr, "the memory from the first element on, a DeviceMemory", nullptr},
    {"device_array", device_array, nullptr,
     "a DeviceArray of the same dtype on the same memory; TypeError, or ValueError where it is not compact",
     nullptr},
    {"T", get_transposed, nullptr, "the view with the axes reversed", nullptr},
    {"_contiguity", get_contiguity, nullptr, nullptr, nullptr},
    {"__cuda_array_interface__", get_interface, nullptr, "the CUDA Array Interface, version 3", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyMethodDef functions[] = {
    {"empty", with_keywords(empty), METH_FASTCALL | METH_KEYWORDS,
     "empty(shape, dtype='float64', allocator=None, order='C', stream=None)\n--\n\nA new array on the current device. Its elements are not set. The memory comes from "
     "PyGPU's pool in the order of `stream`, or from `allocator`. Raises GPUError."},
    {"to_gpu", with_keywords(to_gpu), METH_FASTCALL | METH_KEYWORDS,
     "to_gpu(ary, allocator=None, stream=None, asynchronous=False, progress=None)\n--\n\nA new array on the current device with the elements of `ary`. It keeps the order of the "
     "strides, is compact, and never shares memory with `ary`. Raises TypeError for Python "
     "objects, GPUError."},
    {"from_dlpack", with_keywords(from_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "from_dlpack(x, *, device=None, copy=None, stream=None)\n--\n\nAn array on the memory of another library. Work on `stream` comes after what that "
     "library has queued. With copy=True, or the number of another device, it is a copy. The "
     "library gets its memory back when the last array on it ends. PyGPU waits for unfinished "
     "work first, because the memory may be used again at once. Raises BufferError if the "
     "memory can't be taken."},
    {"_shared", shared_array, METH_VARARGS, nullptr},
    {"_host_array", host_array, METH_VARARGS, nullptr},
    {"_placed", placed_array, METH_VARARGS, nullptr},
    {"_join", with_keywords(join_arrays), METH_FASTCALL, nullptr},
    {"_check_no_mask", refuse_mask, METH_O, nullptr},
    {"_is_default_stream", is_default_stream, METH_O, nullptr},
    {"_host_ready", host_ready, METH_VARARGS, nullptr},
    {"_set_class", set_class, METH_O, nullptr},
    {"_set_copies", with_keywords(set_copies), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_way", ask_way, METH_VARARGS, nullptr},
    {"_rows_way", ask_rows_way, METH_VARARGS, nullptr},
    {"_pieces", ask_pieces, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool is_array(PyObject *object) { return type && PyObject_TypeCheck(object, type); }

PyTypeObject *array_type() {
    if (type) return type;
    const TypeTable table{
        .create = construct,
        .destroy = destroy,
        .traverse = traverse,
        .clear = clear,
        .hash = PyObject_HashNotImplemented,
        .length = length,
        .item = get_at,
        .subscript = get_item,
        .assign = set_item,
        .methods = methods,
        .properties = properties,
        .members = members,
        .doc =
            "Array(shape, dtype=None, allocator=None, base=None, gpudata=None, strides=None, order='C', "
            "stream=None)\n--\n\nThe part of PyGPU.GPUArray that is written in C++: layout, indexing and transfers.",
        .item_size = 3 * sizeof(ssize_t)};
    return type = make_type("PyGPU._arrays.base.Array", offsetof(Array, dimensions),
                            Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, table);
}

bool add_gpu_array(PyObject *module) {
    PyTypeObject *type = array_type();
    if (type) add_pointer_provider(destroy, provide, owns);
    add_known_memory(memory_of_array);
    const Reference table(type ? exchange_table() : nullptr);
    return table && !PyModule_AddObjectRef(module, "_exchange_table", table.get()) &&
           !PyModule_AddObjectRef(module, "Array", reinterpret_cast<PyObject *>(type)) &&
           !PyModule_AddFunctions(module, functions);
}

} // namespace pygpu::arrays
