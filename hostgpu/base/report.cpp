// Writing reports. They are built as strings: where the C++ library is linked statically, iostreams would
// bring in all of its locales.
#include "base/report.hpp"

#include "memory/allocation.hpp"
#include "memory/freed.hpp"
#include "base/guard.hpp"
#include "base/hook.hpp"
#include "streams/plan.hpp"
#include "base/settings.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <execinfo.h>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace pygpu::host {
namespace {

Hook<void(char *, std::size_t)> locator;
Hook<void(const char *)> listener;

const char *const kinds[] = {"device", "pinned host", "registered host", "managed"};

// Writes what `tell` says; nothing where there is no memory for it.
template <class Tell> void write(Tell tell) noexcept {
    caught([&] {
        std::string text = tell();
        if (!listener(text.c_str())) std::fputs((text += "\n").c_str(), stderr);
        return Status::success;
    });
}

std::string hex(std::uintptr_t value) {
    char digits[2 * sizeof value];
    return "0x" + std::string(digits, std::to_chars(digits, std::end(digits), value, 16).ptr);
}

std::string hex(const void *pointer) { return hex(reinterpret_cast<std::uintptr_t>(pointer)); }

// "numpy/core/_multiarray.so(PyArray_Foo+0x12)", without the runtime's own frames.
std::string trace_of(const Allocation &memory) {
    Dl_info own{};
    dladdr(reinterpret_cast<void *>(&report_leaks), &own);
    std::string text;
    for (void *frame : memory.trace) {
        Dl_info info{};
        if (!dladdr(frame, &info) || info.dli_fbase == own.dli_fbase) continue;
        const auto offset = static_cast<char *>(frame) - static_cast<char *>(info.dli_fbase);
        text += std::string("\n      ") + (info.dli_fname ? info.dli_fname : "?") + " " +
                (info.dli_sname ? info.dli_sname : "+" + hex(static_cast<std::uintptr_t>(offset)));
    }
    return text;
}

std::string describe(const Allocation &memory) {
    const std::string what = std::to_string(memory.size) + " bytes of " +
                             kinds[static_cast<int>(memory.kind)] + " memory at " + hex(memory.base) +
                             ", device " + std::to_string(memory.device) + ", number " +
                             std::to_string(memory.serial) + ", made by " + (memory.call ? memory.call : "?");
    // Where the Python line is known, the interpreter's own frames say no more.
    return what + (memory.where.empty() ? trace_of(memory) : " at " + memory.where);
}

std::string here() {
    if (thread().place) return *thread().place;
    char text[512] = "";
    locator(text, sizeof text);
    return text;
}

} // namespace

void set_locator(Locator to) { locator.set(to); }
void set_listener(Listener to) { listener.set(to); }

Story story_of(const Allocation &memory) {
    const Call *call = thread().call;
    return {memory.base, describe(memory), call ? call->name() : "queued work", call ? here() : ""};
}

void report_misuse(const char *what, const void *pointer, const Allocation *memory) noexcept {
    if (!settings().strict) return;
    const Call *call = thread().call;
    write([&] {
        std::string text = std::string("PyGPU host runtime: ") + (call ? call->name() : "?") + "(" +
                           (pointer ? hex(pointer) : "0") + "): " + what;
        if (const std::string where = here(); !where.empty()) text += "\n    called at " + where;
        const std::string story = memory ? describe(*memory) : story_of_freed(pointer).text();
        return story.empty() ? text : text + "\n    " + story;
    });
}

void report_touched(const void *base, std::size_t size, std::size_t offset) noexcept {
    write([&] {
        return "PyGPU host runtime: memory written to after it was freed: byte " + std::to_string(offset) +
               " of " + std::to_string(size) + " at " + hex(base);
    });
}

void report_once(const std::string &text) noexcept {
    caught([&] {
        static std::mutex mutex;
        static auto *told = new std::set<std::string>; // never destroyed: launches come until the end
        bool first = false;
        {
            std::lock_guard lock(mutex);
            first = told->insert(text).second;
        }
        if (first) write([&] { return "PyGPU host runtime: " + text; });
        return Status::success;
    });
}

void report_failure(const std::string &text) noexcept {
    write([&] { return "PyGPU host runtime: " + text; });
}

std::string leaks_text() {
    std::string pieces;
    std::size_t bytes = 0;
    int count = 0;
    std::map<std::pair<int, std::string>, std::pair<int, std::size_t>> of_kernels; // by device and place
    for (const Memory &memory : memory_of(-1)) {
        if (memory->kind == MemoryKind::registered || memory->owner == Owner::program) continue;
        bytes += memory->size;
        ++count;
        if (memory->owner != Owner::kernels) {
            pieces += "\n  " + describe(*memory);
            continue;
        }
        auto &[number, size] = of_kernels[{memory->device, memory->where}];
        ++number;
        size += memory->size;
    }
    for (const auto &[from, sum] : of_kernels)
        pieces += "\n  " + std::to_string(sum.second) + " bytes of the kernels' heap, in " +
                  std::to_string(sum.first) + (sum.first == 1 ? " piece" : " pieces") + ", device " +
                  std::to_string(from.first) + ", made by malloc" +
                  (from.second.empty() ? "() of a kernel" : " at " + from.second);
    if (!count) return "";
    const std::size_t kept = graphs().all().size(), ready = executables().all().size();
    if (kept + ready)
        pieces += "\n  not destroyed either, and may keep some of it: graphs " + std::to_string(kept) +
                  ", executable graphs " + std::to_string(ready);
    return "PyGPU host runtime: " + std::to_string(count) +
           (count == 1 ? " piece of memory, " : " pieces of memory, ") + std::to_string(bytes) +
           (count == 1 ? " bytes, was not freed:" : " bytes, were not freed:") + pieces;
}

int report_leaks() {
    const std::string text = leaks_text();
    if (text.empty()) return 0;
    write([&]() -> const std::string & { return text; });
    return 1;
}

void trace_here(Allocation &memory) {
    memory.where = here();
    if (memory.owner == Owner::kernels) return;
    void *frames[24];
    const int count = backtrace(frames, 24);
    memory.trace.assign(frames, frames + count);
}

} // namespace pygpu::host
