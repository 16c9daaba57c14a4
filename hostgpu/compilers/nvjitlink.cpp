// nvJitLink whose cubins are PTX, which the host runtime runs. LTO IR is linked by the vendor's library, and
// PTX here.
#include "base/files.hpp"
#include "code/link_ptx.hpp"
#include "compilers/vendor_library.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// The host runtime's linker (api/controls.cpp).
extern "C" char *pygpu_host_link_ptx(const char *const *texts, const char *const *names, std::size_t count,
                                     char **problem);

namespace {

using pygpu::compilers::vendor_function;
using pygpu::host::is_archive;
using pygpu::host::is_ptx;
using pygpu::host::ptx_text;
using pygpu::host::PtxPart;
using pygpu::host::read_file;

constexpr int SUCCESS = 0;
constexpr int PTX_COMPILE = 4;    // NVJITLINK_ERROR_PTX_COMPILE
constexpr int INTERNAL_ERROR = 6; // NVJITLINK_ERROR_INTERNAL
constexpr int PTX_INPUT = 2;      // NVJITLINK_INPUT_PTX

using Handle = void *;

// What was added to each linker: texts of PTX, and parts that the vendor's library has. Then the result, or
// why there is none; both are empty where they are the vendor's.
struct Link {
    std::vector<PtxPart> ptx{};
    std::size_t others = 0;
    std::string result{};
    std::string problem{};
};

std::mutex lock;

std::map<Handle, Link> &links() {
    static auto *const map = new std::map<Handle, Link>; // outlives the calls of other libraries' destructors
    return *map;
}

// Notes a part; whether the vendor's library need not see it. Cubins may be PTX that this library or NVRTC's
// twin made.
bool note(Handle handle, int kind, std::string_view data, const char *name) {
    const std::lock_guard guard(lock);
    const auto link = links().find(handle);
    if (link == links().end()) return false;
    if (is_archive(data)) return true;
    if (kind != PTX_INPUT && !is_ptx(data)) {
        ++link->second.others;
        return false;
    }
    link->second.ptx.push_back({ptx_text(data), name ? name : "<input>"});
    return true;
}

int create(Handle *handle, std::uint32_t count, const char **options) {
    static const auto call = vendor_function<int(Handle *, std::uint32_t, const char **)>("nvJitLinkCreate");
    std::vector<const char *> given(options, options + (options ? count : 0));
    for (const char *needed : {"-lto", "-ptx"}) {
        const auto is_needed = [&](const char *option) { return option && std::strcmp(option, needed) == 0; };
        if (std::ranges::none_of(given, is_needed)) given.push_back(needed);
    }
    const int code =
        call ? call(handle, static_cast<std::uint32_t>(given.size()), given.data()) : INTERNAL_ERROR;
    if (code == SUCCESS) {
        const std::lock_guard guard(lock);
        links()[*handle] = {};
    }
    return code;
}

int add_data(Handle handle, int kind, const void *data, std::size_t size, const char *name) {
    static const auto call =
        vendor_function<int(Handle, int, const void *, std::size_t, const char *)>("nvJitLinkAddData");
    if (data && note(handle, kind, {static_cast<const char *>(data), size}, name)) return SUCCESS;
    return call ? call(handle, kind, data, size, name) : INTERNAL_ERROR;
}

int add_file(Handle handle, int kind, const char *path) {
    static const auto call = vendor_function<int(Handle, int, const char *)>("nvJitLinkAddFile");
    std::string data;
    if (path && read_file(path, data) && note(handle, kind, data, path)) return SUCCESS;
    return call ? call(handle, kind, path) : INTERNAL_ERROR;
}

// The PTX that the vendor's library has linked.
int vendors_result(Handle handle, std::string &text) {
    static const auto size_of = vendor_function<int(Handle, std::size_t *)>("nvJitLinkGetLinkedPtxSize");
    static const auto get = vendor_function<int(Handle, char *)>("nvJitLinkGetLinkedPtx");
    std::size_t size = 0;
    if (!size_of || !get) return INTERNAL_ERROR;
    if (const int code = size_of(handle, &size)) return code;
    text.resize(size);
    const int code = get(handle, text.data());
    text.resize(std::min(text.find('\0'), text.size()));
    return code;
}

// Fills in the result, or the problem.
void link_parts(Link &link) {
    std::vector<const char *> texts, names;
    for (const PtxPart &one : link.ptx) {
        texts.push_back(one.text.c_str());
        names.push_back(one.name.c_str());
    }
    char *problem = nullptr;
    char *const linked = pygpu_host_link_ptx(texts.data(), names.data(), texts.size(), &problem);
    if (linked)
        link.result = linked;
    else
        link.problem = "ERROR: " + std::string(problem ? problem : "no memory") + "\n";
    std::free(linked);
    std::free(problem);
}

int complete(Handle handle) {
    static const auto call = vendor_function<int(Handle)>("nvJitLinkComplete");
    Link link;
    {
        const std::lock_guard guard(lock);
        if (const auto found = links().find(handle); found != links().end()) link = found->second;
    }
    if (link.others || link.ptx.empty()) {
        const int code = call ? call(handle) : INTERNAL_ERROR;
        if (code || link.ptx.empty()) return code;
        PtxPart part{{}, "LTO IR"};
        if (const int failed = vendors_result(handle, part.text)) return failed;
        link.ptx.push_back(std::move(part));
    }
    link_parts(link);
    const std::lock_guard guard(lock);
    links()[handle] = link;
    return link.problem.empty() ? SUCCESS : PTX_COMPILE;
}

// One of the own texts of a link; empty where the vendor's library has it.
std::string own(Handle handle, std::string Link::*text) {
    const std::lock_guard guard(lock);
    const auto found = links().find(handle);
    return found == links().end() ? std::string() : found->second.*text;
}

using SizeOf = int(Handle, std::size_t *);
using Get = int(Handle, char *);

int size_of(Handle handle, std::size_t *size, std::string Link::*text, SizeOf *vendors) {
    const std::string ours = own(handle, text);
    if (ours.empty() || !size) return vendors ? vendors(handle, size) : INTERNAL_ERROR;
    *size = ours.size() + 1;
    return SUCCESS;
}

int get(Handle handle, char *to, std::string Link::*text, Get *vendors) {
    const std::string ours = own(handle, text);
    if (ours.empty() || !to) return vendors ? vendors(handle, to) : INTERNAL_ERROR;
    std::memcpy(to, ours.c_str(), ours.size() + 1);
    return SUCCESS;
}

int destroy(Handle *handle) {
    static const auto call = vendor_function<int(Handle *)>("nvJitLinkDestroy");
    if (handle) {
        const std::lock_guard guard(lock);
        links().erase(*handle);
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
    static const auto call = vendor_function<SizeOf>("nvJitLinkGetLinkedPtxSize");
    return caught([&] { return size_of(handle, size, &Link::result, call); });
}

PYGPU_EXPORT int nvJitLinkGetLinkedPtx(Handle handle, char *image) {
    static const auto call = vendor_function<Get>("nvJitLinkGetLinkedPtx");
    return caught([&] { return get(handle, image, &Link::result, call); });
}

PYGPU_EXPORT int nvJitLinkGetLinkedCubinSize(Handle handle, std::size_t *size) {
    return nvJitLinkGetLinkedPtxSize(handle, size);
}

PYGPU_EXPORT int nvJitLinkGetLinkedCubin(Handle handle, char *image) {
    return nvJitLinkGetLinkedPtx(handle, image);
}

PYGPU_EXPORT int nvJitLinkGetErrorLogSize(Handle handle, std::size_t *size) {
    static const auto call = vendor_function<SizeOf>("nvJitLinkGetErrorLogSize");
    return caught([&] { return size_of(handle, size, &Link::problem, call); });
}

PYGPU_EXPORT int nvJitLinkGetErrorLog(Handle handle, char *log) {
    static const auto call = vendor_function<Get>("nvJitLinkGetErrorLog");
    return caught([&] { return get(handle, log, &Link::problem, call); });
}

PYGPU_EXPORT int nvJitLinkDestroy(Handle *handle) {
    return caught([&] { return destroy(handle); });
}

#define FORWARD(name) PYGPU_FORWARD(name, INTERNAL_ERROR)
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
