// Writing reports.
#include "host/core/report.hpp"

#include "host/core/allocation.hpp"
#include "host/core/freed.hpp"
#include "host/core/guard.hpp"
#include "host/core/hook.hpp"
#include "host/core/settings.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <execinfo.h>
#include <sstream>

namespace pygpu::host {
namespace {

Hook<void(char *, std::size_t)> locator;
Hook<void(const char *)> listener;

const char *const kinds[] = {"device", "pinned host", "registered host", "managed"};

void write(const std::string &text) {
    if (!listener(text.c_str())) std::fputs((text + "\n").c_str(), stderr);
}

// "numpy/core/_multiarray.so(PyArray_Foo+0x12)", without the runtime's own frames.
void write_trace(std::ostream &out, const Allocation &memory) {
    Dl_info own{};
    dladdr(reinterpret_cast<void *>(&report_leaks), &own);
    for (void *frame : memory.trace) {
        Dl_info info{};
        if (!dladdr(frame, &info) || info.dli_fbase == own.dli_fbase) continue;
        out << "\n      " << (info.dli_fname ? info.dli_fname : "?") << " ";
        if (info.dli_sname)
            out << info.dli_sname;
        else
            out << "+0x" << std::hex << (static_cast<char *>(frame) - static_cast<char *>(info.dli_fbase))
                << std::dec;
    }
}

void write_memory(std::ostream &out, const Allocation &memory) {
    out << memory.size << " bytes of " << kinds[static_cast<int>(memory.kind)] << " memory at "
        << static_cast<const void *>(memory.base) << ", device " << memory.device << ", number "
        << memory.serial << ", made by " << (memory.call ? memory.call : "?");
    // Where Python's place is known, the interpreter's own frames say no more.
    if (memory.where)
        out << " at " << *memory.where;
    else
        write_trace(out, memory);
}

std::string here() {
    char text[512] = "";
    locator(text, sizeof text);
    return text;
}

} // namespace

void set_locator(Locator to) { locator.set(to); }
void set_listener(Listener to) { listener.set(to); }

std::string story_of(const Allocation &memory) {
    std::ostringstream out;
    write_memory(out, memory);
    const Call *call = thread().call;
    out << "\n    freed by " << (call ? call->name : "queued work");
    if (const std::string place = call ? here() : ""; !place.empty()) out << " at " << place;
    return out.str();
}

void report_misuse(const char *what, const void *pointer, const Allocation *memory) {
    if (!settings().strict) return;
    const Call *call = thread().call;
    std::ostringstream out;
    out << "PyGPU host runtime: " << (call ? call->name : "?") << "(" << pointer << "): " << what;
    if (const std::string place = here(); !place.empty()) out << "\n    called at " << place;
    if (memory) {
        out << "\n    ";
        write_memory(out, *memory);
    } else if (const std::string story = story_of_freed(pointer); !story.empty()) {
        out << "\n    " << story;
    }
    write(out.str());
}

void report_touched(const void *base, std::size_t size, std::size_t offset) {
    std::ostringstream out;
    out << "PyGPU host runtime: memory written to after it was freed: byte " << offset << " of " << size
        << " at " << base;
    write(out.str());
}

std::string leaks_text() {
    std::ostringstream out;
    std::size_t bytes = 0;
    int count = 0;
    for (const Memory &memory : memory_of(-1)) {
        if (memory->kind == MemoryKind::registered) continue;
        out << "\n  ";
        write_memory(out, *memory);
        bytes += memory->size;
        ++count;
    }
    if (!count) return "";
    return "PyGPU host runtime: " + std::to_string(count) +
           (count == 1 ? " piece of memory, " : " pieces of memory, ") + std::to_string(bytes) +
           (count == 1 ? " bytes, was not freed:" : " bytes, were not freed:") + out.str();
}

int report_leaks() {
    const std::string text = leaks_text();
    if (text.empty()) return 0;
    write(text);
    return 1;
}

void trace_here(Allocation &memory) {
    void *frames[24];
    const int count = backtrace(frames, 24);
    memory.trace.assign(frames, frames + count);
    if (const std::string place = here(); !place.empty()) memory.where = new std::string(place);
}

} // namespace pygpu::host
