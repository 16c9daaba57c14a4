// What the start-up code of a compiled program registers: images of device code, their kernels and variables.
#pragma once

#include "host/core/allocation.hpp"
#include "host/core/launch.hpp"
#include "host/core/status.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace pygpu::host {

// Registering starts nothing, so that a program may fork afterwards. Nothing is done for a null image.
// The code is read when a launch asks for it; null where it isn't known.
void *enter_image(const void *code);
void enter_kernel(void *image, const void *function, const char *name);
// A variable of the device's code that the host's code names by the address of one of its own.
void enter_variable(void *image, const void *symbol, const char *name);
// A variable of both sides: the host's code reads its address from `pointer`. It begins with `size` bytes of
// `initial`, or with zeros.
Status make_managed(void *image, void **pointer, std::size_t size, const void *initial);
// The same, but made by make_noted().
void note_managed(void *image, void **pointer, const char *name, std::size_t size);
void make_noted(void *image);
// Forgets the image, its kernels and its variables.
void leave_image(void *image) noexcept;

// The kernel that a host's function stands for, or that a loaded module has; null where there is none.
std::shared_ptr<const Kernel> kernel_of(const void *function);

// The variable that a host's stands for, on the device that was current when its image was first needed;
// false where there is none.
bool variable_of(const void *symbol, Memory &memory, std::size_t &size);

// The launches that <<<...>>> has begun on this thread, and that the stub of the kernel goes on with.
void push_launch(const Launch &launch);
bool pop_launch(Launch &launch);

} // namespace pygpu::host
