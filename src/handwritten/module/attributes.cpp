// Missing names, portable names, and names of other extension modules.
#include "module/attributes.hpp"

#include "python/package.hpp"
#include "python/reference.hpp"
#include "python/spelled.hpp"
#include "types/handles/handle_class.hpp"

namespace pygpu {

// The exception looks for the name that was meant only when somebody reads the message, because hasattr()
// often asks for missing names.
PyObject *raise_missing(PyObject *module, PyObject *name) {
    if (const char *text = spelled(name); text && *text == '_') { // only tools ask for such names
        return PyErr_Format(PyExc_AttributeError, "module '%s' has no attribute '%s'",
                            PyModule_GetName(module), text);
    }
    return raise_object(call_in_package(package::missing_name, "(sO)", PyModule_GetName(module), name));
}

PyObject *portable_type(PyObject *object) {
    const HandleClass *kind =
        PyType_Check(object) ? HandleClass::of(reinterpret_cast<PyTypeObject *>(object)) : nullptr;
    if (!kind) return object;
    Py_DECREF(object);
    return Py_NewRef(reinterpret_cast<PyObject *>(kind->portable_type()));
}

PyObject *cuda_attribute(const char *api, const char *name) {
    Reference value = from_module(package::module_of(api).c_str(), name);
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return value.release();
}

} // namespace pygpu
