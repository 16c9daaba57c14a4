// Files of memory, found again below /proc.
#include "memory/shared_pages.hpp"

#include "base/files.hpp"
#include "memory/memory_file.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

const char *name_of(Shared what) { return what == Shared::memory ? "PyGPU-memory" : "PyGPU-event"; }

std::uint64_t inode_of(int descriptor) {
    struct stat status{};
    return fstat(descriptor, &status) ? 0 : status.st_ino;
}

void *map(int descriptor, void *at, std::size_t size) {
    void *base = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), descriptor, 0);
    return base == MAP_FAILED ? nullptr : base;
}

class Descriptor {
public:
    Descriptor(const std::string &path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC)) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;

    operator int() const { return number_; }
    // The link by which /proc shows it.
    std::string link() const { return "/proc/self/fd/" + std::to_string(number_); }

private:
    const int number_;
};

// False for the number of a thread, below which /proc shows the descriptors, too.
bool is_process(int number) {
    std::string status;
    constexpr std::string_view field = "\nTgid:";
    if (!read_file(("/proc/" + std::to_string(number) + "/status").c_str(), status)) return false;
    const std::size_t at = status.find(field);
    return at != status.npos && std::atoi(status.c_str() + at + field.size()) == number;
}

// Whether it is the file that is looked for.
bool is_ours(int descriptor, Shared what, const SharedFile &file) {
    struct stat status{};
    return is_memory_file(descriptor, name_of(what)) && !fstat(descriptor, &status) &&
           status.st_ino == file.inode && status.st_size == static_cast<off_t>(file.size);
}

} // namespace

// The object is made first: nothing may throw once pages were replaced.
std::shared_ptr<SharedPages> SharedPages::create(Shared what, void *at, std::size_t size) {
    const std::shared_ptr<SharedPages> shared_pages(new SharedPages);
    const int descriptor = shared_pages->descriptor_ = make_memory_file(name_of(what), size);
    if (descriptor < 0 || (at && !write_file(descriptor, at, size, 0))) return nullptr;
    shared_pages->file_ = {getpid(), descriptor, inode_of(descriptor), size};
    shared_pages->base_ = map(descriptor, at, size);
    return shared_pages->base_ ? shared_pages : nullptr;
}

std::shared_ptr<SharedPages> SharedPages::make(Shared what, std::size_t size) {
    return create(what, nullptr, whole_pages(size));
}

std::shared_ptr<SharedPages> SharedPages::take(Shared what, void *base, std::size_t size) {
    return create(what, base, whole_pages(size));
}

// O_PATH has no effect on what it opens, a device, say. The second descriptor is of the same file.
std::shared_ptr<SharedPages> SharedPages::open(Shared what, const SharedFile &file) {
    if (!file.size || file.descriptor < 0 || !is_process(file.process)) return nullptr;
    const Descriptor descriptor(
        "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor), O_PATH);
    if (descriptor < 0 || !is_ours(descriptor, what, file)) return nullptr;
    const Descriptor opened(descriptor.link(), O_RDWR);
    if (opened < 0 || !has_sealed_size(opened)) return nullptr;
    const std::shared_ptr<SharedPages> shared_pages(new SharedPages);
    shared_pages->file_ = file;
    shared_pages->base_ =
        map(opened, nullptr, file.size); // the mapping stays when the descriptors are closed
    return shared_pages->base_ ? shared_pages : nullptr;
}

bool SharedPages::give_back() {
    void *base =
        mmap(base_, file_.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (base == MAP_FAILED) return false;
    base_ = nullptr;
    return true;
}

SharedPages::~SharedPages() {
    if (base_) munmap(base_, file_.size);
    if (descriptor_ >= 0) ::close(descriptor_);
}

} // namespace pygpu::host
