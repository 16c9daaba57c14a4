// Files by memfd_create(), found again below /proc.
#include "memory/shared_pages.hpp"

#include "base/files.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

std::size_t whole_pages(std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

const char *name_of(Shared what) { return what == Shared::memory ? "PyGPU-memory" : "PyGPU-event"; }

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

// Whether it is the file that is looked for: this user's, and with the link that a memory file of that name
// has. A deleted file may have the same link, but can't have the seals.
bool is_ours(const Descriptor &descriptor, Shared what, const SharedFile &file) {
    struct stat status{};
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode) || status.st_nlink ||
        status.st_uid != geteuid())
        return false;
    if (status.st_ino != file.inode || status.st_size != static_cast<off_t>(file.size)) return false;
    char link[64];
    const ssize_t length = readlink(descriptor.link().c_str(), link, sizeof link);
    const std::string wanted = std::string("/memfd:") + name_of(what) + " (deleted)";
    return length > 0 && std::string_view(link, static_cast<std::size_t>(length)) == wanted;
}

} // namespace

// The object is made first: nothing may throw once pages were replaced.
std::shared_ptr<SharedPages> SharedPages::create(Shared what, void *at, std::size_t size) {
    const std::shared_ptr<SharedPages> shared_pages(new SharedPages);
    const int descriptor = shared_pages->descriptor_ =
        memfd_create(name_of(what), MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(size))) return nullptr;
    if (fcntl(descriptor, F_ADD_SEALS, seals)) return nullptr;
    if (at && !write_all(descriptor, static_cast<const char *>(at), size)) return nullptr;
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
    if (opened < 0 || (fcntl(opened, F_GET_SEALS) & seals) != seals) return nullptr;
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
