// Making modules, and taking them away.
#include "code/modules.hpp"

#include "code/device_code.hpp"
#include "image/texture_objects.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host {
namespace {

Status make_variable(const ptx::Global &from, int device, Variable &variable) {
    const MemoryKind kind = from.managed ? MemoryKind::managed : MemoryKind::device;
    variable.name = from.name;
    variable.size = from.size;
    const Status status =
        allocate(kind, device, std::max<std::size_t>(from.size, 1), 0, variable.memory, Owner::program);
    if (status != Status::success) return status;
    variable.managed = from.managed;
    std::memset(variable.memory->base, 0, from.size);
    std::memcpy(variable.memory->base, from.initial.data(), std::min(from.initial.size(), from.size));
    return Status::success;
}

void take_away(const Module &module) {
    modules().remove(module.handle);
    libraries().remove(module.library);
    for (const auto &one : module.functions) {
        functions().remove(one->handle);
        functions().remove(one->kernel_handle);
    }
    for (const auto &[name, handle] : module.texture_references) texture_references().remove(handle);
}

} // namespace

Module::~Module() {
    for (const Variable &one : variables) forget(one.memory);
}

std::shared_ptr<Function> Module::function(std::string_view name) const {
    const auto entry =
        std::ranges::find_if(functions, [name](const auto &one) { return one->kernel.name == name; });
    return entry == functions.end() ? nullptr : *entry;
}

const Variable *Module::variable(std::string_view name) const {
    const auto entry = std::ranges::find(variables, name, &Variable::name);
    return entry == variables.end() ? nullptr : &*entry;
}

void *Module::texture_reference(std::string_view name) const {
    const auto entry =
        std::ranges::find_if(texture_references, [name](const auto &one) { return one.first == name; });
    return entry == texture_references.end() ? nullptr : entry->second;
}

Handles<Module> &modules() {
    static auto *handles = new Handles<Module>;
    return *handles;
}

Handles<Module> &libraries() {
    static auto *handles = new Handles<Module>;
    return *handles;
}

Handles<Function> &functions() {
    static auto *handles = new Handles<Function>;
    return *handles;
}

bool is_function_handle(const void *handle) {
    const auto function = functions().find(handle);
    return function && function->handle == handle;
}

Status make_variables(const Code &code, int device, std::vector<Variable> &created) {
    created.reserve(code.variables.size());
    for (const ptx::Global &one : code.variables) {
        Variable variable;
        if (Status status = make_variable(one, device, variable); status != Status::success) return status;
        created.push_back(std::move(variable));
    }
    return Status::success;
}

Status make_module(const Code &code, int device, unsigned long long context,
                   std::shared_ptr<Module> &created) {
    auto module = std::make_shared<Module>(device, context);
    if (Status status = make_variables(code, device, module->variables); status != Status::success)
        return status;
    try {
        for (const std::string &name : code.texture_references) {
            module->texture_references.emplace_back(name, nullptr);
            module->texture_references.back().second =
                texture_references().add(std::make_shared<TextureReference>(device, context));
        }
        module->code = link_code(code, module->variables, module->texture_references);
        for (const CodeKernel &one : code.kernels) {
            module->functions.push_back(
                std::make_shared<Function>(Function{kernel_in(code, one, module->code)}));
            module->functions.back()->module = module;
        }
        for (const auto &one : module->functions) {
            one->handle = functions().add(one);
            if (!context) one->kernel_handle = functions().add(one);
        }
        module->handle = modules().add(module);
        if (!context) module->library = libraries().add(module);
    } catch (...) { // some handles weren't made
        take_away(*module);
        throw;
    }
    created = std::move(module);
    return Status::success;
}

void unload(const std::shared_ptr<Module> &module) {
    synchronize(module->device);
    take_away(*module);
}

void unload_modules(unsigned long long context) {
    for (const auto &[handle, module] : modules().all()) {
        if (module->context == context) unload(module);
    }
}

} // namespace pygpu::host
