// One vendor's API at run time: its entry points, and whether a library serves them yet.
#pragma once

#include "runtime/entry.hpp"
#include "runtime/own_calls.hpp"
#include "runtime/statuses.hpp"

#include <Python.h>

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace pygpu {

// A function after which nothing that lived on a device exists any more, or the code of its argument: what is
// called in its place (see endings.hpp), and the library's.
struct Ending {
    const char *function;
    void *counting;
    void *served = nullptr;
};

// A release that is known by what a library of its major exports.
struct ExportedRelease {
    const char *release; // "11.8"
    std::span<const char *const> symbols;
};

// How a library reports its release where its file's name doesn't.
struct ReleaseCall {
    const char *symbol = nullptr;
    int major = 1,
        minor = 1; // a version is major * this + minor * that; 0: the call gives the two by themselves
    int constant_from = 0; // the major from which the call needs no driver
    std::span<const ExportedRelease> exports{};
    // The number through a pointer, beside a status; the number itself; "major.minor" and on, as a text.
    enum class Gives { outputs, number, text } gives = Gives::outputs;
};

// The driver's library and its version call; null where there is none.
struct DriverCall {
    const char *library = nullptr;
    const char *symbol = nullptr;
};

struct Api {
    // What the manifest and the model say.
    const char *name;    // "cuda": the namespace, and what its functions begin with
    const char *module;  // "PyGPU.cuda": how Python imports it
    const char *summary; // the module's docstring
    std::span<const Symbol> symbols;
    std::span<const int> releases; // those listed, sorted: 1209 is 12.9
    Statuses statuses;
    std::span<Ending> endings;
    ReleaseCall release_call;
    DriverCall driver;
    const char *(*error_string)(int code); // the vendor's own text, null while no library is there
    void (*release_known)(int release);    // takes the forms that this release has

    // What was loaded, for the doctor. Written once, with the GIL held, before `ready` is seen.
    std::string path{};
    std::string soname{};
    std::string release{};
    int release_number = 0;  // the listed release whose forms hold
    bool host = false;       // the host runtime serves, not a vendor
    bool per_thread = false; // stream 0 is the calling thread's
    void *library = nullptr; // what dlopen gave
    OwnCalls own{};          // what we call for ourselves
    std::vector<const char *> missing{};

    std::atomic<bool> loaded{false};
    std::atomic<bool> called{false};  // a first call was made, so that the driver is up
    unsigned long long failed_at = 0; // loaded_generation() of the last search that found nothing, plus one

    bool ready() const { return loaded.load(std::memory_order_acquire); }
    // Whether the loaded release is one of these, both included; any may be while none is loaded.
    bool may_be(int since, int until) const {
        return !ready() || (since <= release_number && release_number <= until);
    }
};

// Finds and opens the library on the first use, by the call named; `host` says that the call was by a
// portable name, for which the host runtime may stand in. False only with a Python exception set: that no
// library is there is a status of the calls, not an exception.
bool ensure_loaded(Api &api, const char *function, bool host = false);

} // namespace pygpu
