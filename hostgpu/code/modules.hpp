// Modules and libraries: device code that a program loads, with its kernels and its variables.
#pragma once

#include "base/handles.hpp"
#include "code/device_code.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pygpu::host {

class Module;

// A kernel of a module, behind a handle of its own.
struct Function {
    Kernel kernel;
    void *handle = nullptr;
    void *kernel_handle = nullptr; // a library's: the kernel of all contexts, CUkernel
    std::weak_ptr<Module> module{};
};

class Module {
public:
    Module(int device, unsigned long long context) : device(device), context(context) {}
    ~Module();
    Module(const Module &) = delete;
    Module &operator=(const Module &) = delete;

    const int device;
    const unsigned long long context; // 0 for a library, which belongs to no context
    void *handle = nullptr;
    void *library = nullptr; // its handle as a library
    std::vector<std::shared_ptr<Function>> functions;
    std::vector<Variable> variables;
    std::vector<std::pair<std::string, void *>> texture_references; // their handles
    std::shared_ptr<ptx::Loaded> code;                              // null where there is no PTX

    std::shared_ptr<Function> function(std::string_view name) const;
    const Variable *variable(std::string_view name) const;
    void *texture_reference(std::string_view name) const; // null where there is none
};

Handles<Module> &modules();
Handles<Module> &libraries();
Handles<Function> &functions(); // by either handle

// Whether this is a CUfunction: neither a library's kernel nor a host function.
bool is_function_handle(const void *handle);

// Makes the variables of code on a device.
Status make_variables(const Code &code, int device, std::vector<Variable> &created);

// Makes a module from code on a device; a library if the context is 0. memory_allocation if its variables
// have no room.
Status make_module(const Code &code, int device, unsigned long long context,
                   std::shared_ptr<Module> &created);

// Unloads a module once all work of its device is done.
void unload(const std::shared_ptr<Module> &module);
void unload_modules(unsigned long long context);

} // namespace pygpu::host
