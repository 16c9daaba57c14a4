// Reading a library's release from what it exports and what it is called.
#include "loader/release.hpp"

#include "loader/api.hpp"
#include "loader/shared_objects.hpp"

#include <cstring>
#include <dlfcn.h>

namespace pygpu {
namespace {

using HostRelease = const char *(const char *api);

// The host runtime's own export; null in a vendor's library.
HostRelease *host_release(void *library) {
    return reinterpret_cast<HostRelease *>(dlsym(library, "pygpu_host_release"));
}

// "libcudart.so.11.0" -> "11.0"; "" without a number.
std::string version_suffix(const std::string &file) {
    const std::size_t mark = file.rfind(".so.");
    return mark == std::string::npos ? "" : file.substr(mark + 4);
}

// "6.2.41134" -> "6.2"
std::string major_minor(const std::string &version) {
    const std::size_t first = version.find('.');
    const std::size_t second = first == std::string::npos ? first : version.find('.', first + 1);
    return version.substr(0, second);
}

std::string cuda_release(void *library, const std::string &soname) {
    // The version call of 11.x asks the driver, from 12.0 on it is a constant.
    if (soname.find(".so.11") == std::string::npos) {
        using RuntimeGetVersion = int(int *);
        auto *ask = reinterpret_cast<RuntimeGetVersion *>(dlsym(library, "cudaRuntimeGetVersion"));
        int version = 0;
        if (ask && ask(&version) == 0 && version >= 1000) {
            return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
        }
    }
    // "libcudart.so.11.8.89" has the whole number; the SONAME of all 11.x is "libcudart.so.11.0".
    const std::string of_file = version_suffix(path_of(library));
    if (of_file.find('.') != std::string::npos && of_file != "11.0") return major_minor(of_file);
    if (soname.find(".so.11") != std::string::npos) {
        return dlsym(library, "cudaGetDriverEntryPoint") && dlsym(library, "cudaGraphInstantiateWithFlags")
                   ? "11.8"
                   : "11.0";
    }
    return major_minor(version_suffix(soname));
}

} // namespace

bool is_host_runtime(void *library) { return host_release(library) != nullptr; }

std::string release_of(const Api &api, void *library) {
    if (HostRelease *host = host_release(library)) {
        const char *release = host(api.name);
        return release ? release : "";
    }
    const std::string soname = soname_of(library);
    if (!std::strcmp(api.name, "cuda")) return cuda_release(library, soname);
    const std::string of_file = version_suffix(path_of(library));
    return major_minor(of_file.empty() ? version_suffix(soname) : of_file);
}

} // namespace pygpu
