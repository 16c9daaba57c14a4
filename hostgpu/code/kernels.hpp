// What the start-up code of a compiled program registers: images of device code, their kernels and variables.
#pragma once

#include "base/status.hpp"
#include "code/launch.hpp"
#include "memory/allocation.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pygpu::host {

struct Function;

// Registering starts nothing, so that a program may fork afterwards. A null image is ignored. `code` is read
// when a launch needs it; it is null where the code isn't known.
void *enter_image(const void *code);
void enter_kernel(void *image, const void *function, const char *name);
// A variable of the device code. The host code names it by the address of a variable of its own.
void enter_variable(void *image, const void *symbol, const char *name);
// A managed variable: the host code reads its address from `pointer`. Its first value is `size` bytes of
// `initial`, or zeros.
Status make_managed(void *image, void **pointer, std::size_t size, const void *initial);
// The same, but made by make_noted().
void note_managed(void *image, void **pointer, const char *name, std::size_t size);
void make_noted(void *image);
// Forgets the image, its kernels and its variables.
void leave_image(void *image) noexcept;

// The kernel that a host function stands for, or the kernel behind the handle of a module's function. Null
// where there is none.
std::shared_ptr<const Kernel> kernel_of(const void *function);

// The same behind handles, as a module's functions have them. Null where there is none.
std::shared_ptr<Function> function_behind(const void *function);

// The device variable that a host variable stands for. It lies on the device that was current when its image
// was first needed. False where there is none.
bool variable_of(const void *symbol, Memory &memory, std::size_t &size);

// The launches that <<<...>>> has begun on this thread; the kernel's stub finishes them.
void push_launch(const Launch &launch);
bool pop_launch(Launch &launch, std::vector<char> *arguments = nullptr);
// Adds to the arguments of the last one; false where there is none.
bool set_launch_argument(const void *value, std::size_t size, std::size_t offset);

} // namespace pygpu::host
