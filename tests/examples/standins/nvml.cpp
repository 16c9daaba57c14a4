// What gpu_top.py needs of NVML: two devices; the second one has no sensor for power.
#include <cstring>

struct Rates {
    unsigned gpu, memory;
};
struct Memory {
    unsigned long long total, free, used;
};

namespace {
long number(const void *device) { return *static_cast<const int *>(device); }
int devices[] = {0, 1};
} // namespace

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetCudaDriverVersion(int *version) { return *version = 13050, 0; }
const char *nvmlErrorString(int) { return "an error"; }
int nvmlDeviceGetCount_v2(unsigned *count) { return *count = 2, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { return *device = devices + index, 0; }
int nvmlDeviceGetName(void *, char *name, unsigned) { return std::strcpy(name, "A stand-in GPU"), 0; }
int nvmlDeviceGetUtilizationRates(void *device, Rates *rates) {
    return *rates = {unsigned(10 + 80 * number(device)), 5}, 0;
}
int nvmlDeviceGetMemoryInfo(void *, Memory *memory) {
    return *memory = {96ULL << 30, 95ULL << 30, 1ULL << 30}, 0;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *power) {
    return *power = 123456, number(device) ? 3 : 0; // 3: not supported
}
int nvmlDeviceGetTemperature(void *, int, unsigned *degrees) { return *degrees = 41, 0; }
}
