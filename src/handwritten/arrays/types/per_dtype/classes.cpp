// Making the classes, and finding them by name.
#include "arrays/types/per_dtype/classes.hpp"

#include "python/reference.hpp"
#include "python/type_name.hpp"

#include <string>
#include <string_view>

namespace pygpu::arrays {

PyTypeObject *Family::type_of(const DType &dtype) {
    PyTypeObject *&type = types_[static_cast<std::size_t>(&dtype - dtypes)];
    if (type) return type;
    const std::string own = std::string(name_) + "_" + dtype.name, doc = own + table_.doc;
    TypeTable table = table_;
    table.doc = doc.c_str();
    if (base_ && !(table.base = base_())) return nullptr;
    PyTypeObject *created = make_type(type_name("PyGPU", own), object_size_, Py_TPFLAGS_HAVE_GC, table);
    if (!type) return type = created;
    Py_XDECREF(created); // meanwhile a finaliser, or another thread, has made the class
    return type;
}

const DType &dtype_of(const PyTypeObject *type) {
    const std::string_view name = name_of(type), suffix = name.substr(name.rfind('_') + 1);
    std::size_t index = 0;
    while (suffix != dtypes[index].name) ++index;
    return dtypes[index];
}

namespace {

Family *const *families() {
    static Family *const all[] = {&device_arrays(),     &pointer_wrappers(),      &host_allocators(),
                                  &device_allocators(), &pagelocked_allocators(), nullptr};
    return all;
}

PyObject *typed_class(PyObject *, PyObject *wanted) {
    const char *text = PyUnicode_AsUTF8(wanted);
    if (!text) return nullptr;
    const std::string_view name = text;
    for (Family *const *family = families(); *family; ++family) {
        for (const DType &dtype : dtypes) {
            if (name == std::string((*family)->name()) + "_" + dtype.name)
                return Py_XNewRef(reinterpret_cast<PyObject *>((*family)->type_of(dtype)));
        }
    }
    return PyErr_Format(PyExc_AttributeError, "typed_class(): no class is called %R", wanted);
}

PyMethodDef functions[] = {{"typed_class", typed_class, METH_O,
                            "typed_class(name)\n--\n\nOne of the classes of typed_names, made on first use. "
                            "AttributeError."},
                           {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_typed(PyObject *module) {
    Reference names(PyList_New(0));
    for (Family *const *family = families(); names && *family; ++family) {
        for (const DType &dtype : dtypes) {
            Reference name(PyUnicode_FromFormat("%s_%s", (*family)->name(), dtype.name));
            if (!name || PyList_Append(names.get(), name.get())) return false;
        }
    }
    Reference all(names ? PyList_AsTuple(names.get()) : nullptr);
    return all && !PyModule_AddObjectRef(module, "typed_names", all.get()) &&
           !PyModule_AddFunctions(module, functions);
}

} // namespace pygpu::arrays
