// Finding a library's release by its version call, its exported symbols and its file name.
#include "runtime/release.hpp"

#include "runtime/api.hpp"
#include "runtime/shared_objects.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace pygpu {
namespace {

using HostRelease = const char *(const char *api);

// A function that only the host runtime exports; null for a vendor's library.
HostRelease *host_release(void *library) {
    return reinterpret_cast<HostRelease *>(dlsym(library, "pygpu_host_release"));
}

// "6.2.41134-git" -> "6.2.41134": what comes before the first letter.
std::string numbers_of(const std::string &text) {
    return text.substr(0, text.find_first_not_of("0123456789."));
}

// "libcudart.so.11.0" -> "11.0"; "" without a number.
std::string version_suffix(const std::string &file) {
    const std::size_t mark = file.rfind(".so.");
    return mark == std::string::npos ? "" : numbers_of(file.substr(mark + 4));
}

// "6.2.41134" -> "6.2"
std::string major_minor(const std::string &version) {
    const std::size_t first = version.find('.');
    const std::size_t second = first == std::string::npos ? first : version.find('.', first + 1);
    return version.substr(0, second);
}

// The major that a version begins with; 0 without one.
int major_of(const std::string &version) { return std::atoi(version.c_str()); }

// 13020 -> "13.2", with the factors of major and minor; "" if the number is no release.
std::string split_release(const ReleaseCall &how, int version) {
    if (version < how.major) return "";
    return std::to_string(version / how.major) + "." + std::to_string(version % how.major / how.minor);
}

// The release that the version call gives; "" if there is no such call.
std::string reported_release(const ReleaseCall &how, void *library) {
    if (how.symbol && how.gives == ReleaseCall::Gives::text) {
        using GetText = const char *();
        auto *ask = reinterpret_cast<GetText *>(dlsym(library, how.symbol));
        const char *text = ask ? ask() : nullptr;
        return text ? major_minor(numbers_of(text)) : "";
    }
    if (how.symbol && how.gives == ReleaseCall::Gives::number) {
        using GetNumber = unsigned();
        auto *ask = reinterpret_cast<GetNumber *>(dlsym(library, how.symbol));
        return ask ? split_release(how, static_cast<int>(ask())) : "";
    }
    if (how.symbol && !how.major) {
        using GetPair = int(int *major, int *minor);
        auto *ask = reinterpret_cast<GetPair *>(dlsym(library, how.symbol));
        int major = 0, minor = 0;
        return ask && !ask(&major, &minor) ? std::to_string(major) + "." + std::to_string(minor) : "";
    }
    using GetVersion = int(int *);
    auto *ask = how.symbol ? reinterpret_cast<GetVersion *>(dlsym(library, how.symbol)) : nullptr;
    int version = 0;
    return !ask || ask(&version) ? "" : split_release(how, version);
}

// The release of this major, or of any if it is 0, whose symbols the library exports; "" if there is none.
std::string exported_release(const ReleaseCall &how, void *library, int major) {
    for (const ExportedRelease &one : how.exports) {
        auto exported = [&](const char *symbol) { return dlsym(library, symbol) != nullptr; };
        if ((!major || major_of(one.release) == major) && std::ranges::all_of(one.symbols, exported))
            return one.release;
    }
    return "";
}

} // namespace

bool is_host_runtime(void *library) { return host_release(library) != nullptr; }

std::string release_of(const Api &api, void *library) {
    if (HostRelease *host = host_release(library)) {
        const char *release = host(api.name);
        return release ? release : "";
    }
    if (api.release_call.unnamed) {
        std::string text = reported_release(api.release_call, library);
        if (text.empty()) text = exported_release(api.release_call, library, 0);
        return text.empty() ? api.release_call.otherwise : text;
    }
    const std::string named = version_suffix(soname_of(library));
    const int major = major_of(named);
    if (major >= api.release_call.constant_from) {
        if (const std::string text = reported_release(api.release_call, library); !text.empty()) return text;
    }
    // The file name "libcudart.so.11.8.89" has the whole number. The SONAME ("libcudart.so.11.0") doesn't.
    const std::string of_file = version_suffix(path_of(library));
    if (of_file.find('.') != std::string::npos && of_file != named) return major_minor(of_file);
    std::string exported = exported_release(api.release_call, library, major);
    if (!exported.empty()) return exported;
    const std::string left = major_minor(named.empty() ? of_file : named);
    return left.empty() ? api.release_call.otherwise : left;
}

} // namespace pygpu
