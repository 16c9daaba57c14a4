// The images, and the launches that have begun.
#include "host/core/kernels.hpp"

#include "host/core/allocation.hpp"
#include "host/core/device_code.hpp"
#include "host/core/load.hpp"
#include "host/core/modules.hpp"
#include "host/core/report.hpp"
#include "host/core/thread.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pygpu::host {
namespace {

struct Noted {
    void **pointer;
    std::string name;
    std::size_t size;
};

struct Image {
    const void *code = nullptr;
    bool read = false;                           // whether the code was read
    std::vector<Noted> noted;                    // managed variables that are still to be made
    std::vector<Memory> variables;               // managed variables that were made
    std::vector<Variable> of_code;               // variables of the device code
    std::map<const void *, std::string> symbols; // their names, by the host's variables
};

struct Images {
    std::mutex mutex;
    std::map<const void *, std::unique_ptr<Image>> images;
    std::map<const void *, std::shared_ptr<Kernel>> kernels; // by the host's function
};

Images &images() {
    static auto *all = new Images; // never destroyed: programs unregister when they end
    return *all;
}

// With the lock held.
Image *find(Images &all, const void *image) {
    const auto found = all.images.find(image);
    return found == all.images.end() ? nullptr : found->second.get();
}

// Fills in what the code of an image tells about its kernels.
void read_kernels(Images &all, Image &image) {
    Code code;
    load_code(image.code, code);
    std::shared_ptr<ptx::Loaded> loaded;
    if (make_variables(code, host::thread().device, image.of_code) == Status::success)
        loaded = link_code(code, image.of_code);
    for (auto &[function, kernel] : all.kernels) {
        if (kernel->image != &image) continue;
        const auto found = std::ranges::find(code.kernels, kernel->name, &CodeKernel::name);
        if (found == code.kernels.end()) continue;
        *kernel = kernel_in(code, *found, loaded);
        kernel->image = &image;
    }
}

void read_once(Images &all, Image &image) {
    if (!std::exchange(image.read, true)) read_kernels(all, image);
}

std::vector<Launch> &begun() {
    thread_local std::vector<Launch> launches;
    return launches;
}

} // namespace

void *enter_image(const void *code) {
    auto image = std::make_unique<Image>();
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
    if (Image *found = find(all, image)) found->symbols[symbol] = name;
}

Status make_managed(void *image, void **pointer, std::size_t size, const void *initial) {
    Memory memory;
    if (Status status = allocate(MemoryKind::managed, 0, size, 1, memory); status != Status::success)
        return status;
    memory->owner = Owner::program;
    initial ? std::memcpy(memory->base, initial, size) : std::memset(memory->base, 0, size);
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (Image *found = find(all, image)) found->variables.push_back(memory);
    *pointer = memory->base;
    return Status::success;
}

void note_managed(void *image, void **pointer, const char *name, std::size_t size) {
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (Image *found = find(all, image)) found->noted.push_back({pointer, name, size});
}

void make_noted(void *image) {
    std::vector<Noted> noted, unknown;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        Image *const found = find(all, image);
        if (!found) return;
        noted.swap(found->noted);
        read_once(all, *found);
        for (const Noted &one : noted) {
            const auto variable = std::ranges::find(found->of_code, one.name, &Variable::name);
            if (variable != found->of_code.end() && variable->size == one.size)
                *one.pointer = variable->memory->base;
            else
                unknown.push_back(one);
        }
    }
    for (const Noted &one : unknown) {
        make_managed(image, one.pointer, one.size, nullptr);
        report_once(one.name +
                    ": a managed variable begins as zero, for the program's device code doesn't tell");
    }
}

void leave_image(void *image) noexcept {
    std::unique_ptr<Image> left;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        const auto found = all.images.find(image);
        if (found == all.images.end()) return;
        left = std::move(found->second);
        all.images.erase(found);
        std::erase_if(all.kernels, [image](const auto &one) { return one.second->image == image; });
    }
    for (const Memory &memory : left->variables) forget(memory);
    for (const Variable &one : left->of_code) forget(one.memory);
}

std::shared_ptr<const Kernel> kernel_of(const void *function) {
    if (const auto loaded = functions().find(function)) return {loaded, &loaded->kernel};
    Images &all = images();
    std::lock_guard lock(all.mutex);
    const auto found = all.kernels.find(function);
    if (found == all.kernels.end()) return nullptr;
    if (Image *image = find(all, found->second->image)) read_once(all, *image);
    return found->second;
}

bool variable_of(const void *symbol, Memory &memory, std::size_t &size) {
    Images &all = images();
    std::lock_guard lock(all.mutex);
    for (const auto &[handle, image] : all.images) {
        const auto name = image->symbols.find(symbol);
        if (name == image->symbols.end()) continue;
        read_once(all, *image);
        const auto found = std::ranges::find(image->of_code, name->second, &Variable::name);
        if (found == image->of_code.end()) return false;
        memory = found->memory;
        size = found->size;
        return true;
    }
    return false;
}

void push_launch(const Launch &launch) { begun().push_back(launch); }

bool pop_launch(Launch &launch) {
    std::vector<Launch> &launches = begun();
    if (launches.empty()) return false;
    launch = launches.back();
    launches.pop_back();
    return true;
}

} // namespace pygpu::host
