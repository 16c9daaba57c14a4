// Defines the functions in the rows of PYGPU_EXPORTS, which belong to the API PYGPU_API, then lists them. The
// rows are:
//     DONE(symbol, name, since, guard, per_thread, result, (parameters), call): makes the handwritten call
//     REFUSED(symbol, name, since, guard, per_thread, result, (types)): returns "not supported"
//     BARE(symbol, name, since, result, (parameters), call): makes the handwritten call without a guard
//     EMPTY(symbol, name, since, result, (types)): returns an empty result, without a guard
// `since` is the first release of this form, 0 where all have it. Functions of attributes have two more: the
// parameter that names the attribute, and the ranges of known ones. All others are invalid values.
#include "guard/guard.hpp"

#include <string_view>

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace pygpu::PYGPU_API {
namespace {

// The position of each row in the list.
enum Row {
#define DONE(symbol, ...) symbol##_row,
#define REFUSED DONE
#define BARE DONE
#define EMPTY DONE

#include PYGPU_EXPORTS

#undef DONE
#undef REFUSED
#undef BARE
#undef EMPTY
};

} // namespace

using namespace pygpu::host;
using host::PYGPU_API::as;
using host::PYGPU_API::exported;

#define DONE(symbol, name, since, guard, per_thread, result, parameters, call, ...)                          \
    PYGPU_EXPORT result symbol parameters {                                                                  \
        return guarded<result>(exported[symbol##_row], [&] {                                                 \
            __VA_OPT__(if (!is_known(__VA_ARGS__)) return Status::invalid_value;)                            \
            return host::PYGPU_API::call;                                                                    \
        });                                                                                                  \
    }
#define REFUSED(symbol, name, since, guard, per_thread, result, types, ...)                                  \
    PYGPU_EXPORT result symbol types {                                                                       \
        return guarded<result>(exported[symbol##_row],                                                       \
                               __VA_OPT__(!is_known(__VA_ARGS__) ? invalid_value :) not_supported);          \
    }
#define BARE(symbol, name, since, result, parameters, call)                                                  \
    PYGPU_EXPORT result symbol parameters {                                                                  \
        return bare<result>([&] { return host::PYGPU_API::call; });                                          \
    }
#define EMPTY(symbol, name, since, result, types)                                                            \
    PYGPU_EXPORT result symbol types { return {}; }

#include PYGPU_EXPORTS

#undef DONE
#undef REFUSED
#undef BARE
#undef EMPTY

} // namespace pygpu::PYGPU_API

namespace pygpu::host::PYGPU_API {

using namespace ::pygpu::PYGPU_API;

#define PYGPU_LISTED(symbol, name, ...)                                                                      \
    {#symbol, std::string_view(#symbol) == #name ? nullptr : #name, Vendor::PYGPU_API, __VA_ARGS__},
#define DONE(symbol, name, since, guard, per_thread, ...)                                                    \
    PYGPU_LISTED(symbol, name, Guard::guard, per_thread, true, since)
#define REFUSED(symbol, name, since, guard, per_thread, ...)                                                 \
    PYGPU_LISTED(symbol, name, Guard::guard, per_thread, false, since)
#define BARE(symbol, name, since, ...) PYGPU_LISTED(symbol, name, Guard::pure, false, true, since)
#define EMPTY(symbol, name, since, ...) PYGPU_LISTED(symbol, name, Guard::pure, false, false, since)

constinit const Call exported[] = {
#include PYGPU_EXPORTS
    {},
};

} // namespace pygpu::host::PYGPU_API

#undef DONE
#undef REFUSED
#undef BARE
#undef EMPTY
#undef PYGPU_LISTED
#undef PYGPU_EXPORT
#undef PYGPU_EXPORTS
#undef PYGPU_API
