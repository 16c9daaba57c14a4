// Making files of memory, and recognising them.
#include "memory/memory_file.hpp"

#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

} // namespace

std::size_t whole_pages(std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

int make_memory_file(const char *name, std::size_t size) {
    const int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (!ftruncate(descriptor, static_cast<off_t>(size)) && !fcntl(descriptor, F_ADD_SEALS, size_seals))
        return descriptor;
    ::close(descriptor);
    return -1;
}

// A deleted file may have the same link, but can't have the seals.
bool is_memory_file(int descriptor, const char *name) {
    struct stat status{};
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode) || status.st_nlink ||
        status.st_uid != geteuid())
        return false;
    char link[64];
    const std::string shown = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = readlink(shown.c_str(), link, sizeof link);
    const std::string wanted = std::string("/memfd:") + name + " (deleted)";
    return length > 0 && std::string_view(link, static_cast<std::size_t>(length)) == wanted;
}

bool has_sealed_size(int descriptor) {
    const int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & size_seals) == size_seals;
}

bool write_file(int descriptor, const void *from, std::size_t size, std::size_t offset) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t written = pwrite(descriptor, static_cast<const char *>(from) + done, size - done,
                                       static_cast<off_t>(offset + done));
        if (written <= 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

} // namespace pygpu::host
