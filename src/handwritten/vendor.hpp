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

struct Vendor {
    Api &api;
    ErrorType &errors;
    Directory directory;
    std::span<const std::span<const Function>> functions; // by group
};

namespace cuda {
Vendor &vendor();
}
namespace hip {
Vendor &vendor();
}

extern const std::span<Vendor *const> vendors; // generated

} // namespace pygpu
