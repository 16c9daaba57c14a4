// The generated tables of one API.
#pragma once

#include "binding/function.hpp"
#include "binding/status_type.hpp"
#include "module/directory.hpp"
#include "runtime/api.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/struct_class.hpp"

#include <span>

namespace pygpu {

// How an API's functions and statuses look under another one's names.
struct Renamed {
    StatusType *(*errors)(); // null with an exception set
    const FunctionRecord *(*record)(const FunctionRecord &own);
};

struct Vendor {
    Api &api;
    StatusType &errors;
    Directory directory;
    std::span<const std::span<const Function>> functions; // by group
    const Renamed *renamed = nullptr;                     // where portable names are another API's

    // The class of the portable names' statuses; null with an exception set.
    StatusType *portable_errors() const { return renamed ? renamed->errors() : &errors; }
};

namespace cuda {
Vendor &vendor();
}
namespace hip {
Vendor &vendor();
}

extern const std::span<Vendor *const> vendors; // generated

} // namespace pygpu
