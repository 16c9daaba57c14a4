// A stand-in for the Unified Runtime's loader: it notes what it gets. Without NEWER it has the older forms.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {
std::uint64_t noted;
int gone;
char object[4];
} // namespace

struct KernelArgument { // ur_exp_kernel_arg_properties_t
    int stype;
    const void *next;
    int type;
    std::uint32_t index;
    std::size_t size;
    union {
        const void *value;
        std::uint64_t number[2];
    };
};

extern "C" {
std::uint64_t standin_noted() { return noted; }
int standin_gone() { return gone; }

// As the real one: a count alone without room, and an error for room without a count.
int urAdapterGet(std::uint32_t room, void **adapters, std::uint32_t *count) {
    if (adapters && !room)
        return 7;
    for (std::uint32_t at = 0; adapters && at < room && at < 2; ++at)
        adapters[at] = object + at;
    if (count)
        *count = 2;
    return 0;
}
int urContextCreate(std::uint32_t count, void *const *devices, const void *, void **context) {
    noted = count * 100 + static_cast<std::uint64_t>(static_cast<char *>(devices[count - 1]) - static_cast<char *>(nullptr));
    *context = object;
    return 0;
}
int urContextRelease(void *) {
    gone++;
    return 0;
}
int urProgramCreateWithBinary(void *, std::uint32_t count, void **, std::size_t *lengths, const std::uint8_t **binaries,
                              const void *, void **program) {
    noted = 0;
    for (std::uint32_t at = 0; at < count; ++at)
        for (std::size_t byte = 0; byte < lengths[at]; ++byte)
            noted = noted * 256 + binaries[at][byte];
    *program = object;
    return 0;
}
int urUSMPoolGetInfoExp(void *, int, void *value, std::size_t *size) {
    const std::uint64_t threshold = 4096;
    if (value)
        std::memcpy(value, &threshold, sizeof threshold);
    if (size)
        *size = sizeof threshold;
    return 0;
}
#ifdef NEWER
int urProgramBuildExp(void *, std::uint32_t count, void **, std::uint32_t flags, const char *options) {
    noted = count * 1000 + flags * 100 + std::strlen(options);
    return 0;
}
int urEnqueueKernelLaunchWithArgsExp(void *, void *, std::uint32_t, const std::size_t *, const std::size_t *global,
                                     const std::size_t *, std::uint32_t count, const KernelArgument *arguments,
                                     const void *, std::uint32_t, void *const *, void **event) {
    noted = global[0];
    for (std::uint32_t at = 0; at < count; ++at)
        noted = noted * 100 + *static_cast<const unsigned char *>(arguments[at].value);
    if (event)
        *event = object + 3;
    return 0;
}
#else
int urKernelSetArgPointer(void *, std::uint32_t, const void *, const void *pointer) {
    noted = reinterpret_cast<std::uint64_t>(pointer);
    return 0;
}
int urProgramBuildExp(void *, std::uint32_t count, void **, const char *options) {
    noted = count * 1000 + std::strlen(options);
    return 0;
}
#endif
}
