// Importing numpy, dtypes, and the memory of its arrays.
#include "arrays/base/numpy.hpp"

#include "convert/sizes.hpp"
#include "python/object_cache.hpp"
#include "python/package.hpp"

#include <cstring>

namespace pygpu::arrays {
namespace {

Numpy names{};

// What a spelling of a dtype means.
struct SpelledDType {
    Reference dtype;
    ssize_t itemsize = 0;
};

// Only a spelling whose meaning never changes may be remembered.
bool may_remember(PyObject *key) {
    return PyType_Check(key) || PyUnicode_CheckExact(key) ||
           Py_TYPE(key)->tp_dealloc == reinterpret_cast<PyTypeObject *>(names.dtype)->tp_dealloc;
}

bool is_ndarray(PyObject *object) {
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(names.ndarray));
}

// Whether a class is that of masked arrays, whose module numpy imports late. -1 with an exception set.
int is_masked(PyTypeObject *type) {
    static ObjectCache<int> known;
    auto *object = reinterpret_cast<PyObject *>(type);
    if (const int *answer = known.find(object)) return *answer;
    const Reference name(PyUnicode_FromString("numpy.ma"));
    const Reference module(name ? PyImport_GetModule(name.get()) : nullptr);
    const Reference kind(module ? PyObject_GetAttrString(module.get(), "MaskedArray") : nullptr);
    const int answer = kind ? PyObject_IsSubclass(object, kind.get()) : PyErr_Occurred() ? -1 : 0;
    if (answer >= 0) known.put(object, answer);
    return answer;
}

// An array of numpy's own class: the array itself, or a view on it. Empty with an exception set.
Reference plain(PyObject *array) {
    const Numpy *np = numpy();
    if (!np) return {};
    if (Py_TYPE(array) == reinterpret_cast<PyTypeObject *>(np->ndarray)) return Reference::borrow(array);
    if (!check_no_mask(array)) return {};
    return Reference(PyObject_CallFunctionObjArgs(np->view, array, np->ndarray, nullptr));
}

} // namespace

const Numpy *numpy() {
    if (names.asarray) return &names;
    names.dtype = from_module("numpy", "dtype").release();
    if (!names.dtype) return nullptr;
    names.ndarray = from_module("numpy", "ndarray").release();
    names.empty = from_module("numpy", "empty").release();
    names.view = names.ndarray ? PyObject_GetAttrString(names.ndarray, "view") : nullptr;
    if (!names.dtype || !names.view || !names.empty) return nullptr;
    names.asarray = from_module("numpy", "asarray").release();
    return names.asarray ? &names : nullptr;
}

PyObject *load_dtype(PyObject *spelling, ssize_t &itemsize) {
    static auto &spellings =
        *new ObjectCache<SpelledDType>; // never destroyed: static objects outlive the interpreter
    const Numpy *np = numpy();
    if (!np) return nullptr;
    if (const SpelledDType *known = spellings.find(spelling)) {
        itemsize = known->itemsize;
        return Py_NewRef(known->dtype.get());
    }
    Reference dtype(PyObject_CallOneArg(np->dtype, spelling));
    Reference has_objects(dtype ? PyObject_GetAttrString(dtype.get(), "hasobject") : nullptr);
    Reference inner(has_objects ? PyObject_GetAttrString(dtype.get(), "subdtype") : nullptr);
    Reference size(inner ? PyObject_GetAttrString(dtype.get(), "itemsize") : nullptr);
    if (!size) return nullptr;
    if (has_objects.get() == Py_True || inner.get() != Py_None) {
        return PyErr_Format(PyExc_TypeError, "dtype %R %s", dtype.get(),
                            has_objects.get() == Py_True
                                ? "holds Python objects, which devices can't read"
                                : "is an array of its own: make that part of the shape");
    }
    itemsize = PyLong_AsSsize_t(size.get());
    if (may_remember(spelling)) spellings.put(spelling, {Reference::borrow(dtype.get()), itemsize});
    return dtype.release();
}

char plain_kind(PyObject *dtype) {
    static ObjectCache<char> kinds;
    if (const char *known = kinds.find(dtype)) return *known;
    Reference kind(PyObject_GetAttrString(dtype, "kind"));
    Reference native(kind ? PyObject_GetAttrString(dtype, "isnative") : nullptr);
    const char *letter = native ? PyUnicode_AsUTF8(kind.get()) : nullptr;
    PyErr_Clear();
    const bool plain = letter && std::strchr("biufc", *letter) && native.get() == Py_True;
    const char result = plain ? *letter : '\0';
    kinds.put(dtype, result);
    return result;
}

bool check_no_mask(PyObject *object) {
    const int masked = is_masked(Py_TYPE(object));
    if (masked > 0)
        PyErr_SetString(
            PyExc_TypeError,
            "a masked array would lose its mask: pass x.filled(value), or x.data for the elements "
            "without the mask");
    return !masked;
}

HostArray::~HostArray() {
    if (view_.obj) release_buffer(view_);
}

bool HostArray::load(PyObject *object, bool writable) {
    static PyObject *const dtype_name = PyUnicode_InternFromString("dtype");
    array = plain(object);
    dtype = Reference(array ? PyObject_GetAttr(array.get(), dtype_name) : nullptr);
    if (!dtype) return false;
    // No format is asked for: without one, numpy lends the memory of every dtype.
    if (PyObject_GetBuffer(array.get(), &view_, PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0))) {
        view_.obj = nullptr;
        if (writable && PyErr_ExceptionMatches(PyExc_ValueError))
            PyErr_SetString(PyExc_ValueError,
                            "the numpy array is read-only; pass one that can be written, such as its copy()");
        return false;
    }
    data = static_cast<char *>(view_.buf);
    layout.axes = view_.ndim;
    layout.itemsize = view_.itemsize;
    for (int axis = 0; axis < view_.ndim; ++axis) {
        layout.shape[axis] = view_.shape[axis];
        layout.strides[axis] = view_.strides[axis];
    }
    return true;
}

PyObject *as_array(PyObject *object) {
    const Numpy *np = numpy();
    if (!np) return nullptr;
    if (is_ndarray(object)) return Py_NewRef(object);
    return PyObject_CallOneArg(np->asarray, object);
}

PyObject *new_array(PyObject *dtype, const Layout &layout) {
    const Numpy *np = numpy();
    Reference shape(np ? sizes_to_python(layout.shape, layout.axes) : nullptr);
    if (!shape) return nullptr;
    static PyObject *const fortran = PyUnicode_InternFromString("F");
    PyObject *arguments[] = {nullptr, shape.get(), dtype, fortran};
    auto empty = [&](bool by_c) {
        return PyObject_Vectorcall(np->empty, arguments + 1, (by_c ? 2 : 3) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                   nullptr);
    };
    const bool by_c = layout.contiguous_as_c();
    if (by_c || layout.contiguous_as_f()) return empty(by_c);
    const Layout compact = layout.compact('K');
    const bool compact_by_c = compact.contiguous_as_c();
    if (compact_by_c || compact.contiguous_as_f()) return empty(compact_by_c);
    // The axes are permuted: Python code makes an array in the order of the strides and transposes it.
    return call_in_package(package::empty_in_order, "(OON)", shape.get(), dtype,
                           sizes_to_python(compact.strides, layout.axes));
}

} // namespace pygpu::arrays
