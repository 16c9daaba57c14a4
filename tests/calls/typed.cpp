// A runtime for tests of typed values: it keeps the bytes it is given, and gives back those it was told.
#include <algorithm>
#include <cstddef>
#include <cstring>

static unsigned char kept[256]; // what a setter was given
static unsigned char told[256]; // what a getter writes
static std::size_t told_size = 0, length = 64;
static const void *pointer_seen;
static unsigned long long option_values[8];
static std::size_t sizes_seen[8];
static int failure = 0, enumerator_seen;
static bool answers = false;

static int set(int enumerator, const void *value) {
    enumerator_seen = enumerator;
    pointer_seen = value;
    if (value && reinterpret_cast<std::size_t>(value) > 4096) std::memcpy(kept, value, length);
    return failure;
}
static int get(int enumerator, void *value) {
    enumerator_seen = enumerator;
    std::memcpy(value, told, told_size);
    return failure;
}
static int load(const int *options, void **values, unsigned count) {
    for (unsigned at = 0; at < count; ++at) {
        option_values[at] = reinterpret_cast<unsigned long long>(values[at]);
        if (!answers) continue;
        const float time = 1.5f;
        if (options[at] == 2) std::memcpy(&values[at], &time, sizeof time);
        if (options[at] == 3) std::strcpy(static_cast<char *>(values[at]), "compiled");
        if (options[at] == 4) values[at] = reinterpret_cast<void *>(8);
    }
    return failure;
}

extern "C" {
// What the test tells and asks.
void tell(const unsigned char *bytes, std::size_t size) {
    std::copy(bytes, bytes + (told_size = size), told);
}
void keep_bytes(std::size_t size) { length = size; }
void fail_with(int error) { failure = error; }
void answer(int yes) { answers = yes; }
const unsigned char *bytes_kept() { return kept; }
const void *pointer() { return pointer_seen; }
int enumerator() { return enumerator_seen; }
unsigned long long option_value(int at) { return option_values[at]; }
std::size_t size_seen(int at) { return sizes_seen[at]; }

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cudaGetLastError() { return 0; }
int cudaMemPoolGetAttribute(void *, int attr, void *value) { return get(attr, value); }
int cudaMemPoolSetAttribute(void *, int attr, void *value) { return set(attr, value); }
int cudaStreamGetAttribute(void *, int attr, void *value) { return get(attr, value); }
int cudaStreamSetAttribute(void *, int attr, const void *value) { return set(attr, value); }
int cudaMemPoolExportToShareableHandle(void *value, void *, int type, unsigned) { return get(type, value); }
int cudaMemPoolImportFromShareableHandle(void **pool, void *value, int type, unsigned) {
    *pool = reinterpret_cast<void *>(0x9000);
    return set(type, value);
}
int cudaMemRangeGetAttribute(void *data, std::size_t size, int attr, const void *, std::size_t) {
    sizes_seen[0] = size;
    if (attr != 3) return get(attr, data);
    auto *devices = static_cast<int *>(data);
    std::fill_n(devices, size / 4, -2);
    std::memcpy(data, told, std::min(told_size, size));
    return failure;
}
int cudaMemRangeGetAttributes(void **data, std::size_t *sizes, int *attributes, std::size_t count,
                              const void *devices, std::size_t bytes) {
    for (std::size_t at = 0; at < count; ++at) {
        cudaMemRangeGetAttribute(data[at], sizes[at], attributes[at], devices, bytes);
    }
    std::copy(sizes, sizes + count, sizes_seen);
    return failure;
}
int cudaLibraryLoadData(void **library, const void *, int *options, void **values, unsigned count, int *more,
                        void **more_values, unsigned more_count) {
    *library = reinterpret_cast<void *>(0xA000);
    if (more_count) set(more[0], more_values[0]);
    return load(options, values, count);
}

int hipRuntimeGetVersion(int *version) {
    *version = 60241134;
    return 0;
}
int hipGetLastError() { return 0; }
int hipPointerGetAttribute(void *data, int attribute, void *) { return get(attribute, data); }
int hipPointerSetAttribute(const void *value, int attribute, void *) { return set(attribute, value); }
int hipDrvPointerGetAttributes(unsigned count, int *attributes, void **data, void *) {
    for (unsigned at = 0; at < count; ++at) get(attributes[at], data[at]);
    return failure;
}
}
