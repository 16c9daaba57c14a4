// Reading the environment.
#include "host/core/settings.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace pygpu::host {
namespace {

bool is_on(const char *name) {
    const char *text = std::getenv(name);
    return text && *text && std::strcmp(text, "0") != 0;
}

int device_count() {
    const char *text = std::getenv("PYGPU_HOST_DEVICES");
    if (!text || !*text) return 1;
    char *end = nullptr;
    const long count = std::strtol(text, &end, 10);
    if (!*end && count >= 0 && count <= 64) return static_cast<int>(count);
    ignore_setting("PYGPU_HOST_DEVICES", text, "a number from 0 to 64");
    return 1;
}

std::size_t half_of_the_machine() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    const std::size_t all = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * page : 0;
    return all ? all / 2 : std::size_t{4} << 30;
}

std::size_t memory() {
    const char *text = std::getenv("PYGPU_HOST_MEMORY");
    const std::size_t size = parse_size(text, 0);
    if (text && *text && !size) ignore_setting("PYGPU_HOST_MEMORY", text, "a size, as 512MiB or 2G");
    return size ? size : half_of_the_machine();
}

Settings *read() {
    const char *fail = std::getenv("PYGPU_HOST_FAIL");
    return new Settings{device_count(), memory(), is_on("PYGPU_HOST_STRICT"), is_on("PYGPU_HOST_LEAKS"),
                        fail ? fail : ""};
}

} // namespace

void ignore_setting(const char *variable, const char *value, const char *expected) {
    std::fprintf(stderr, "PyGPU host runtime: %s: \"%s\" is ignored, for it is not %s\n", variable, value,
                 expected);
}

std::size_t parse_size(const char *text, std::size_t otherwise) {
    if (!text) return otherwise;
    char *end = nullptr;
    double number = std::strtod(text, &end);
    if (end == text || number < 0) return otherwise;
    while (*end == ' ') ++end;
    const char unit = static_cast<char>(std::toupper(static_cast<unsigned char>(*end)));
    for (const char *units = "KMGT"; *units; ++units) {
        number *= 1024;
        if (unit == *units) return static_cast<std::size_t>(number);
    }
    return unit == '\0' || unit == 'B' ? static_cast<std::size_t>(std::strtod(text, nullptr)) : otherwise;
}

Settings &settings() {
    static Settings *all = read(); // never destroyed: threads outlive main
    return *all;
}

} // namespace pygpu::host
