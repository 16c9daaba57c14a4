// PyGPU.Event: an object for a point in a stream's work.
#pragma once

#include "arrays/base/runtime.hpp"
#include "runtime/generation.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct EventObject {
    PyObject_HEAD
    Runtime *runtime;
    Event event; // made when it is first recorded, for the device of that stream; null before
    int device;
    bool timing;
    DeviceGeneration generation;

    // Whether there is an event to wait for. A fork and a reset of the device end it.
    bool exists() const { return event && generation == generation_of(device); }
};

PyTypeObject *event_type();                  // null with an exception set
PyObject *make_event(Runtime &runtime);      // with timing, not yet recorded
EventObject *event_object(PyObject *object); // null for another type; borrowed

// Records an event on a stream of `device`. Makes the event first if there is none. False with GPUError set,
// for example because the event was made for another device.
bool record(EventObject &event, Stream stream, int device, const char *call);

} // namespace pygpu::arrays
