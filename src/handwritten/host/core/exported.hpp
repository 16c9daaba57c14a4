// Defines the functions in the rows of PYGPU_EXPORTS, those of the API PYGPU_API, then lists them. A row
// says:
//     DONE(symbol, name, since, guard, per_thread, result, (parameters), call): what the handwritten call
//     does REFUSED(symbol, name, since, guard, per_thread, result, (types), how): nothing is written for it
//     BARE(symbol, name, since, result, (parameters), call): without a guard
//     EMPTY(symbol, name, since, result, (types)): the same, and nothing is written for it
// `since` is the first release of this form, 0 where all have it.
#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))
#define PYGPU_CALL(symbol, name, guard, per_thread)                                                          \
    namespace {                                                                                              \
    constinit Call symbol##_call{#symbol, #name, Vendor::PYGPU_API, Guard::guard, per_thread};               \
    }

namespace pygpu::PYGPU_API {

using namespace pygpu::host;
using host::PYGPU_API::as;

#define DONE(symbol, name, since, guard, per_thread, result, parameters, call)                               \
    PYGPU_CALL(symbol, name, guard, per_thread)                                                              \
    PYGPU_EXPORT result symbol parameters {                                                                  \
        return guarded<result>(symbol##_call, [&] { return host::PYGPU_API::call; });                        \
    }
#define REFUSED(symbol, name, since, guard, per_thread, result, types, how)                                  \
    PYGPU_CALL(symbol, name, guard, per_thread)                                                              \
    PYGPU_EXPORT result symbol types { return guarded<result>(symbol##_call, host::how); }
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

#define PYGPU_LISTED(symbol, name, ...) {#symbol, #name, as_declared(&Entries::name, &symbol), __VA_ARGS__},
#define DONE(symbol, name, since, guard, per_thread, ...) PYGPU_LISTED(symbol, name, true, per_thread, since)
#define REFUSED(symbol, name, since, guard, per_thread, ...)                                                 \
    PYGPU_LISTED(symbol, name, false, per_thread, since)
#define BARE(symbol, name, since, ...) PYGPU_LISTED(symbol, name, true, false, since)
#define EMPTY(symbol, name, since, ...) PYGPU_LISTED(symbol, name, false, false, since)

const Exported exported[] = {
#include PYGPU_EXPORTS
    {},
};

} // namespace pygpu::host::PYGPU_API

#undef DONE
#undef REFUSED
#undef BARE
#undef EMPTY
#undef PYGPU_LISTED
#undef PYGPU_CALL
#undef PYGPU_EXPORT
#undef PYGPU_EXPORTS
#undef PYGPU_API
