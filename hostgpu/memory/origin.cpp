// Reading the stack, and naming its frames.
#include "memory/origin.hpp"

#include "base/report.hpp"

#include <cstdint>
#include <dlfcn.h>
#include <execinfo.h>

namespace pygpu::host {
namespace {

// "numpy/core/_multiarray.so(PyArray_Foo+0x12)", without the runtime's own frames.
std::string text_of(const std::vector<void *> &trace) {
    Dl_info own{};
    dladdr(reinterpret_cast<void *>(&origin_here), &own);
    std::string text;
    for (void *frame : trace) {
        Dl_info info{};
        if (!dladdr(frame, &info) || info.dli_fbase == own.dli_fbase) continue;
        const auto offset = static_cast<char *>(frame) - static_cast<char *>(info.dli_fbase);
        text += std::string("\n      ") + (info.dli_fname ? info.dli_fname : "?") + " " +
                (info.dli_sname ? info.dli_sname : "+" + hex(static_cast<std::uintptr_t>(offset)));
    }
    return text;
}

} // namespace

SideTable<Origin> &origins() {
    static auto *table = new SideTable<Origin>;
    return *table;
}

Origin origin_here(bool by_host) {
    Origin origin{{}, place_of_caller()};
    if (!by_host) return origin;
    void *frames[24];
    const int count = backtrace(frames, 24);
    origin.trace.assign(frames, frames + count);
    return origin;
}

std::string text_of(const std::shared_ptr<const Origin> &origin) {
    if (!origin) return "";
    // Where the Python line is known, the interpreter's own frames say no more.
    return origin->place.empty() ? text_of(origin->trace) : " at " + origin->place;
}

} // namespace pygpu::host
