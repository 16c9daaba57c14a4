// What the start-up code of a compiled program registers: images of device code, their kernels and variables;
// and the launches of these kernels.
#pragma once

#include "host/api/types.hpp"
#include "host/core/status.hpp"

#include <cstddef>
#include <string>

namespace pygpu::host {

struct Kernel {
    const void *image;
    const void *function; // the host's function that stands for it
    std::string name;     // as the device code has it
};

// How a kernel is launched.
struct Launch {
    Dim grid, block;
    std::size_t shared;
    StreamTag *stream;
};

// Registering starts nothing, so that a program may fork afterwards. Nothing is done for a null image.
void *enter_image();
void enter_kernel(void *image, const void *function, const char *name);
// A variable of both sides: the host's code reads its address from `pointer`. It begins with `size` bytes of
// `initial`, or with zeros.
Status make_managed(void *image, void **pointer, std::size_t size, const void *initial);
// The same, but made by make_noted().
void note_managed(void *image, void **pointer, const char *name, std::size_t size);
void make_noted(void *image);
// Forgets the image, its kernels and its variables.
void leave_image(void *image) noexcept;

// The kernel that a host's function stands for, null where there is none. It lives as long as its image.
const Kernel *kernel_of(const void *function);

// The launches that <<<...>>> has begun on this thread, and that the stub of the kernel goes on with.
void push_launch(const Launch &launch);
bool pop_launch(Launch &launch);

// Runs a kernel on a stream. None can be run yet: not_supported, and once in a process a line on stderr.
Status run(const Kernel &kernel, const Launch &launch, void **arguments);

inline constexpr const char *no_kernels =
    "kernels can't be run on the CPU; the launch returned ErrorNotSupported (801), as all others will";

// The same for a launch whose kernel isn't known here.
Status refuse_launch();

} // namespace pygpu::host
