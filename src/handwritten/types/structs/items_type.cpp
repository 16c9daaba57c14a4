// What an array view does.
#include "types/structs/items_type.hpp"

#include "convert/sequences.hpp"
#include "python/heap_type.hpp"
#include "python/reference.hpp"
#include "types/structs/fill.hpp"
#include "types/structs/item.hpp"
#include "types/structs/items.hpp"

namespace pygpu {

constinit PyTypeObject *items_classes[2] = {};

namespace {

ItemsObject *items_of(PyObject *self) { return reinterpret_cast<ItemsObject *>(self); }

Py_ssize_t length(PyObject *self) { return static_cast<Py_ssize_t>(items_of(self)->field.count); }

std::byte *address_of(ItemsObject *self, Py_ssize_t index) {
    return self->data + static_cast<std::size_t>(index) * self->field.size;
}

PyObject *item(PyObject *self, Py_ssize_t index) {
    ItemsObject *items = items_of(self);
    if (index < 0 || index >= length(self)) {
        return PyErr_Format(PyExc_IndexError, "%s has %zd items", items->field.name, length(self));
    }
    return read_item(*items->tables, items->field, address_of(items, index), items->root);
}

bool store(PyObject *self, Py_ssize_t index, PyObject *value) {
    ItemsObject *items = items_of(self);
    if (index < 0 || index >= length(self)) {
        PyErr_Format(PyExc_IndexError, "%s has %zd items", items->field.name, length(self));
        return false;
    }
    const FieldPath field{nullptr, items->field.name};
    const FieldPath step{&field, nullptr, index};
    return set_item(items->root, *items->tables, items->field, address_of(items, index), value,
                    ArgumentContext::outside(items->tables->no_call, step));
}

// Converts a subscript to an index. False with the exception set.
bool index_of(PyObject *self, PyObject *key, Py_ssize_t &index) {
    if (!PyIndex_Check(key)) {
        PyErr_Format(PyExc_TypeError, "%s: an index must be an integer or a slice, not %.80s",
                     items_of(self)->field.name, Py_TYPE(key)->tp_name);
        return false;
    }
    index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) return false;
    if (index < 0) index += length(self);
    return true;
}

PyObject *listed(PyObject *self, Py_ssize_t start, Py_ssize_t step, Py_ssize_t count) {
    Reference list(PyList_New(count));
    for (Py_ssize_t at = 0; list && at < count; ++at) {
        PyObject *value = item(self, start + at * step);
        if (!value) return nullptr;
        PyList_SET_ITEM(list.get(), at, value);
    }
    return list.release();
}

PyObject *as_list(PyObject *self) { return listed(self, 0, 1, length(self)); }

PyObject *subscript(PyObject *self, PyObject *key) {
    if (PySlice_Check(key)) {
        Py_ssize_t start, stop, step;
        if (PySlice_Unpack(key, &start, &stop, &step)) return nullptr;
        const Py_ssize_t count = PySlice_AdjustIndices(length(self), &start, &stop, step);
        return listed(self, start, step, count);
    }
    Py_ssize_t index = 0;
    return index_of(self, key, index) ? item(self, index) : nullptr;
}

// A slice is replaced item by item; its length stays.
int store_slice(PyObject *self, PyObject *key, PyObject *value) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step)) return -1;
    const Py_ssize_t count = PySlice_AdjustIndices(length(self), &start, &stop, step);
    const FieldPath field{nullptr, items_of(self)->field.name};
    const Reference values = pygpu::items_of(
        value, ArgumentContext::outside(items_of(self)->tables->no_call, field), "a sequence");
    if (!values) return -1;
    if (PyTuple_GET_SIZE(values.get()) != count) {
        PyErr_Format(PyExc_ValueError, "%s: %zd items can't stand for %zd", items_of(self)->field.name,
                     PyTuple_GET_SIZE(values.get()), count);
        return -1;
    }
    for (Py_ssize_t at = 0; at < count; ++at) {
        if (!store(self, start + at * step, PyTuple_GET_ITEM(values.get(), at))) return -1;
    }
    return 0;
}

int assign(PyObject *self, PyObject *key, PyObject *value) {
    if (!value) {
        PyErr_Format(PyExc_TypeError, "items of %s can't be deleted", items_of(self)->field.name);
        return -1;
    }
    if (PySlice_Check(key)) return store_slice(self, key, value);
    Py_ssize_t index = 0;
    return index_of(self, key, index) && store(self, index, value) ? 0 : -1;
}

PyObject *repr(PyObject *self) {
    if (items_of(self)->foreign && length(self))
        return PyUnicode_FromFormat("<%zd items of C's at %p>", length(self), items_of(self)->data);
    Reference list(as_list(self));
    return list ? PyObject_Repr(list.get()) : nullptr;
}

PyObject *address(PyObject *self) { return PyLong_FromVoidPtr(items_of(self)->data); }

PyObject *compare(PyObject *self, PyObject *other, int operation) {
    if (!PyList_Check(other) && !PyTuple_Check(other) && !is_items(other)) Py_RETURN_NOTIMPLEMENTED;
    Reference mine(as_list(self));
    Reference theirs(mine ? PySequence_List(other) : nullptr);
    return theirs ? PyObject_RichCompare(mine.get(), theirs.get(), operation) : nullptr;
}

PyObject *reduce(PyObject *self, PyObject *) {
    Reference list(as_list(self));
    return list ? Py_BuildValue("(O(O))", &PyList_Type, list.get()) : nullptr;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(items_of(self)->root);
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_CLEAR(items_of(self)->root);
    free_object(self);
}

PyObject *compare_counted(PyObject *self, PyObject *other, int operation) {
    if (!PyLong_Check(other)) return compare(self, other, operation);
    const Reference mine(address(self));
    return mine ? PyObject_RichCompare(mine.get(), other, operation) : nullptr;
}

PyTypeObject *make_items_type(bool counted) {
    static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "Copies and pickles are lists."},
                                    {nullptr, nullptr, 0, nullptr}};
    const TypeTable table{.destroy = destroy,
                          .traverse = traverse,
                          .repr = repr,
                          .hash = PyObject_HashNotImplemented,
                          .compare = counted ? compare_counted : compare,
                          .iterate = PySeqIter_New,
                          .number = counted ? address : nullptr,
                          .index = counted ? address : nullptr,
                          .length = length,
                          .item = item,
                          .subscript = subscript,
                          .assign = assign,
                          .methods = methods,
                          .doc = counted ? "An array that a struct points to; int() is its address."
                                         : "An array inside a struct: reads and writes the struct's memory."};
    return make_type(counted ? "PyGPU._core.CountedArray" : "PyGPU._core.StructArray", sizeof(ItemsObject),
                     Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, table);
}

PyObject *make(bool counted, const StructTables &tables, const Field &field, std::byte *at,
               StructObject *root, bool foreign) {
    PyTypeObject *&type = items_classes[counted];
    if (!type) {
        PyTypeObject *const created = make_items_type(counted);
        if (!type)
            type = created;
        else
            Py_XDECREF(created); // meanwhile a finaliser, or another thread, has made the class
    }
    if (!type) return nullptr;
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    Py_INCREF(root);
    items_of(self)->tables = &tables;
    items_of(self)->field = field;
    items_of(self)->root = root;
    items_of(self)->data = at;
    items_of(self)->foreign = foreign;
    return self;
}

} // namespace

PyObject *make_items(const StructTables &tables, const Field &field, std::byte *at, StructObject *root) {
    return make(false, tables, field, at, root, false);
}

PyObject *make_counted_items(const StructTables &tables, const Field &item, std::byte *at, StructObject *root,
                             bool foreign) {
    return make(true, tables, item, at, root, foreign);
}

} // namespace pygpu
