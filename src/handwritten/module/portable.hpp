// CUDA's names for another vendor's functions and values.
#pragma once

#include "binding/function.hpp"
#include "binding/status_type.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

// One for each name of HIP's that it stands for over the releases: a later spelling is no earlier one.
struct PortableName {
    const char *cuda;
    const char *hip; // or CUDA's own: a value, or a function that does the same
    int since = 0;   // the releases of HIP that have it so: 602 is 6.2
    int until = 9999;
    const Function *adapted = nullptr; // CUDA's form, where HIP's is another
};

// Functions, values and types with a counterpart, sorted by CUDA's name. Generated.
extern const std::span<const PortableName> portable_names;

// CUDA's record of the function that this one of HIP's stands for, or null.
const FunctionRecord *cuda_record_of(const FunctionRecord &hip);

// What stands for CUDA's name on HIP, in every release that has anything.
std::span<const PortableName> portable_spans(const char *cuda);
// The same in the loaded release, in the newest while none is loaded or where it has nothing; or null.
const PortableName *portable_name(const char *cuda);
// CUDA's name for HIP's, or null.
const char *cuda_name_of(const char *hip);

// HIP's status codes under CUDA's names where CUDA has one.
std::span<const StatusCode> portable_error_codes();

// CUDA's class of status codes on HIP: made on first use, null with the exception set.
StatusType *portable_errors();

// The portable module on HIP: CUDA's names, HIP's functions.
PyObject *make_portable_on_hip(const char *name, const char *qualified, bool raising);

} // namespace pygpu
