// The generated tables of one API.
#pragma once

#include "binding/function.hpp"
#include "binding/status_type.hpp"
#include "module/directory.hpp"
#include "runtime/api.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <span>
#include <string_view>

namespace pygpu {

class PortableApi;

struct Vendor {
    Api &api;
    StatusType &errors;
    Directory directory;
    std::span<const std::span<const Function>> functions; // by group
    // APIs of another vendor: their names stand for functions of this API. Handles and arrays use the names
    // of the first one.
    std::span<PortableApi *const> portables{};

    // The class of statuses for portable names; null with an exception set.
    StatusType *portable_errors() const;
};

// The APIs of all extension modules that share this library, in the order in which they were made. With the
// GIL held.
std::span<Vendor *const> vendors();
void add_vendor(Vendor &vendor);

// One of these APIs; null with ValueError set for another name.
Vendor *vendor_named(const char *name);

// Null if there is none.
const Function *function_named(const Vendor &vendor, std::string_view name);

// A list of the names of all functions. A new reference; null with an exception set.
PyObject *function_names(const Vendor &vendor);

// A list of all public names in the loaded release, or in all releases while no library is loaded. A new
// reference; null with an exception set.
PyObject *names_of(const Vendor &vendor);

} // namespace pygpu
