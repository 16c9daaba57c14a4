// A runtime that fails, and writes why into the log of the driver below it.
#include <cstdio>

extern "C" {
void log_entry(const char *text);

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cudaSetDevice(int device) {
    if (device == 0) return 0;
    char text[64];
    std::snprintf(text, sizeof text, "[CUDA][E] there is no device %d", device);
    log_entry(text);
    return 101;
}
int cudaDeviceSynchronize() { return 800; } // as in a callback
}
