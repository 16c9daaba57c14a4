// Loading device code, and looking up what is in it.
#include "api/modules.hpp"

#include "api/attributes.hpp"
#include "api/find.hpp"
#include "api/jit_options.hpp"
#include "base/call.hpp"
#include "base/context.hpp"
#include "base/files.hpp"
#include "base/report.hpp"
#include "base/thread.hpp"
#include "code/load.hpp"
#include "code/modules.hpp"
#include "device/device.hpp"
#include "memory/misuse.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <functional>

namespace pygpu::host::api {
namespace {

Status load(const void *image, const std::function<ReadCode(Code &)> &read, const JitOptions &options,
            bool library, std::shared_ptr<Module> &module) {
    Code code;
    const ReadCode outcome = read(code);
    options.log(outcome.why);
    switch (outcome.result) {
    case ReadCode::Result::invalid_image:
        report_misuse(outcome.why.c_str(), image);
        return Status::invalid_image;
    case ReadCode::Result::invalid_ptx:
        report_misuse(outcome.why.c_str(), image);
        return Status::invalid_ptx;
    case ReadCode::Result::no_binary:
        report_once(std::string(thread().call->name()) + "(): " + outcome.why);
        return Status::no_binary;
    case ReadCode::Result::done:
        break;
    }
    const int device = current_device().number;
    return make_module(code, device, library ? 0 : context_for(device), module);
}

Status load_data(const void *image, const JitOptions &options, bool library,
                 std::shared_ptr<Module> &module) {
    if (!image || !options.is_complete()) return Status::invalid_value;
    return load(image, [image](Code &code) { return load_code(image, code); }, options, library, module);
}

Status load_file(const char *path, const JitOptions &options, bool library, std::shared_ptr<Module> &module) {
    if (!path || !options.is_complete()) return Status::invalid_value;
    std::string image;
    if (!read_file(path, image)) return Status::file_not_found;
    return load(path, [&image](Code &code) { return read_code(image, code); }, options, library, module);
}

template <class Tag> Status give(Tag **to, Status status, const std::shared_ptr<Module> &module) {
    if (status == Status::success) *to = static_cast<Tag *>(module->handle);
    return status;
}

Status give_library(LibraryTag **to, Status status, const std::shared_ptr<Module> &module) {
    if (status == Status::success) *to = static_cast<LibraryTag *>(module->library);
    return status;
}

// The status for a handle that names nothing.
constexpr Status gone = Status::invalid_resource_handle;

// Which of a function's handles a call gives: a module's (CUfunction), or a library's (CUkernel).
using Which = void *Function::*;

Status function_in(const std::shared_ptr<Module> &module, FunctionTag **function, const char *name,
                   Which which) {
    if (!function || !name) return Status::invalid_value;
    if (!module) return gone;
    const auto match = module->function(name);
    if (!match) return Status::not_found;
    *function = static_cast<FunctionTag *>((*match).*which);
    return Status::success;
}

Status variable_in(const std::shared_ptr<Module> &module, void **pointer, std::size_t *size, const char *name,
                   bool managed_only = false) {
    if (!name || (!pointer && !size)) return Status::invalid_value;
    if (!module) return gone;
    const Variable *variable = module->variable(name);
    if (!variable || (managed_only && !variable->managed)) return Status::not_found;
    if (pointer) *pointer = variable->memory->base;
    if (size) *size = variable->size;
    return Status::success;
}

Status count_in(const std::shared_ptr<Module> &module, unsigned *count) {
    if (!count) return Status::invalid_value;
    if (!module) return gone;
    *count = static_cast<unsigned>(module->functions.size());
    return Status::success;
}

Status list_of(const std::shared_ptr<Module> &module, FunctionTag **functions, unsigned number, Which which) {
    if (number && !functions) return Status::invalid_value;
    if (!module) return gone;
    for (std::size_t index = 0; index < std::min<std::size_t>(number, module->functions.size()); ++index)
        functions[index] = static_cast<FunctionTag *>((*module->functions[index]).*which);
    return Status::success;
}

} // namespace

Status get_parameter_info(const Kernel &kernel, std::size_t index, std::size_t *offset, std::size_t *size) {
    if (!kernel.parameters) return Status::not_supported;
    if (index >= kernel.parameters->size()) return Status::invalid_value;
    *offset = (*kernel.parameters)[index].offset;
    if (size) *size = (*kernel.parameters)[index].size;
    return Status::success;
}

Status ModuleLoad(ModuleTag **module, const char *path) {
    std::shared_ptr<Module> created;
    return module ? give(module, load_file(path, {}, false, created), created) : Status::invalid_value;
}

Status ModuleLoadData(ModuleTag **module, const void *image) {
    return ModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

Status ModuleLoadDataEx(ModuleTag **module, const void *image, unsigned number, int *options, void **values) {
    std::shared_ptr<Module> created;
    if (!module) return Status::invalid_value;
    const Status status = load_data(image, {number, options, values}, false, created);
    return give(module, status, created);
}

Status ModuleUnload(ModuleTag *module) {
    const auto object = modules().find(module);
    if (!object) return gone;
    if (object->library) return Status::not_permitted;
    unload(object);
    return Status::success;
}

Status ModuleGetFunction(FunctionTag **function, ModuleTag *module, const char *name) {
    return function_in(modules().find(module), function, name, &Function::handle);
}

Status ModuleGetGlobal(void **pointer, std::size_t *size, ModuleTag *module, const char *name) {
    return variable_in(modules().find(module), pointer, size, name);
}

Status ModuleGetFunctionCount(unsigned *count, ModuleTag *module) {
    return count_in(modules().find(module), count);
}

Status ModuleEnumerateFunctions(FunctionTag **functions, unsigned number, ModuleTag *module) {
    return list_of(modules().find(module), functions, number, &Function::handle);
}

Status LibraryLoadData(LibraryTag **library, const void *code, int *jit_options, void **jit_values,
                       unsigned jit_number, int *options, void **values, unsigned number) {
    if (!library || (number && !options) || (number && !values)) return Status::invalid_value;
    std::shared_ptr<Module> module;
    const Status status = load_data(code, {jit_number, jit_options, jit_values}, true, module);
    return give_library(library, status, module);
}

Status LibraryLoadFromFile(LibraryTag **library, const char *path, int *jit_options, void **jit_values,
                           unsigned jit_number, int *options, void **values, unsigned number) {
    if (!library || (number && !options) || (number && !values)) return Status::invalid_value;
    std::shared_ptr<Module> module;
    const Status status = load_file(path, {jit_number, jit_options, jit_values}, true, module);
    return give_library(library, status, module);
}

Status LibraryUnload(LibraryTag *library) {
    const auto object = libraries().find(library);
    if (!object) return gone;
    unload(object);
    return Status::success;
}

Status LibraryGetKernel(FunctionTag **kernel, LibraryTag *library, const char *name) {
    return function_in(libraries().find(library), kernel, name, &Function::kernel_handle);
}

Status LibraryGetKernelCount(unsigned *count, LibraryTag *library) {
    return count_in(libraries().find(library), count);
}

Status LibraryEnumerateKernels(FunctionTag **kernels, unsigned number, LibraryTag *library) {
    return list_of(libraries().find(library), kernels, number, &Function::kernel_handle);
}

Status LibraryGetModule(ModuleTag **module, LibraryTag *library) {
    if (!module) return Status::invalid_value;
    const auto object = libraries().find(library);
    if (!object) return gone;
    *module = static_cast<ModuleTag *>(object->handle);
    return Status::success;
}

Status LibraryGetGlobal(void **pointer, std::size_t *size, LibraryTag *library, const char *name) {
    return variable_in(libraries().find(library), pointer, size, name);
}

Status LibraryGetManaged(void **pointer, std::size_t *size, LibraryTag *library, const char *name) {
    return variable_in(libraries().find(library), pointer, size, name, true);
}

// No device has functions that it shares with the CPU, so no library has any.
Status LibraryGetUnifiedFunction(void **function, LibraryTag *library, const char *name) {
    if (!function || !name) return Status::invalid_value;
    return libraries().find(library) ? Status::invalid_value : gone;
}

Status FuncGetName(const char **name, FunctionTag *function) {
    if (!name || !function) return Status::invalid_value;
    const auto object = functions().find(function);
    if (!object) return gone;
    *name = object->kernel.name.c_str();
    return Status::success;
}

Status FuncGetModule(ModuleTag **module, FunctionTag *function) {
    if (!module || !function) return Status::invalid_value;
    const auto object = functions().find(function);
    const auto its = object ? object->module.lock() : nullptr;
    if (!its) return gone;
    *module = static_cast<ModuleTag *>(its->handle);
    return Status::success;
}

Status FuncGetParamInfo(FunctionTag *function, std::size_t index, std::size_t *offset, std::size_t *size) {
    if (!offset || !function) return Status::invalid_value;
    const auto object = functions().find(function);
    if (!object) return gone;
    return get_parameter_info(object->kernel, index, offset, size);
}

Status FuncGetParamCount(FunctionTag *function, std::size_t *count) {
    if (!count) return Status::invalid_value;
    const auto object = functions().find(function);
    if (!object) return gone;
    if (!object->kernel.parameters) return Status::not_supported;
    *count = object->kernel.parameters->size();
    return Status::success;
}

Status FuncGetAttribute(int *value, int attribute, FunctionTag *function) {
    if (!value) return Status::invalid_value;
    const auto object = functions().find(function);
    return object ? get_kernel_attribute(object->kernel, attribute, value) : gone;
}

Status FuncSetAttribute(FunctionTag *function, int attribute, int value) {
    const auto object = functions().find(function);
    return object ? set_attribute(object->kernel, attribute, value) : gone;
}

Status ModuleLaunchKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          StreamTag *stream, void **arguments, void **extra) {
    const Dim grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    return launch_function(function, {grid, block, shared, stream}, arguments, extra);
}

namespace {

Status launch_function(const Function &function, const Launch &launch, const std::shared_ptr<Stream> &on,
                       void **arguments, void **extra) {
    Arguments values;
    const Status status = read_arguments(arguments, extra, values);
    return status == Status::success ? launch_kernel(function.kernel, launch, on, values) : status;
}

} // namespace

Status launch_function(FunctionTag *function, const Launch &launch, void **arguments, void **extra) {
    const auto on = find_stream(launch.stream);
    if (!functions().find(function)) return gone;
    return on ? launch_function(function, launch, on, arguments, extra) : gone_stream(launch.stream);
}

Status launch_function(FunctionTag *function, const Launch &launch, const std::shared_ptr<Stream> &on,
                       void **arguments, void **extra) {
    const auto object = functions().find(function);
    Launch named = launch;
    named.function = function;
    return object ? launch_function(*object, named, on, arguments, extra) : gone;
}

} // namespace pygpu::host::api
