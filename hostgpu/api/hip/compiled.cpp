// What hipcc's output calls besides the runtime API: the start-up code of a program, and <<<...>>>.
//
// Signatures: hipamd/src/hip_platform.cpp of ROCm/clr, where AMD's library defines them.
#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "api/hip/translate.hpp"
#include "api/launches.hpp"
#include "base/caught.hpp"
#include "code/kernels.hpp"
#include "guard/guard.hpp"

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace pygpu::host::hip {
namespace {

constinit Call push{"__hipPushCallConfiguration", nullptr, Vendor::hip, Guard::light, false};
constinit Call pop{"__hipPopCallConfiguration", nullptr, Vendor::hip, Guard::light, false};
constinit Call make_variable{"__hipRegisterManagedVar", nullptr, Vendor::hip, Guard::full, false};

} // namespace

PYGPU_EXPORT void **__hipRegisterFatBinary(const void *code) {
    return bare<void **>([=] { return static_cast<void **>(enter_image(code)); });
}

PYGPU_EXPORT void __hipUnregisterFatBinary(void **image) { leave_image(image); }

PYGPU_EXPORT void __hipRegisterFunction(void **image, const void *function, char *, const char *name,
                                        unsigned, void *, void *, c::dim3 *, c::dim3 *, int *) {
    caught([&] { return enter_kernel(image, function, name), Status::success; });
}

PYGPU_EXPORT void __hipRegisterVar(void **image, void *symbol, char *, char *name, int, std::size_t, int,
                                   int) {
    caught([&] { return enter_variable(image, symbol, name), Status::success; });
}
PYGPU_EXPORT void __hipRegisterSurface(void **, void *, char *, char *, int, int) {}
PYGPU_EXPORT void __hipRegisterTexture(void **, void *, char *, char *, int, int, int) {}

PYGPU_EXPORT void __hipRegisterManagedVar(void *image, void **pointer, void *initial, const char *,
                                          std::size_t size, unsigned) {
    guarded<c::hipError_t>(make_variable, [&] { return make_managed(image, pointer, size, initial); });
}

PYGPU_EXPORT c::hipError_t __hipPushCallConfiguration(c::dim3 grid, c::dim3 block, std::size_t shared,
                                                      c::hipStream_t stream) {
    return guarded<c::hipError_t>(push, [&] {
        push_launch({as(grid), as(block), shared, as(stream)});
        return Status::success;
    });
}

PYGPU_EXPORT c::hipError_t __hipPopCallConfiguration(c::dim3 *grid, c::dim3 *block, std::size_t *shared,
                                                     c::hipStream_t *stream) {
    return guarded<c::hipError_t>(pop, [&] {
        Launch begun{};
        if (!pop_launch(begun)) return Status::missing_configuration;
        *grid = __builtin_bit_cast(c::dim3, begun.grid);
        *block = __builtin_bit_cast(c::dim3, begun.block);
        *shared = begun.shared;
        *stream = reinterpret_cast<c::hipStream_t>(begun.stream);
        return Status::success;
    });
}

// The older form of <<<...>>>: continues with what was pushed.
Status ConfigureCall(Dim grid, Dim block, std::size_t shared, StreamTag *stream) {
    push_launch({grid, block, shared, stream});
    return Status::success;
}

Status SetupArgument(const void *value, std::size_t size, std::size_t offset) {
    constexpr std::size_t most = 1 << 20; // far more than a kernel may have
    if (!value || offset > most || size > most) return Status::invalid_value;
    return set_launch_argument(value, size, offset) ? Status::success : Status::missing_configuration;
}

Status LaunchByPtr(const void *function) {
    Launch begun{};
    std::vector<char> values;
    if (!pop_launch(begun, &values)) return Status::missing_configuration;
    Arguments arguments;
    if (!values.empty()) arguments = {nullptr, values.data(), values.size()};
    return launch_compiled(function, begun, arguments);
}

} // namespace pygpu::host::hip
