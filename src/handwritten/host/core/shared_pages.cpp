// Files by memfd_create(), found again below /proc.
#include "host/core/shared_pages.hpp"

#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

std::size_t whole_pages(std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

std::uint64_t inode_of(int descriptor) {
    struct stat status{};
    return fstat(descriptor, &status) ? 0 : status.st_ino;
}

bool write_all(int descriptor, const char *from, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t written = pwrite(descriptor, from + done, size - done, static_cast<off_t>(done));
        if (written <= 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

void *map(int descriptor, void *at, std::size_t size) {
    void *base = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), descriptor, 0);
    return base == MAP_FAILED ? nullptr : base;
}

} // namespace

// The object is made first: nothing may throw once pages were replaced.
std::shared_ptr<SharedPages> SharedPages::create(void *at, std::size_t size) {
    const std::shared_ptr<SharedPages> made(new SharedPages);
    const int descriptor = made->descriptor_ = memfd_create("PyGPU", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(size))) return nullptr;
    if (at && !write_all(descriptor, static_cast<const char *>(at), size)) return nullptr;
    made->file_ = {getpid(), descriptor, inode_of(descriptor), size};
    made->base_ = map(descriptor, at, size);
    return made->base_ ? made : nullptr;
}

std::shared_ptr<SharedPages> SharedPages::make(std::size_t size) {
    return create(nullptr, whole_pages(size));
}

std::shared_ptr<SharedPages> SharedPages::take(void *base, std::size_t size) {
    return create(base, whole_pages(size));
}

std::shared_ptr<SharedPages> SharedPages::open(const SharedFile &file) {
    const std::shared_ptr<SharedPages> made(new SharedPages);
    const std::string path =
        "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return nullptr;
    struct stat status{};
    const bool same = !fstat(descriptor, &status) && status.st_ino == file.inode && file.inode &&
                      status.st_size == static_cast<off_t>(file.size) && file.size;
    made->file_ = file;
    made->base_ = same ? map(descriptor, nullptr, file.size) : nullptr;
    ::close(descriptor); // the mapping stays
    return made->base_ ? made : nullptr;
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
