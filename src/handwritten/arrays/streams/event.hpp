// PyGPU.Event: a point in a stream's work as an object.
#pragma once

#include "arrays/base/runtime.hpp"
#include "runtime/generation.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct EventObject {
    PyObject_HEAD
    Runtime *runtime;
    Event event; // null until it is first recorded: it belongs to the device of that stream
    int device;
    bool timing;
    DeviceGeneration generation;

    // Whether there is something to wait for. A fork and a reset of the device end it.
    bool made() const { return event && generation == generation_of(device); }
};

PyTypeObject *event_type();                  // null with an exception set
PyObject *make_event(Runtime &runtime);      // with timing, not yet recorded
EventObject *event_object(PyObject *object); // null for another type; borrowed

// Records an event on a stream of `device`, and makes it first where that is due. False with GPUError set: an
// event stays with the device of the stream that it was first recorded on.
bool record(EventObject &event, Stream stream, int device, const char *call);

} // namespace pygpu::arrays
