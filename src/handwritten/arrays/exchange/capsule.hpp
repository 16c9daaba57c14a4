// Asking an object for its tensor, by the C exchange API of its type or by a capsule.
#pragma once

#include "arrays/exchange/imported.hpp"

namespace pygpu::arrays {

// What __dlpack_device__() says. False with TypeError, or what the object raises.
bool load_tensor_device(const char *call, PyObject *object, DLDevice &device);

// The memory of any object with DLPack's protocol; work on `stream`, or on what is current of the memory's
// device, comes after what its library has queued. `never_copied` asks it not to copy. False with
// BufferError, TypeError, or what the object raises.
bool import_object(const char *call, const Runtime &runtime, PyObject *object, const StreamArgument &stream,
                   bool never_copied, Imported &made);

} // namespace pygpu::arrays
