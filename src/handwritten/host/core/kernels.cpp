// The images, and what is to become of launches.
#include "host/core/kernels.hpp"

#include "host/core/allocation.hpp"
#include "host/core/guard.hpp"
#include "host/core/report.hpp"
#include "host/core/thread.hpp"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pygpu::host {
namespace {

struct Noted {
    void **pointer;
    std::string name;
    std::size_t size;
};

struct Image {
    std::vector<Noted> noted;      // variables that are still to be made
    std::vector<Memory> variables; // those that are
};

struct Images {
    std::mutex mutex;
    std::map<const void *, std::unique_ptr<Image>> images;
    std::map<const void *, std::unique_ptr<Kernel>> kernels; // by the host's function
};

Images &images() {
    static auto *all = new Images; // never destroyed: programs leave it when they end
    return *all;
}

// With the lock held.
Image *find(Images &all, const void *image) {
    const auto found = all.images.find(image);
    return found == all.images.end() ? nullptr : found->second.get();
}

std::vector<Launch> &begun() {
    thread_local std::vector<Launch> launches;
    return launches;
}

// "k(float*, int)" for "_Z1kPfi".
std::string readable(const std::string &name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return text ? text.get() : name;
}

} // namespace

void *enter_image() {
    auto image = std::make_unique<Image>();
    void *const handle = image.get();
    Images &all = images();
    std::lock_guard lock(all.mutex);
    all.images.emplace(handle, std::move(image));
    return handle;
}

void enter_kernel(void *image, const void *function, const char *name) {
    auto kernel = std::make_unique<Kernel>(Kernel{image, function, name});
    Images &all = images();
    std::lock_guard lock(all.mutex);
    if (find(all, image)) all.kernels[function] = std::move(kernel);
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
    std::vector<Noted> noted;
    {
        Images &all = images();
        std::lock_guard lock(all.mutex);
        if (Image *found = find(all, image)) noted.swap(found->noted);
    }
    for (const Noted &one : noted) {
        make_managed(image, one.pointer, one.size, nullptr);
        report_once(Once::managed, one.name + ": a managed variable begins as zero on the CPU, whatever the "
                                              "program's device code says");
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
}

const Kernel *kernel_of(const void *function) {
    Images &all = images();
    std::lock_guard lock(all.mutex);
    const auto found = all.kernels.find(function);
    return found == all.kernels.end() ? nullptr : found->second.get();
}

void push_launch(const Launch &launch) { begun().push_back(launch); }

bool pop_launch(Launch &launch) {
    std::vector<Launch> &launches = begun();
    if (launches.empty()) return false;
    launch = launches.back();
    launches.pop_back();
    return true;
}

// Where kernels will run: on the launch's stream, once for each thread of the grid.
Status run(const Kernel &kernel, const Launch &, void **) {
    report_once(Once::launch, readable(kernel.name) + ": " + no_kernels);
    return Status::not_supported;
}

Status refuse_launch() {
    report_once(Once::launch, std::string(thread().call->name) + "(): " + no_kernels);
    return Status::not_supported;
}

} // namespace pygpu::host
