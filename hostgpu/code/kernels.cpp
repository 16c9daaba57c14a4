// The images, and the launches that have begun.
#include "code/kernels.hpp"

#include "base/caught.hpp"
#include "base/report.hpp"
#include "base/thread.hpp"
#include "code/device_code.hpp"
#include "code/load.hpp"
#include "code/modules.hpp"
#include "memory/allocation.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pygpu::host {
namespace {

struct NotedVariable {
    void **pointer;
    std::string name;
    std::size_t size;
};

struct ProgramImage {
    const void *code = nullptr;
    std::shared_ptr<const Module> module;        // what the code holds; null until it is needed
    std::vector<NotedVariable> noted;            // managed variables that are still to be made
    std::vector<Memory> variables;               // managed variables that were made
    std::map<const void *, std::string> symbols; // names of the code's variables, by the host's variables
};

struct Images {
    std::mutex mutex;
    std::map<const void *, std::unique_ptr<ProgramImage>> images;
    std::map<const void *, std::shared_ptr<Kernel>> kernels; // by the host's function
    std::map<const void *, std::shared_ptr<Function>> asked; // those of them that have handles
};

Images &images() {
    static auto *all = new Images; // never destroyed: programs unregister when they end
    return *all;
}

// With the lock held.
ProgramImage *find(Images &all, const void *image) {
    const auto entry = all.images.find(image);
    return entry == all.images.end() ? nullptr : entry->second.get();
}

// What the code of an image holds; it is read on the first need. Null where the image is gone. Throws Refused
// where the variables have no room: the next need tries again. The lock isn't held while the variables are
// made, for that may call a function of the user's. Of two threads that read at once, the second drops its
// own.
std::shared_ptr<const Module> module_of(const void *handle) {
    Images &all = images();
    const void *from = nullptr;
    {
        std::lock_guard lock(all.mutex);
        const ProgramImage *image = find(all, handle);
        if (!image) return nullptr;
        if (image->module) return image->module;
        from = image->code;
    }
    Code code;
    const ReadCode outcome = load_code(from, code);
    if (outcome.result == ReadCode::Result::invalid_ptx)
        report_once("the program's device code: " + outcome.why);
    const auto module = std::make_shared<Module>(host::thread().device, 0);
    const Status status = make_variables(code, module->device, module->variables);
    if (status != Status::success) throw Refused(status);
    module->code = link_code(code, module->variables);
    std::lock_guard lock(all.mutex);
    ProgramImage *image = find(all, handle);
    if (!image) return nullptr;
    if (image->module) return image->module;
    for (auto &[function, kernel] : all.kernels) {
        if (kernel->image != image) continue;
        const auto entry = std::ranges::find(code.kernels, kernel->name, &CodeKernel::name);
        if (entry == code.kernels.end()) continue;
        *kernel = kernel_in(code, *entry, module->code);
        kernel->image = image;
    }
    return image->module = module;
}

struct BegunLaunch {
    Launch launch;
    std::vector<char> arguments{};
};

std::vector<BegunLaunch> &begun() {
    thread_local std::vector<BegunLaunch> launches;
    return launches;
}

} // namespace

void *enter_image(const void *code) {
    auto image = std::make_unique<ProgramImage>();
    image->code = code;
    void *const handle = image.get();
    Images &all = images();
    std::lock_guard lock(all.mutex);
    all.images.emplace(handle, std::move(image));
    return handle;
}

void enter_kernel(void *image, const void *function, const char *name) {
    auto kernel = std::make_shared<Kernel>(Kernel{name, {}, image});
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (find(all, image)) all.kernels[function] = std::move(kernel);
}

void enter_variable(void *image, const void *symbol, const char *name) {
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (ProgramImage *program = find(all, image)) program->symbols[symbol] = name;
}

Status make_managed(void *image, void **pointer, std::size_t size, const void *initial) {
    Memory memory;
    const Status status = allocate(MemoryKind::managed, 0, size, 1, memory, Owner::program);
    if (status != Status::success) return status;
    initial ? std::memcpy(memory->base, initial, size) : std::memset(memory->base, 0, size);
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (ProgramImage *program = find(all, image)) program->variables.push_back(memory);
    *pointer = memory->base;
    return Status::success;
}

void note_managed(void *image, void **pointer, const char *name, std::size_t size) {
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (ProgramImage *program = find(all, image)) program->noted.push_back({pointer, name, size});
}

void make_noted(void *image) {
    const auto module = module_of(image);
    if (!module) return;
    std::vector<NotedVariable> noted, unknown;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        if (ProgramImage *program = find(all, image)) noted.swap(program->noted);
    }
    for (const NotedVariable &one : noted) {
        const Variable *variable = module->variable(one.name);
        if (variable && variable->size == one.size)
            *one.pointer = variable->memory->base;
        else
            unknown.push_back(one);
    }
    for (const NotedVariable &one : unknown) {
        make_managed(image, one.pointer, one.size, nullptr);
        report_once(one.name +
                    ": a managed variable begins as zero, for the program's device code doesn't tell");
    }
}

void leave_image(void *image) noexcept {
    std::unique_ptr<ProgramImage> left;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        const auto entry = all.images.find(image);
        if (entry == all.images.end()) return;
        left = std::move(entry->second);
        all.images.erase(entry);
        std::erase_if(all.asked, [image](const auto &one) {
            if (one.second->kernel.image != image) return false;
            functions().remove(one.second->handle);
            functions().remove(one.second->kernel_handle);
            return true;
        });
        std::erase_if(all.kernels, [image](const auto &one) { return one.second->image == image; });
    }
    for (const Memory &memory : left->variables) forget(memory);
}

std::shared_ptr<const Kernel> kernel_of(const void *function) {
    if (const auto loaded = functions().find(function)) return {loaded, &loaded->kernel};
    std::shared_ptr<const Kernel> kernel;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        const auto entry = all.kernels.find(function);
        if (entry == all.kernels.end()) return nullptr;
        kernel = entry->second;
    }
    module_of(kernel->image);
    return kernel;
}

std::shared_ptr<Function> function_behind(const void *host_function) {
    if (auto loaded = functions().find(host_function)) return loaded;
    const auto kernel = kernel_of(host_function);
    if (!kernel) return nullptr;
    auto created = std::make_shared<Function>(Function{*kernel});
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (!all.kernels.contains(host_function)) return nullptr; // its image has left meanwhile
    const auto [entry, is_new] = all.asked.try_emplace(host_function, created);
    if (!is_new) return entry->second;
    created->handle = functions().add(created);
    created->kernel_handle = functions().add(created);
    return created;
}

bool variable_of(const void *symbol, Memory &memory, std::size_t &size) {
    const void *image = nullptr;
    std::string name;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        for (const auto &[handle, one] : all.images) {
            const auto entry = one->symbols.find(symbol);
            if (entry == one->symbols.end()) continue;
            image = handle;
            name = entry->second;
            break;
        }
    }
    const auto module = image ? module_of(image) : nullptr;
    const Variable *variable = module ? module->variable(name) : nullptr;
    if (!variable) return false;
    memory = variable->memory;
    size = variable->size;
    return true;
}

void push_launch(const Launch &launch) { begun().push_back({launch}); }

bool set_launch_argument(const void *value, std::size_t size, std::size_t offset) {
    if (begun().empty()) return false;
    std::vector<char> &arguments = begun().back().arguments;
    arguments.resize(std::max(arguments.size(), offset + size));
    std::memcpy(arguments.data() + offset, value, size);
    return true;
}

bool pop_launch(Launch &launch, std::vector<char> *arguments) {
    std::vector<BegunLaunch> &launches = begun();
    if (launches.empty()) return false;
    launch = launches.back().launch;
    if (arguments) *arguments = std::move(launches.back().arguments);
    launches.pop_back();
    return true;
}

} // namespace pygpu::host
