// What data_parallel_sum.py needs of NCCL and RCCL, on the host's memory: sums when a group ends.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {
struct Part {
    const float *from;
    float *to;
    std::size_t count;
};
std::vector<Part> group;
} // namespace

extern "C" {

int ncclGetVersion(int *version) { return *version = 22105, 0; }
const char *ncclGetErrorString(int) { return "an error"; }
int ncclCommInitAll(void **all, int count, const int *devices) {
    for (int at = 0; at < count; ++at) all[at] = reinterpret_cast<void *>(std::intptr_t(devices[at] + 1));
    return 0;
}
int ncclCommDestroy(void *) { return 0; }
int ncclGroupStart() { return group.clear(), 0; }
int ncclAllReduce(const void *from, void *to, std::size_t count, int type, int operation, void *, void *) {
    if (type != 7 || operation) return 4; // a sum of floats
    return group.push_back({static_cast<const float *>(from), static_cast<float *>(to), count}), 0;
}
int ncclGroupEnd() {
    wait_for_devices();
    std::vector<float> total(group.front().count);
    for (const Part &part : group)
        for (std::size_t i = 0; i < part.count; ++i) total[i] += part.from[i];
    for (const Part &part : group)
        for (std::size_t i = 0; i < part.count; ++i) part.to[i] = total[i];
    return 0;
}
}
