// Adding the types of streams.
#include "arrays/streams/types.hpp"

#include "arrays/streams/event.hpp"
#include "arrays/streams/graph_base.hpp"
#include "arrays/streams/stream_type.hpp"

namespace pygpu::arrays {

bool add_streams(PyObject *module) {
    PyTypeObject *stream = stream_type(), *event = event_type(), *graph = graph_base();
    return stream && event && graph &&
           !PyModule_AddObjectRef(module, "GraphBase", reinterpret_cast<PyObject *>(graph)) &&
           !PyModule_AddObjectRef(module, "Stream", reinterpret_cast<PyObject *>(stream)) &&
           !PyModule_AddObjectRef(module, "Event", reinterpret_cast<PyObject *>(event));
}

} // namespace pygpu::arrays
