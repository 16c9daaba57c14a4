// A runtime for tests of launches: it notes the bytes of each argument, as long as the test says.
#include <cstddef>
#include <cstring>
#include <map>
#include <vector>

static std::map<const void *, std::vector<std::size_t>> kernels; // sizes of parameters by kernel
static std::vector<std::size_t> read_sizes;
static std::vector<std::vector<unsigned char>> seen;
static const void *seen_function;
static void *const *seen_pointers;
static int asked = 0;
static thread_local int last_error = 0;

static int launch(const void *function, void **args) {
    seen_function = function;
    seen_pointers = args;
    seen.clear();
    for (std::size_t at = 0; args && at < read_sizes.size(); ++at) {
        const auto *bytes = static_cast<unsigned char *>(args[at]);
        seen.emplace_back(bytes, bytes + read_sizes[at]);
    }
    return 0;
}

extern "C" {
// What the test tells and asks.
void read_next(std::size_t size) { read_sizes.push_back(size); }
void read_none() { read_sizes.clear(); }
void add_parameter(const void *kernel, std::size_t size) { kernels[kernel].push_back(size); }
void remove_kernel(const void *kernel) { kernels.erase(kernel); }
int times_asked() { return asked; }
void set_last_error(int error) { last_error = error; }
std::size_t seen_count() { return seen.size(); }
std::size_t seen_argument(std::size_t at, unsigned char *bytes) {
    std::memcpy(bytes, seen[at].data(), seen[at].size());
    return seen[at].size();
}
const void *function_seen() { return seen_function; }
const void *pointers_seen() { return seen_pointers; }

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cudaPeekAtLastError() { return last_error; }
int cudaGetLastError() {
    const int error = last_error;
    last_error = 0;
    return error;
}
int cudaFuncGetParamInfo(const void *function, std::size_t index, std::size_t *offset, std::size_t *size) {
    ++asked;
    const auto found = kernels.find(function);
    if (found == kernels.end()) return last_error = 98;
    if (index >= found->second.size()) return last_error = 1;
    *offset = 0;
    *size = found->second[index];
    return 0;
}
struct Dimensions {
    unsigned x, y, z;
};
int cudaLaunchKernel(const void *function, Dimensions, Dimensions, void **args, std::size_t, void *) {
    return launch(function, args);
}
int cudaLibraryUnload(void *) { return 0; }
int cudaLaunchKernelExC(const void *, const void *function, void **args) { return launch(function, args); }

int hipRuntimeGetVersion(int *version) {
    *version = 60241134;
    return 0;
}
int hipGetLastError() { return 0; }
int hipModuleLaunchKernel(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void *, void **args, void **extra) {
    if (!extra) return launch(function, args);
    seen_pointers = extra;
    if (extra[0] != reinterpret_cast<void *>(1) || extra[2] != reinterpret_cast<void *>(2) ||
        extra[4] != reinterpret_cast<void *>(3)) {
        return 1;
    }
    const auto *bytes = static_cast<unsigned char *>(extra[1]);
    seen.assign(1, {bytes, bytes + *static_cast<std::size_t *>(extra[3])});
    return 0;
}
}
