// Which objects count as a sequence of values.
#include "convert/sequences.hpp"

namespace pygpu {

bool is_sequence(PyObject *object) {
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object)) return false;
    const PyTypeObject *type = Py_TYPE(object);
    const bool has_length = (type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
                            (type->tp_as_mapping && type->tp_as_mapping->mp_length);
    return has_length && PySequence_Check(object) && !PyDict_Check(object);
}

Reference items_of(PyObject *object, const ArgumentContext &context, const char *expected) {
    if (!is_sequence(object)) {
        type_error(context, expected, object);
        return {};
    }
    return Reference(PySequence_Tuple(object)); // converting may run Python code, which may change a list
}

} // namespace pygpu
