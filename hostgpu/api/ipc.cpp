// Memory and events that processes of one machine share.
#include "api/ipc.hpp"
#include "api/api.hpp"
#include "api/find.hpp"
#include "base/call.hpp"
#include "base/context.hpp"
#include "device/device.hpp"
#include "memory/pool.hpp"
#include "memory/shared_memory.hpp"
#include "streams/event.hpp"
#include "streams/shared_event.hpp"
#include "streams/stream.hpp"

#include <cstring>
#include <mutex>
#include <type_traits>
#include <unistd.h>

namespace pygpu::host {

std::mutex &sharing_mutex() {
    static auto *mutex = new std::mutex;
    return *mutex;
}

std::shared_ptr<SharedPages> share_when_idle(const Allocation &memory) {
    for (int device = 0; device < all_devices(); ++device) synchronize(device);
    const std::lock_guard lock(sharing_mutex());
    return share(memory);
}

} // namespace pygpu::host

namespace pygpu::host::api {
namespace {

constexpr unsigned lazy_peer_access = 1;

// What a handle holds, without padding: no byte may leak other memory. The rest of its bytes is zero.
struct Content {
    char kind[8] = {};
    SharedFile file{};
    std::size_t size = 0; // in bytes, as allocated
    long device = 0;      // its number on the machine
};
static_assert(sizeof(Content) <= sizeof(IpcHandle) && std::has_unique_object_representations_v<Content>);

constexpr char of_memory[8] = "PyGPU-m", of_event[8] = "PyGPU-e";

void write(IpcHandle *handle, const char (&kind)[8], const SharedFile &file, std::size_t size, int device) {
    Content content{{}, file, size, on_machine(device)};
    std::memcpy(content.kind, kind, sizeof kind);
    *handle = {};
    std::memcpy(handle, &content, sizeof content);
}

// False for what is no such handle.
bool read(const IpcHandle &handle, const char (&kind)[8], Content &content) {
    std::memcpy(static_cast<void *>(&content), &handle, sizeof content);
    return !std::memcmp(content.kind, kind, sizeof kind) && content.device >= 0 &&
           content.device < all_devices();
}

Memory opened_before(const SharedFile &file) {
    for (const Memory &memory : memory_of(-1)) {
        if (memory->owner != Owner::other_process) continue;
        const auto shared = shared_memory_of(*memory);
        if (shared && shared->pages->file() == file) return memory;
    }
    return nullptr;
}

} // namespace

Status IpcGetMemHandle(IpcHandle *handle, void *pointer) {
    const Memory memory = handle ? memory_at(pointer) : nullptr;
    const bool plain = memory && memory->kind == MemoryKind::device && memory->owner == Owner::caller &&
                       !pool_of(*memory) && !memory->freeing;
    if (!plain) return Status::invalid_value;
    const auto pages = share_when_idle(*memory);
    if (!pages) return Status::operating_system;
    write(handle, of_memory, pages->file(), memory->size, memory->device);
    return Status::success;
}

Status IpcOpenMemHandle(void **pointer, IpcHandle handle, unsigned flags) {
    Content content;
    if (!pointer || flags != lazy_peer_access || !read(handle, of_memory, content))
        return Status::invalid_value;
    if (content.file.process == getpid()) return Status::invalid_context;
    if (!content.size || content.size > content.file.size) return Status::invalid_value;
    const int device = seen_as(static_cast<int>(content.device));
    if (device < 0) return Status::invalid_device;
    const std::lock_guard lock(sharing_mutex());
    if (const Memory known = opened_before(content.file)) {
        ++shared_memory_of(*known)->opened;
        *pointer = known->base;
        return Status::success;
    }
    auto pages = SharedPages::open(Shared::memory, content.file);
    if (!pages) return Status::invalid_value;
    Memory memory;
    const Status status = enter_opened(std::move(pages), content.size, device, memory);
    if (status == Status::success) *pointer = memory->base;
    return status;
}

Status IpcCloseMemHandle(void *pointer) {
    const Memory memory = memory_beginning_at(pointer);
    if (!memory || memory->owner != Owner::other_process || pool_of(*memory)) return Status::invalid_value;
    for (int device = 0; device < all_devices(); ++device) synchronize(device);
    const std::lock_guard lock(sharing_mutex());
    int &opened = shared_memory_of(*memory)->opened;
    if (!opened) return Status::invalid_value; // another thread was faster
    if (--opened) return Status::success;
    return forget(memory) ? Status::success : Status::invalid_value;
}

Status IpcGetEventHandle(IpcHandle *handle, EventTag *event) {
    if (!handle || !event) return Status::invalid_value;
    const auto object = find_event(event);
    if (!object) return gone_event(event);
    if (!object->across) return on_hip() ? Status::invalid_configuration : Status::invalid_resource_handle;
    write(handle, of_event, object->across->file(), 0, object->device);
    return Status::success;
}

Status IpcOpenEventHandle(EventTag **event, IpcHandle handle) {
    if (!event) return Status::invalid_value;
    const Status unknown = on_hip() ? Status::invalid_value : Status::map_failed;
    Content content;
    if (!read(handle, of_event, content)) return unknown;
    if (content.file.process == getpid()) return Status::invalid_context;
    const int device = seen_as(static_cast<int>(content.device));
    if (device < 0) return Status::invalid_device;
    auto across = SharedEvent::open(content.file);
    if (!across) return unknown;
    auto created = std::make_shared<Event>(device, interprocess | disable_timing, context_for(device),
                                           std::move(across));
    *event = static_cast<EventTag *>(events().add(std::move(created)));
    return Status::success;
}

} // namespace pygpu::host::api
