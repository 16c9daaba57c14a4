// Importing the memory of any object that has DLPack's protocol.
#pragma once

#include "arrays/exchange/imported.hpp"

namespace pygpu::arrays {

// The device that __dlpack_device__() returns. False with TypeError, or with the exception of the object.
bool load_tensor_device(const char *call, PyObject *object, DLDevice &device);

// Imports the memory of any object with DLPack's protocol. Work on `stream` comes after the work that the
// object's library has queued. If the memory is another device's, the current stream of that device is taken
// instead. `never_copied` asks the library not to copy. False with BufferError, TypeError, or the exception
// of the object.
bool import_object(const char *call, const Runtime &runtime, PyObject *object, const StreamArgument &stream,
                   bool never_copied, Imported &imported);

} // namespace pygpu::arrays
