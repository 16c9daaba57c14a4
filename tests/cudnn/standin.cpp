// A stand-in for cuDNN: descriptors keep the bytes of one attribute, by the sizes of C's types.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {
char kept[256];
std::int64_t elements;
int gone;
char object;
const void *last_stream;

std::size_t size_of(int type) {
    switch (type) {
    case 26: // two numbers of a fraction
        return 16;
    case 0:
    case 3:
    case 5:
    case 6:
    case 15:
        return 8;
    case 2:
    case 24:
        return 1;
    default:
        return 4;
    }
}
} // namespace

extern "C" {
int standin_gone() { return gone; }
const void *standin_stream() { return last_stream; }

std::size_t cudnnGetVersion() { return 92801; }
int cudnnCreate(void **handle) {
    *handle = &object;
    return 0;
}
int cudnnDestroy(void *) {
    gone++;
    return 0;
}
int cudnnSetStream(void *, const void *stream) {
    last_stream = stream;
    return 0;
}
int cudnnGetStream(void *, const void **stream) {
    *stream = last_stream;
    return 0;
}
int cudnnBackendCreateDescriptor(int, void **descriptor) {
    *descriptor = kept;
    return 0;
}
int cudnnBackendSetAttribute(void *descriptor, int, int type, std::int64_t count, const void *from) {
    std::memcpy(descriptor, from, static_cast<std::size_t>(count) * size_of(type));
    elements = count;
    return 0;
}
int cudnnBackendGetAttribute(const void *descriptor, int, int type, std::int64_t room, std::int64_t *count, void *into) {
    const std::int64_t given = std::min(room, elements);
    if (into)
        std::memcpy(into, descriptor, static_cast<std::size_t>(given) * size_of(type));
    *count = elements;
    return 0;
}
void cudnnGetLastErrorString(char *message, std::size_t room) {
    std::strncpy(message, "nothing is wrong", room);
    message[room - 1] = 0;
}
}
