// A runtime with all that is made and not yet ended counted: in front of a libcudart, or of HIP's.
//
// It names what is left as the host runtime's own list does.
#include "in_front.hpp"

#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#ifdef HIP
#define NAME(function) hip##function
#define HOST_ALLOC hipHostMalloc
#define FREE_HOST hipHostFree
#else
#define NAME(function) cuda##function
#define HOST_ALLOC cudaHostAlloc
#define FREE_HOST cudaFreeHost
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define THEIRS(function, ...) host<int(__VA_ARGS__)>(TEXT(function))

namespace {

struct Piece {
    std::string what;
    int device;
};

std::mutex mutex;
std::map<void *, Piece> pieces;

int current_device() {
    int device = 0;
    THEIRS(NAME(GetDevice), int *)(&device);
    return device;
}

int made(int status, void **address, const std::string &what) {
    if (status || !*address) return status;
    const int device = current_device();
    const std::lock_guard lock(mutex);
    pieces[*address] = {what, device};
    return status;
}

int made(int status, void **address, std::size_t size, const char *memory) {
    return made(status, address, std::to_string(size) + " bytes of " + memory + " memory");
}

// Forgotten before it ends: another thread may get its address at once.
template <class End> int ended(void *address, End end) {
    Piece piece;
    {
        const std::lock_guard lock(mutex);
        if (const auto found = pieces.extract(address)) piece = found.mapped();
    }
    const int status = end();
    const std::lock_guard lock(mutex);
    if (status && !piece.what.empty()) pieces.emplace(address, piece);
    return status;
}

} // namespace

extern "C" {

// A piece a line, for which `device` asks, or all of them; the same text until it is asked again.
const char *left_on(int device) {
    static std::string text;
    const std::lock_guard lock(mutex);
    text.clear();
    for (const auto &[address, piece] : pieces) {
        char place[64];
        std::snprintf(place, sizeof place, " at %p on device %d\n", address, piece.device);
        if (device < 0 || piece.device == device) text += piece.what + place;
    }
    return text.c_str();
}

int NAME(Malloc)(void **address, std::size_t size) {
    return made(THEIRS(NAME(Malloc), void **, std::size_t)(address, size), address, size, "device");
}
int NAME(MallocAsync)(void **address, std::size_t size, void *stream) {
    return made(THEIRS(NAME(MallocAsync), void **, std::size_t, void *)(address, size, stream), address, size,
                "device");
}
int NAME(MallocFromPoolAsync)(void **address, std::size_t size, void *pool, void *stream) {
    return made(
        THEIRS(NAME(MallocFromPoolAsync), void **, std::size_t, void *, void *)(address, size, pool, stream),
        address, size, "device");
}
int NAME(MallocManaged)(void **address, std::size_t size, unsigned flags) {
    return made(THEIRS(NAME(MallocManaged), void **, std::size_t, unsigned)(address, size, flags), address,
                size, "managed");
}
int HOST_ALLOC(void **address, std::size_t size, unsigned flags) {
    return made(THEIRS(HOST_ALLOC, void **, std::size_t, unsigned)(address, size, flags), address, size,
                "page-locked");
}
int NAME(StreamCreateWithPriority)(void **stream, unsigned flags, int priority) {
    return made(THEIRS(NAME(StreamCreateWithPriority), void **, unsigned, int)(stream, flags, priority),
                stream, "a stream");
}
int NAME(EventCreateWithFlags)(void **event, unsigned flags) {
    return made(THEIRS(NAME(EventCreateWithFlags), void **, unsigned)(event, flags), event, "an event");
}

int NAME(Free)(void *address) {
    return ended(address, [=] { return THEIRS(NAME(Free), void *)(address); });
}
int NAME(FreeAsync)(void *address, void *stream) {
    return ended(address, [=] { return THEIRS(NAME(FreeAsync), void *, void *)(address, stream); });
}
int FREE_HOST(void *address) {
    return ended(address, [=] { return THEIRS(FREE_HOST, void *)(address); });
}
int NAME(StreamDestroy)(void *stream) {
    return ended(stream, [=] { return THEIRS(NAME(StreamDestroy), void *)(stream); });
}
int NAME(EventDestroy)(void *event) {
    return ended(event, [=] { return THEIRS(NAME(EventDestroy), void *)(event); });
}

// Ends all that is on the device.
int NAME(DeviceReset)() {
    const int device = current_device();
    const int status = THEIRS(NAME(DeviceReset))();
    const std::lock_guard lock(mutex);
    if (!status) std::erase_if(pieces, [=](const auto &one) { return one.second.device == device; });
    return status;
}
}
