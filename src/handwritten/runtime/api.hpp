// One vendor's API at run time: its entry points, and whether a library is loaded for them.
#pragma once

#include "runtime/entry.hpp"
#include "runtime/own_calls.hpp"
#include "runtime/statuses.hpp"

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace pygpu {

// A function that ends all objects of a device, or the code that it gets as its argument (see endings.hpp).
struct Ending {
    const char *function;
    void *counting;         // our function, which is called instead and counts
    void *served = nullptr; // the library's own function
};

// A release that is recognised by the symbols that the library exports, among releases of the same major.
struct ExportedRelease {
    const char *release; // "11.8"
    std::span<const char *const> symbols;
};

// How a library reports its release when its file name doesn't contain it.
struct ReleaseCall {
    const char *symbol = nullptr;
    // A version is its major times the first number plus its minor times the second one. 0: the call gives
    // major and minor separately.
    int major = 1, minor = 1;
    int constant_from = 0; // the major from which the call needs no driver
    std::span<const ExportedRelease> exports{};
    // The call returns a status, and the number through a pointer; or the number itself; or a text that
    // begins with "major.minor".
    enum class Gives { outputs, number, text } gives = Gives::outputs;
    const char *otherwise = ""; // the release where nothing reports it
    bool unnamed = false;       // a number in the file's name is no release
};

// The driver's library and its version call; null if there is none.
struct DriverCall {
    const char *library = nullptr;
    const char *symbol = nullptr;
};

struct Api {
    // From the manifest and the model of the API.
    const char *name;    // "cuda": the namespace, and the prefix of its functions
    const char *label;   // "CUDA": for people
    const char *module;  // "PyGPU.cuda": how Python imports it
    const char *summary; // the module's docstring
    const char *phrases; // what docstrings say of parameters and results: names and phrases, each with a NUL
    std::span<const Symbol> symbols;
    OwnCalls (*own_calls)();       // null if PyGPU calls nothing for itself
    std::span<const int> releases; // all listed releases, sorted: 1209 is 12.9
    Statuses statuses;
    std::span<Ending> endings;
    ReleaseCall release_call;
    DriverCall driver;
    const char *(*error_string)(int code); // the vendor's own text, null while no library is there
    void (*release_known)(int release);    // selects the struct forms of this release

    // What was loaded, for the doctor. Written once, with the GIL held, before ready() returns true.
    std::string path{};
    std::string soname{};
    std::string release{};
    int release_number = 0;  // the listed release whose forms are used
    bool host = false;       // the host runtime is loaded, not a vendor's library
    bool per_thread = false; // stream 0 is the default stream of the calling thread
    void *library = nullptr; // the handle from dlopen()
    OwnCalls own{};          // the functions that PyGPU calls for itself
    std::vector<const char *> missing{};

    std::atomic<bool> loaded{false};
    std::atomic<bool> called{false};  // a first call was made, so that the driver is up
    unsigned long long failed_at = 0; // loaded_generation() of the last search that found nothing, plus one

    bool ready() const { return loaded.load(std::memory_order_acquire); }
    // Whether the loaded release is one of these, both ends included. True for any range while none is
    // loaded.
    bool may_be(int since, int until) const {
        return !ready() || (since <= release_number && release_number <= until);
    }
};

} // namespace pygpu
