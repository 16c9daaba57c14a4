// Binding modes: plain or checked, vendor's or portable names.
//
// Each mode is a module of its own; its functions share the C code and differ by `self`.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

#include <unordered_map>

namespace pygpu {

class StatusType;

// From the record of the called function to the record with the name that users see.
using RecordsByServing = std::unordered_map<const FunctionRecord *, const FunctionRecord *>;

struct BindingMode {
    Api *api;
    StatusType *errors;
    bool raising;                      // values come back without the status, and a failure raises GPUError
    bool host = false;                 // the host runtime may stand in for a vendor that is missing
    int since = 0;                     // in a release before this, its functions give ErrorNotSupported
    const char *constructor = nullptr; // the class whose constructor calls the function, for messages
    const RecordsByServing *cuda_records = nullptr; // where CUDA's names stand for another vendor's functions

    bool renames() const { return cuda_records != nullptr; }

    static constexpr int never = 10000; // for `since`: no release has these functions
};

inline BindingMode &mode_of(PyObject *module) {
    return *static_cast<BindingMode *>(PyModule_GetState(module));
}

// The record whose names a user of this mode sees.
const FunctionRecord &shown(const BindingMode &mode, const FunctionRecord &record);

// A new module object of this mode, without functions yet.
PyObject *make_mode_module(const char *name, const char *doc, const BindingMode &mode);

} // namespace pygpu
