// Making physical memory, and finding it again by its file.
#include "memory/physical.hpp"

#include "base/call.hpp"
#include "base/faults.hpp"
#include "base/handles.hpp"
#include "base/thread.hpp"
#include "memory/allocation.hpp"
#include "memory/backing.hpp"
#include "memory/memory_file.hpp"

#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace pygpu::host {
namespace {

constexpr char physical_name[] = "PyGPU-physical";

// What stands behind the bytes, for importing processes. Any process with the file may write to it.
struct Trailer {
    char magic[8] = {'P', 'y', 'G', 'P', 'U', '-', 'p', 1};
    std::uint64_t size = 0;
    std::int32_t device = 0; // its number on the machine
    std::uint32_t location = on_device;
    std::uint32_t handle_types = 0;
    std::uint16_t usage = 0;
    std::uint8_t compression = 0, direct_rdma = 0;
};

using FileKey = std::pair<std::uint64_t, std::uint64_t>; // its file system and its inode

struct PhysicalFiles {
    std::mutex mutex;
    std::map<FileKey, std::weak_ptr<Physical>> known;
};

PhysicalFiles &physical_files() {
    static auto *all = new PhysicalFiles;
    return *all;
}

struct PhysicalHandle {
    std::shared_ptr<Physical> physical;
    int references = 1;
};

Handles<PhysicalHandle> &physical_handles() {
    static auto *handles = new Handles<PhysicalHandle>;
    return *handles;
}

std::mutex &physical_handles_mutex() {
    static auto *mutex = new std::mutex;
    return *mutex;
}

const void *as_pointer(unsigned long long handle) { return reinterpret_cast<const void *>(handle); }

FileKey key_of(int file) {
    struct stat status{};
    if (fstat(file, &status)) return {};
    return {status.st_dev, status.st_ino};
}

// Fresh bytes have the pattern, at least those at both ends.
bool fill_physical(int file, std::size_t size) {
    void *base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (base == MAP_FAILED) return false;
    fill_fresh(base, size);
    munmap(base, size);
    return true;
}

} // namespace

Physical::Physical(const PhysicalProperties &properties, int device, std::size_t size)
    : properties(properties), device(device), size(size),
      made_by(thread().call ? thread().call->name() : nullptr) {}

Physical::~Physical() {
    PhysicalFiles &all = physical_files();
    {
        std::lock_guard lock(all.mutex);
        const auto known = all.known.find({filesystem_, inode_});
        if (known != all.known.end() && known->second.expired()) all.known.erase(known);
    }
    if (file_ >= 0) ::close(file_);
    if (charged_) return_bytes(device, size);
}

Status Physical::make(const PhysicalProperties &properties, int device, int on_machine, std::size_t size,
                      std::shared_ptr<Physical> &created) {
    if (faults_armed()) {
        if (const int code = fault_of_allocation()) return static_cast<Status>(code);
    }
    PhysicalFiles &all = physical_files(); // before what its destructor needs it for
    const std::shared_ptr<Physical> made(new Physical(properties, device, size));
    const bool of_device = !made->of_host();
    if (size > PTRDIFF_MAX - whole_pages(1)) return Status::memory_allocation;
    if (of_device && !reserve_bytes(device, size)) return Status::memory_allocation;
    made->charged_ = of_device;
    made->file_ = make_memory_file(physical_name, size + whole_pages(sizeof(Trailer)));
    Trailer trailer;
    trailer.size = size;
    trailer.device = of_device ? on_machine : properties.location.id;
    trailer.location = properties.location.type;
    trailer.handle_types = properties.handle_types;
    trailer.usage = properties.usage;
    trailer.compression = properties.compression;
    trailer.direct_rdma = properties.direct_rdma;
    if (made->file_ < 0 || !fill_physical(made->file_, size) ||
        !write_file(made->file_, &trailer, sizeof trailer, size))
        return Status::memory_allocation;
    std::lock_guard lock(all.mutex);
    const FileKey key = key_of(made->file_);
    std::tie(made->filesystem_, made->inode_) = key;
    all.known[key] = made;
    created = made;
    return Status::success;
}

std::shared_ptr<Physical> Physical::import(int descriptor, int (*where)(int on_machine)) {
    struct stat status{};
    if (descriptor < 0 || !is_memory_file(descriptor, physical_name) || !has_sealed_size(descriptor) ||
        fstat(descriptor, &status))
        return nullptr;
    std::shared_ptr<Physical> opened; // destroyed without the lock
    PhysicalFiles &all = physical_files();
    std::lock_guard lock(all.mutex);
    const FileKey key = key_of(descriptor);
    if (const auto known = all.known.find(key); known != all.known.end()) {
        if (auto physical = known->second.lock()) return physical;
    }
    const auto bytes = static_cast<std::size_t>(status.st_size), behind = whole_pages(sizeof(Trailer));
    Trailer trailer;
    if (bytes <= behind || pread(descriptor, &trailer, sizeof trailer, static_cast<off_t>(bytes - behind)) !=
                               static_cast<ssize_t>(sizeof trailer))
        return nullptr;
    if (std::memcmp(trailer.magic, Trailer().magic, sizeof trailer.magic) || trailer.size != bytes - behind)
        return nullptr;
    const bool of_device = trailer.location == on_device;
    if (!of_device && trailer.location != on_host && trailer.location != on_host_numa) return nullptr;
    const int device = of_device ? where(trailer.device) : thread().device;
    if (device < 0) return nullptr;
    PhysicalProperties properties{};
    properties.type = 1; // pinned
    properties.handle_types = trailer.handle_types;
    properties.location = {trailer.location, of_device ? device : trailer.device};
    properties.usage = trailer.usage;
    properties.compression = trailer.compression;
    properties.direct_rdma = trailer.direct_rdma;
    opened.reset(new Physical(properties, device, trailer.size));
    opened->file_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (opened->file_ < 0) return nullptr;
    std::tie(opened->filesystem_, opened->inode_) = key;
    all.known[key] = opened;
    return opened;
}

bool Physical::map_at(void *address, std::size_t length) const {
    return mmap(address, length, PROT_NONE, MAP_SHARED | MAP_FIXED, file_, 0) != MAP_FAILED;
}

int Physical::descriptor() const { return fcntl(file_, F_DUPFD_CLOEXEC, 0); }

unsigned long long retain_handle(const std::shared_ptr<Physical> &physical) {
    std::lock_guard lock(physical_handles_mutex());
    for (const auto &[handle, one] : physical_handles().all()) {
        if (one->physical != physical) continue;
        ++one->references;
        return reinterpret_cast<unsigned long long>(handle);
    }
    return reinterpret_cast<unsigned long long>(
        physical_handles().add(std::make_shared<PhysicalHandle>(PhysicalHandle{physical})));
}

std::shared_ptr<Physical> physical_of(unsigned long long handle) {
    const auto found = physical_handles().find(as_pointer(handle));
    return found ? found->physical : nullptr;
}

bool release_handle(unsigned long long handle) {
    std::shared_ptr<PhysicalHandle> last; // released without the lock
    std::lock_guard lock(physical_handles_mutex());
    const auto found = physical_handles().find(as_pointer(handle));
    if (!found) return false;
    if (!--found->references) last = physical_handles().remove(as_pointer(handle));
    return true;
}

std::vector<std::shared_ptr<Physical>> all_physical() {
    std::vector<std::shared_ptr<Physical>> physical;
    for (const auto &[handle, one] : physical_handles().all()) physical.push_back(one->physical);
    return physical;
}

} // namespace pygpu::host
