// Defines the functions in the rows of PYGPU_EXPORTS, which belong to the API PYGPU_API, then lists them. The
// rows are:
//     IMPLEMENTED(symbol, name, since, guard, per_thread, result, (parameters), call): makes the call
//     UNSUPPORTED(symbol, name, since, guard, per_thread, result, (types)): returns "not supported"
//     UNGUARDED(symbol, name, since, result, (parameters), call): makes the call without a guard
//     STUB(symbol, name, since, result, (types)): returns an empty result, without a guard
//
// `since` is the first release of this form, 0 where all have it. Functions of attributes have two more: the
// parameter that names the attribute, and the ranges of known ones. All others are invalid values.
#include "guard/guard.hpp"

#include <string_view>

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace pygpu::PYGPU_API {
namespace {

// The position of each row in the list.
enum Row {
#define IMPLEMENTED(symbol, ...) symbol##_row,
#define UNSUPPORTED IMPLEMENTED
#define UNGUARDED IMPLEMENTED
#define STUB IMPLEMENTED

#include PYGPU_EXPORTS

#undef IMPLEMENTED
#undef UNSUPPORTED
#undef UNGUARDED
#undef STUB
};

} // namespace

using namespace pygpu::host;
using host::PYGPU_API::as;
using host::PYGPU_API::exported;

#define IMPLEMENTED(symbol, name, since, guard, per_thread, result, parameters, call, ...)                   \
    PYGPU_EXPORT result symbol parameters {                                                                  \
        return guarded<result>(exported[symbol##_row], [&] {                                                 \
            __VA_OPT__(if (!is_known(__VA_ARGS__)) return Status::invalid_value;)                            \
            return host::PYGPU_API::call;                                                                    \
        });                                                                                                  \
    }
#define UNSUPPORTED(symbol, name, since, guard, per_thread, result, types, ...)                              \
    PYGPU_EXPORT result symbol types {                                                                       \
        return guarded<result>(exported[symbol##_row],                                                       \
                               __VA_OPT__(!is_known(__VA_ARGS__) ? invalid_value :) not_supported);          \
    }
#define UNGUARDED(symbol, name, since, result, parameters, call)                                             \
    PYGPU_EXPORT result symbol parameters {                                                                  \
        return bare<result>([&] { return host::PYGPU_API::call; });                                          \
    }
#define STUB(symbol, name, since, result, types)                                                             \
    PYGPU_EXPORT result symbol types { return {}; }

#include PYGPU_EXPORTS

#undef IMPLEMENTED
#undef UNSUPPORTED
#undef UNGUARDED
#undef STUB

} // namespace pygpu::PYGPU_API

namespace pygpu::host::PYGPU_API {

using namespace ::pygpu::PYGPU_API;

#define PYGPU_LISTED(symbol, name, ...)                                                                      \
    {#symbol, std::string_view(#symbol) == #name ? nullptr : #name, Vendor::PYGPU_API, __VA_ARGS__},
#define IMPLEMENTED(symbol, name, since, guard, per_thread, ...)                                             \
    PYGPU_LISTED(symbol, name, Guard::guard, per_thread, true, since)
#define UNSUPPORTED(symbol, name, since, guard, per_thread, ...)                                             \
    PYGPU_LISTED(symbol, name, Guard::guard, per_thread, false, since)
#define UNGUARDED(symbol, name, since, ...) PYGPU_LISTED(symbol, name, Guard::pure, false, true, since)
#define STUB(symbol, name, since, ...) PYGPU_LISTED(symbol, name, Guard::pure, false, false, since)

constinit const Call exported[] = {
#include PYGPU_EXPORTS
    {},
};

} // namespace pygpu::host::PYGPU_API

#undef IMPLEMENTED
#undef UNSUPPORTED
#undef UNGUARDED
#undef STUB
#undef PYGPU_LISTED
#undef PYGPU_EXPORT
#undef PYGPU_EXPORTS
#undef PYGPU_API
