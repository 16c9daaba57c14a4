// Functions that the user has registered in place of kernels, by the kernels' names.
#pragma once

#include "base/hook.hpp"
#include "code/code.hpp"

#include <memory>
#include <optional>
#include <string>

namespace pygpu::host {

// Called once for a launch. `arguments` point to copies of the values.
using KernelFunction = void(const unsigned *grid, const unsigned *block, void *const *arguments);

struct Registered {
    Registered(long number, std::string name, bool needs_types, std::optional<Signature> parameters)
        : number(number), name(std::move(name)), needs_types(needs_types), parameters(std::move(parameters)) {
    }
    ~Registered(); // notifies the user by set_released()'s function
    Registered(const Registered &) = delete;
    Registered &operator=(const Registered &) = delete;

    const long number;
    const std::string name;
    const bool needs_types;                    // the sizes of the parameters alone aren't enough
    const std::optional<Signature> parameters; // as the user says
    Hook<KernelFunction> function;
};

// From now on launches of kernels of that name call the function; the latest of several counts.
long register_kernel(std::string name, KernelFunction *function, bool needs_types,
                     std::optional<Signature> parameters);
// Later launches don't find it. Those that are queued still call it; when the last is done, the function that
// set_released() names gets the number. False for an unknown number.
bool unregister_kernel(long number);
void set_released(void (*released)(long number));
// Unregisters all functions, for queued launches, too, and waits for running ones.
void end_kernels();

// The function for a kernel by its plain, mangled, or demangled name up to the parenthesis; null where there
// is none.
std::shared_ptr<Registered> registered_for(const std::string &kernel);

} // namespace pygpu::host
