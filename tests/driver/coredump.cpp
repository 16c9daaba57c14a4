// A driver with the attributes of core dumps, which checks the sizes that it is given.
#include <cstddef>
#include <cstring>

namespace {

char values[2][16][1024]; // of the context and of the process
std::size_t sizes[2][16];

std::size_t size_of(int attribute) {
    return attribute <= 4 ? 1 : attribute <= 6 ? 1024 : attribute == 7 ? 4 : 8;
}

int get(int where, int attribute, void *value, std::size_t *size) {
    if (attribute < 1 || attribute > 9 || !size || *size < size_of(attribute)) return 1;
    std::memcpy(value, values[where][attribute], size_of(attribute));
    *size = size_of(attribute);
    return 0;
}

int set(int where, int attribute, const void *value, const std::size_t *size) {
    if (attribute < 1 || attribute > 9 || !size || !value) return 1;
    sizes[where][attribute] = *size;
    std::memcpy(values[where][attribute], value, *size < 1024 ? *size : 1024);
    return 0;
}

} // namespace

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}
std::size_t size_given(int where, int attribute) { return sizes[where][attribute]; }
int cuCoredumpGetAttribute(int attribute, void *value, std::size_t *size) {
    return get(0, attribute, value, size);
}
int cuCoredumpGetAttributeGlobal(int attribute, void *value, std::size_t *size) {
    return get(1, attribute, value, size);
}
int cuCoredumpSetAttribute(int attribute, void *value, std::size_t *size) {
    return set(0, attribute, value, size);
}
int cuCoredumpSetAttributeGlobal(int attribute, void *value, std::size_t *size) {
    return set(1, attribute, value, size);
}
}
