// What nvcc's output calls besides the runtime API: the start-up code of a program, and <<<...>>>.
//
// Signatures: crt/host_runtime.h and crt/device_functions.h of the CUDA toolkits 11.8 to 13.0. A program
// takes these functions from the library that it is linked to (nvcc -cudart shared), or from a library
// preloaded before that.
#include "api/cuda/implemented.hpp"
#include "api/cuda/translate.hpp"
#include "api/find.hpp"
#include "base/caught.hpp"
#include "code/kernels.hpp"
#include "guard/guard.hpp"

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace pygpu::host::cuda {
namespace {

constinit Call pop{"__cudaPopCallConfiguration", nullptr, Vendor::cuda, Guard::light, false};
constinit Call get_kernel{"__cudaGetKernel", nullptr, Vendor::cuda, Guard::light, false};
constinit Call init_module{"__cudaInitModule", nullptr, Vendor::cuda, Guard::light, false};
// A program's launches count as calls of the API's cudaLaunchKernel.
constinit Call launch{"__cudaLaunchKernel", "cudaLaunchKernel", Vendor::cuda, Guard::full, false};
constinit Call launch_ptsz{"__cudaLaunchKernel_ptsz", "cudaLaunchKernel", Vendor::cuda, Guard::full, true};

// For functions that return no status: a failure has no effect.
template <class Body> void quietly(Body body) noexcept {
    caught([&] { return body(), Status::success; });
}

// The handle of a kernel is the address of its host function, with which <<<...>>> asks for it.
const void *function_of(c::cudaKernel_t kernel) { return kernel; }

} // namespace

PYGPU_EXPORT void **__cudaRegisterFatBinary(void *code) {
    return bare<void **>([=] { return static_cast<void **>(enter_image(code)); });
}

PYGPU_EXPORT void __cudaRegisterFatBinaryEnd(void **) {}

PYGPU_EXPORT void __cudaUnregisterFatBinary(void **image) { leave_image(image); }

PYGPU_EXPORT void __cudaRegisterFunction(void **image, const char *function, char *, const char *name, int,
                                         void *, void *, c::dim3 *, c::dim3 *, int *) {
    quietly([&] { enter_kernel(image, function, name); });
}

PYGPU_EXPORT void __cudaRegisterVar(void **image, char *symbol, char *, const char *name, int, std::size_t,
                                    int, int) {
    quietly([&] { enter_variable(image, symbol, name); });
}
PYGPU_EXPORT void __cudaRegisterHostVar(void **, const char *, char *, std::size_t) {}
PYGPU_EXPORT void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int) {}
PYGPU_EXPORT void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int) {}

PYGPU_EXPORT void __cudaRegisterManagedVar(void **image, void **pointer, char *, const char *name, int,
                                           std::size_t size, int, int) {
    quietly([&] { note_managed(image, pointer, name, size); });
}

// Before the first use of a managed variable.
PYGPU_EXPORT char __cudaInitModule(void **image) {
    guarded<c::cudaError_t>(init_module, [&] { return make_noted(image), Status::success; });
    return 1;
}

PYGPU_EXPORT unsigned __cudaPushCallConfiguration(c::dim3 grid, c::dim3 block, std::size_t shared,
                                                  c::cudaStream_t stream) {
    // If the result isn't 0, the kernel's stub is not called.
    return static_cast<unsigned>(caught([&] {
        push_launch({as(grid), as(block), shared, as(stream)});
        return Status::success;
    }));
}

PYGPU_EXPORT c::cudaError_t __cudaPopCallConfiguration(c::dim3 *grid, c::dim3 *block, std::size_t *shared,
                                                       void *stream) {
    return guarded<c::cudaError_t>(pop, [&] {
        Launch begun{};
        if (!pop_launch(begun)) return Status::missing_configuration;
        *grid = __builtin_bit_cast(c::dim3, begun.grid);
        *block = __builtin_bit_cast(c::dim3, begun.block);
        *shared = begun.shared;
        *static_cast<StreamTag **>(stream) = begun.stream;
        return Status::success;
    });
}

PYGPU_EXPORT c::cudaError_t __cudaGetKernel(c::cudaKernel_t *kernel, const void *function) {
    return guarded<c::cudaError_t>(get_kernel, [&] {
        if (!kernel_of(function)) return Status::invalid_device_function;
        *kernel = static_cast<c::cudaKernel_t>(const_cast<void *>(function));
        return Status::success;
    });
}

PYGPU_EXPORT c::cudaError_t __cudaLaunchKernel(c::cudaKernel_t kernel, c::dim3 grid, c::dim3 block,
                                               void **arguments, std::size_t shared, c::cudaStream_t stream) {
    return guarded<c::cudaError_t>(launch, [&] {
        return LaunchKernel(function_of(kernel), as(grid), as(block), arguments, shared, as(stream));
    });
}

PYGPU_EXPORT c::cudaError_t __cudaLaunchKernel_ptsz(c::cudaKernel_t kernel, c::dim3 grid, c::dim3 block,
                                                    void **arguments, std::size_t shared,
                                                    c::cudaStream_t stream) {
    return guarded<c::cudaError_t>(launch_ptsz, [&] {
        return LaunchKernel(function_of(kernel), as(grid), as(block), arguments, shared, as(stream));
    });
}

} // namespace pygpu::host::cuda
