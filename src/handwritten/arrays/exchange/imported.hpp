// Taking tensors of other libraries as buffers of PyGPU.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/memory/buffer.hpp"
#include "python/reference.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

struct Imported {
    Retained<Buffer> buffer;
    char *data = nullptr;
    Layout layout;
    PyObject *dtype = nullptr; // borrowed
    bool may_be_bytes = false; // set before the import: raw bytes stand for a dtype that numpy doesn't have
    bool readonly = false; // set before the import: nobody may write to this memory, whatever the tensor says
};

// Takes a tensor over in any case. Its deleter is called after the last use of the memory, or at once if the
// memory can't be taken. The memory follows `stream`. If `stream` is another device's, it follows the current
// stream of its own device. The caller orders that stream. False with BufferError set; `call` begins the
// message.
bool import_tensor(const char *call, const Runtime &runtime, DLManagedTensorVersioned *managed,
                   const StreamArgument &stream, Imported &imported);
bool import_tensor(const char *call, const Runtime &runtime, DLManagedTensor *managed,
                   const StreamArgument &stream, Imported &imported);

// The device whose streams order a tensor's memory: its own device, or the current one for memory of the
// host.
int device_of_tensor(const Runtime &runtime, const DLDevice &device);

} // namespace pygpu::arrays
