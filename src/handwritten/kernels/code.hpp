// Loaded code: a module of the driver, or a library with its module, unloaded when nothing uses it any more.
#pragma once

#include "arrays/base/runtime.hpp"
#include "python/reference.hpp"
#include "runtime/generation.hpp"

#include <Python.h>

namespace pygpu::kernels {

// PyGPU._core.kernels.Code. It owns the library, or the module where there is none. The GIL guards it.
struct CodeObject {
    PyObject_HEAD
    const arrays::Runtime *runtime;
    void *handle;  // the module
    void *library; // null where the module was loaded without one
    int (*unload)(void *library_or_module);
    int device;
    DeviceGeneration generation;
    bool unloaded; // by unload()
    bool launched; // a kernel or a copy that uses it may be running
    int users; // launches, look-ups, arrays and graphs: while there are any, the last unloads, not unload()

    bool ended() const { return generation != generation_of(device); } // by a fork or a reset
    // False with an exception set if it was unloaded or has ended; `call` is for the message.
    bool check(const char *call) const;
    void end_use();

    // A use of the code. Call check() before. The caller keeps the object alive. Begins and ends with the
    // GIL.
    class Using {
    public:
        explicit Using(CodeObject &code) : code_(code) { ++code.users; }
        Using(const Using &) = delete;
        Using &operator=(const Using &) = delete;
        ~Using() { code_.end_use(); }

    private:
        CodeObject &code_;
    };

    // An object that is a use of the code and keeps it alive. Empty with an exception set.
    Reference use_object();
};

PyTypeObject *code_type();                 // null with an exception set
CodeObject *code_object(PyObject *object); // null for another type; borrowed

} // namespace pygpu::kernels
