// Which objects count as a sequence of values.
#include "convert/sequences.hpp"

namespace pygpu {

Reference items_of(PyObject *object, const Place &place, const char *expected) {
    const bool text = PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
    if (text || PyDict_Check(object) || !PySequence_Check(object)) {
        type_error(place, expected, object);
        return {};
    }
    return Reference(PySequence_Tuple(object)); // converting may run Python code, which may change a list
}

} // namespace pygpu
