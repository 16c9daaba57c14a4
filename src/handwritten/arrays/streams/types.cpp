// Adding the types of streams.
#include "arrays/streams/types.hpp"

#include "arrays/streams/event.hpp"
#include "arrays/streams/stream_type.hpp"

namespace pygpu::arrays {

bool add_streams(PyObject *module) {
    PyTypeObject *stream = stream_type(), *event = event_type();
    return stream && event &&
           !PyModule_AddObjectRef(module, "Stream", reinterpret_cast<PyObject *>(stream)) &&
           !PyModule_AddObjectRef(module, "Event", reinterpret_cast<PyObject *>(event));
}

} // namespace pygpu::arrays
