// All there is of one API: what the generated files provide to the module.
#pragma once

#include "call/function.hpp"
#include "errors/error_type.hpp"
#include "handles/handle_class.hpp"
#include "loader/api.hpp"
#include "names/directory.hpp"
#include "structs/struct_class.hpp"

#include <span>

namespace pygpu {

// How an API's functions and statuses look under another one's names.
struct Renamed {
    ErrorType *(*errors)(); // null with an exception set
    const Row *(*row)(const Row &own);
};

struct Vendor {
    Api &api;
    ErrorType &errors;
    Directory directory;
    std::span<const std::span<const Function>> functions; // by group
    const Renamed *renamed = nullptr;                     // where portable names are another API's
};

namespace cuda {
Vendor &vendor();
}
namespace hip {
Vendor &vendor();
}

extern const std::span<Vendor *const> vendors; // generated

} // namespace pygpu
