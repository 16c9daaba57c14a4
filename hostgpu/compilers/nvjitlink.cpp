// nvJitLink whose cubins are PTX, which the host runtime runs. LTO IR is linked by the vendor's library; one
// part of PTX is its own result.
#include "compilers/vendor_library.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using pygpu::compilers::vendor_function;

constexpr int SUCCESS = 0;
constexpr int INVALID_INPUT = 5;  // NVJITLINK_ERROR_INVALID_INPUT
constexpr int INTERNAL_ERROR = 6; // NVJITLINK_ERROR_INTERNAL
constexpr int PTX_INPUT = 2;      // NVJITLINK_INPUT_PTX
constexpr int ANY_INPUT = 10;     // NVJITLINK_INPUT_ANY

using Handle = void *;

// What was added to each linker, and its result where the vendor's library doesn't make it.
struct Parts {
    std::vector<std::string> ptx;
    std::size_t others = 0;
    bool done = false;
};

std::mutex lock;

std::map<Handle, Parts> &all_parts() {
    static auto *const map =
        new std::map<Handle, Parts>; // outlives the calls of other libraries' destructors
    return *map;
}

// PTX begins with a directive, after comments; cubins, fat binaries, archives and LTO IR don't.
bool is_ptx(int kind, std::string_view data) {
    return kind == PTX_INPUT || (kind == ANY_INPUT && data.find(".version") < 4096 && data.find('\0') > 4096);
}

// Notes a part; whether it is one of PTX, which the vendor's library need not see.
bool note(Handle handle, int kind, std::string_view data) {
    const std::lock_guard guard(lock);
    Parts &parts = all_parts()[handle];
    if (!is_ptx(kind, data)) {
        ++parts.others;
        return false;
    }
    parts.ptx.emplace_back(data.substr(0, data.find('\0')));
    return true;
}

// The linked PTX where the parts are one text of it.
std::optional<std::string> own_result(Handle handle) {
    const std::lock_guard guard(lock);
    const auto found = all_parts().find(handle);
    if (found == all_parts().end() || !found->second.done) return std::nullopt;
    return found->second.ptx.front();
}

int create(Handle *handle, std::uint32_t count, const char **options) {
    static const auto call = vendor_function<int(Handle *, std::uint32_t, const char **)>("nvJitLinkCreate");
    std::vector<const char *> given(options, options + (options ? count : 0));
    for (const char *needed : {"-lto", "-ptx"}) {
        bool there = false;
        for (const char *option : given) there = there || (option && std::strcmp(option, needed) == 0);
        if (!there) given.push_back(needed);
    }
    return call ? call(handle, static_cast<std::uint32_t>(given.size()), given.data()) : INTERNAL_ERROR;
}

int add_data(Handle handle, int kind, const void *data, std::size_t size, const char *name) {
    static const auto call =
        vendor_function<int(Handle, int, const void *, std::size_t, const char *)>("nvJitLinkAddData");
    if (data && note(handle, kind, {static_cast<const char *>(data), size})) return SUCCESS;
    return call ? call(handle, kind, data, size, name) : INTERNAL_ERROR;
}

int add_file(Handle handle, int kind, const char *path) {
    static const auto call = vendor_function<int(Handle, int, const char *)>("nvJitLinkAddFile");
    if (std::ifstream file{path ? path : "", std::ios::binary}) {
        const std::string data{std::istreambuf_iterator<char>(file), {}};
        if (note(handle, kind, data)) return SUCCESS;
    }
    return call ? call(handle, kind, path) : INTERNAL_ERROR;
}

int complete(Handle handle) {
    static const auto call = vendor_function<int(Handle)>("nvJitLinkComplete");
    {
        const std::lock_guard guard(lock);
        Parts &parts = all_parts()[handle];
        parts.done = parts.ptx.size() == 1 && parts.others == 0;
        if (parts.done) return SUCCESS;
        if (!parts.ptx.empty()) {
            std::fputs(
                "PyGPU host runtime: nvJitLink: PTX can be linked with nothing else here; compile all parts "
                "to LTO IR (-dlto)\n",
                stderr);
            return INVALID_INPUT;
        }
    }
    return call ? call(handle) : INTERNAL_ERROR;
}

int linked_size(Handle handle, std::size_t *size) {
    static const auto call = vendor_function<int(Handle, std::size_t *)>("nvJitLinkGetLinkedPtxSize");
    if (const auto own = own_result(handle)) {
        if (!size) return INVALID_INPUT;
        *size = own->size() + 1;
        return SUCCESS;
    }
    return call ? call(handle, size) : INTERNAL_ERROR;
}

int linked(Handle handle, char *image) {
    static const auto call = vendor_function<int(Handle, char *)>("nvJitLinkGetLinkedPtx");
    if (const auto own = own_result(handle)) {
        if (!image) return INVALID_INPUT;
        std::memcpy(image, own->c_str(), own->size() + 1);
        return SUCCESS;
    }
    return call ? call(handle, image) : INTERNAL_ERROR;
}

int destroy(Handle *handle) {
    static const auto call = vendor_function<int(Handle *)>("nvJitLinkDestroy");
    if (handle) {
        const std::lock_guard guard(lock);
        all_parts().erase(*handle);
    }
    return call ? call(handle) : INTERNAL_ERROR;
}

template <typename Call> int caught(Call call) {
    try {
        return call();
    } catch (...) {
        return INTERNAL_ERROR;
    }
}

} // namespace

PYGPU_EXPORT int nvJitLinkCreate(Handle *handle, std::uint32_t count, const char **options) {
    return caught([&] { return create(handle, count, options); });
}

PYGPU_EXPORT int nvJitLinkAddData(Handle handle, int kind, const void *data, std::size_t size,
                                  const char *name) {
    return caught([&] { return add_data(handle, kind, data, size, name); });
}

PYGPU_EXPORT int nvJitLinkAddFile(Handle handle, int kind, const char *path) {
    return caught([&] { return add_file(handle, kind, path); });
}

PYGPU_EXPORT int nvJitLinkComplete(Handle handle) {
    return caught([&] { return complete(handle); });
}

PYGPU_EXPORT int nvJitLinkGetLinkedPtxSize(Handle handle, std::size_t *size) {
    return caught([&] { return linked_size(handle, size); });
}

PYGPU_EXPORT int nvJitLinkGetLinkedPtx(Handle handle, char *image) {
    return caught([&] { return linked(handle, image); });
}

PYGPU_EXPORT int nvJitLinkGetLinkedCubinSize(Handle handle, std::size_t *size) {
    return nvJitLinkGetLinkedPtxSize(handle, size);
}

PYGPU_EXPORT int nvJitLinkGetLinkedCubin(Handle handle, char *image) {
    return nvJitLinkGetLinkedPtx(handle, image);
}

PYGPU_EXPORT int nvJitLinkDestroy(Handle *handle) {
    return caught([&] { return destroy(handle); });
}

#define FORWARD(name) PYGPU_FORWARD(name, INTERNAL_ERROR)
FORWARD(nvJitLinkGetErrorLog)
FORWARD(nvJitLinkGetErrorLogSize)
FORWARD(nvJitLinkGetInfoLog)
FORWARD(nvJitLinkGetInfoLogSize)
FORWARD(nvJitLinkGetLinkedLTOIR)
FORWARD(nvJitLinkGetLinkedLTOIRSize)
FORWARD(nvJitLinkVersion)

// The header's inline functions call a form of each release; the library has each under its plain name, too.
#define ALIAS(name, release) PYGPU_EXPORT decltype(name) __##name##_##release __attribute__((alias(#name)));
#define OF_RELEASES(name)                                                                                    \
    ALIAS(name, 12_0)                                                                                        \
    ALIAS(name, 12_1)                                                                                        \
    ALIAS(name, 12_2)                                                                                        \
    ALIAS(name, 12_3)                                                                                        \
    ALIAS(name, 12_4)                                                                                        \
    ALIAS(name, 12_5)                                                                                        \
    ALIAS(name, 12_6)                                                                                        \
    ALIAS(name, 12_7)                                                                                        \
    ALIAS(name, 12_8)                                                                                        \
    ALIAS(name, 12_9)                                                                                        \
    ALIAS(name, 13_0)                                                                                        \
    ALIAS(name, 13_1)                                                                                        \
    ALIAS(name, 13_2)                                                                                        \
    ALIAS(name, 13_3)                                                                                        \
    ALIAS(name, 13_4)                                                                                        \
    ALIAS(name, 13_5)

OF_RELEASES(nvJitLinkCreate)
OF_RELEASES(nvJitLinkAddData)
OF_RELEASES(nvJitLinkAddFile)
OF_RELEASES(nvJitLinkComplete)
OF_RELEASES(nvJitLinkGetLinkedCubinSize)
OF_RELEASES(nvJitLinkGetLinkedCubin)
OF_RELEASES(nvJitLinkGetLinkedPtxSize)
OF_RELEASES(nvJitLinkGetLinkedPtx)
OF_RELEASES(nvJitLinkGetLinkedLTOIRSize)
OF_RELEASES(nvJitLinkGetLinkedLTOIR)
OF_RELEASES(nvJitLinkGetErrorLogSize)
OF_RELEASES(nvJitLinkGetErrorLog)
OF_RELEASES(nvJitLinkGetInfoLogSize)
OF_RELEASES(nvJitLinkGetInfoLog)
OF_RELEASES(nvJitLinkDestroy)
