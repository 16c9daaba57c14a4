// Waiting for the host runtime's devices: a stand-in works on the CPU, so what is queued must be done.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

void *host_runtime() {
    char line[4096];
    void *library = nullptr;
    std::FILE *maps = std::fopen("/proc/self/maps", "r");
    while (!library && std::fgets(line, sizeof line, maps)) {
        line[std::strcspn(line, "\n")] = 0;
        if (std::strstr(line, "libpygpu_host.so")) library = dlopen(std::strchr(line, '/'), RTLD_NOW);
    }
    std::fclose(maps);
    return library;
}

template <class... Arguments> int call(const char *name, Arguments... arguments) {
    static void *const library = host_runtime();
    return reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name))(arguments...);
}

void wait_for_devices() {
    int count = 0, current = 0;
    call("cudaGetDeviceCount", &count);
    call("cudaGetDevice", &current);
    for (int device = 0; device < count; ++device) {
        call("cudaSetDevice", device);
        call("cudaDeviceSynchronize");
    }
    call("cudaSetDevice", current);
}

} // namespace
