// Writing reports. They are built as strings: where the C++ library is linked statically, iostreams would
// bring in all of its locales.
#include "base/report.hpp"

#include "base/caught.hpp"
#include "base/hook.hpp"
#include "base/thread.hpp"

#include <charconv>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <set>

namespace pygpu::host {
namespace {

Hook<void(char *, std::size_t)> locator;
Hook<void(const char *)> listener;

} // namespace

void set_locator(Locator to) { locator.set(to); }
void set_listener(Listener to) { listener.set(to); }

std::string hex(std::uintptr_t value) {
    char digits[2 * sizeof value];
    return "0x" + std::string(digits, std::to_chars(digits, std::end(digits), value, 16).ptr);
}

std::string place_of_caller() {
    if (thread().place) return *thread().place;
    char text[512] = "";
    locator(text, sizeof text);
    return text;
}

void report(const std::string &text) noexcept {
    caught([&] {
        const std::string line = "PyGPU host runtime: " + text;
        if (!listener(line.c_str())) std::fputs((line + "\n").c_str(), stderr);
        return Status::success;
    });
}

void report_once(const std::string &text) noexcept {
    caught([&] {
        static std::mutex mutex;
        static auto *reported = new std::set<std::string>; // never destroyed: launches come until the end
        bool first = false;
        {
            std::lock_guard lock(mutex);
            first = reported->insert(text).second;
        }
        if (first) report(text);
        return Status::success;
    });
}

} // namespace pygpu::host
