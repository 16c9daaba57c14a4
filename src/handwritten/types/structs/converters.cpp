// What struct parameters and results of all types share.
#include "types/structs/converters.hpp"

namespace pygpu {

bool load_written(StructCopy &copy, StructClass &kind, PyObject *object, const ArgumentContext &context,
                  std::span<std::byte> buffer) {
    return object == Py_None || copy.load(kind, object, context, buffer);
}

PyObject *overrun_to_python(const StructClass &kind) {
    if (PyErr_WarnFormat(
            PyExc_RuntimeWarning, 1,
            "the loaded library wrote a longer %s than the %zu bytes this build knows; its value "
            "is withheld: update PyGPU for this release",
            kind.name(), kind.size())) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

} // namespace pygpu
