// The list of faults.
#include "base/faults.hpp"

#include "base/call.hpp"
#include "base/process.hpp"
#include "base/settings.hpp"

#include <charconv>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace pygpu::host {

constinit std::atomic<int> faults{-1};

namespace {

struct Fault {
    std::string function;
    unsigned long long nth;
    unsigned long long times;
    int code;
    unsigned long long seen = 0;
    long long struck = 0;
};

struct Faults {
    std::mutex mutex;
    std::map<long, Fault> armed;
    long last = 0;
    bool environment_read = false;
};

Faults &armed_faults() {
    static Faults *list = new Faults;
    return *list;
}

constexpr const char *any_allocation = "allocate";

// After these the card answers every call with the same code until it is reset.
bool is_fatal(int code) {
    switch (code) {
    case 214: // ECC uncorrectable
    case 700: // illegal address
    case 702: // launch timeout
    case 710: // assert
    case 714: // hardware stack error
    case 715: // illegal instruction
    case 716: // misaligned address
    case 717: // invalid address space
    case 718: // invalid program counter
    case 719: // launch failure
        return true;
    default:
        return false;
    }
}

bool is_exported(const std::string &name) {
    for (const HostedApi &api : hosted_apis) {
        for (const Call *one = api.exported; one->symbol; ++one) {
            if (name == one->symbol) return true;
        }
    }
    return name == "*" || name == any_allocation;
}

// Takes a number that ends at a colon or with the text; the rest of the text follows the colon.
template <class Number> bool take_number(std::string_view &text, Number &number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto read = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || (read < text.size() && *end != ':')) return false;
    text.remove_prefix(read < text.size() ? read + 1 : read);
    return true;
}

// "function:call:code" or "function:call:code:times".
bool parse(std::string_view one, Fault &fault) {
    const std::size_t colon = one.find(':');
    if (colon == one.npos || one.ends_with(':')) return false;
    std::string_view rest = one.substr(colon + 1);
    fault = {std::string(one.substr(0, colon)), 1, 1, 0};
    if (!take_number(rest, fault.nth) || !fault.nth || !take_number(rest, fault.code) || fault.code <= 0)
        return false;
    return (rest.empty() || take_number(rest, fault.times)) && rest.empty() && is_exported(fault.function);
}

// Counts a call for each armed fault with is_meant(function). Returns the code that the call has to return,
// or 0.
template <class IsMeant> int strike(IsMeant is_meant) {
    Faults &list = armed_faults();
    std::lock_guard lock(list.mutex);
    int code = 0;
    for (auto &[number, fault] : list.armed) {
        if (!is_meant(fault.function)) continue;
        ++fault.seen;
        if (fault.seen < fault.nth || (fault.times && fault.seen >= fault.nth + fault.times)) continue;
        ++fault.struck;
        if (!code) code = fault.code;
    }
    if (is_fatal(code)) process.fatal = code;
    return code;
}

} // namespace

int arm_environment() {
    Faults &list = armed_faults();
    std::unique_lock lock(list.mutex);
    if (list.environment_read) return faults.load();
    list.environment_read = true;
    std::string text = settings().fail;
    int count = 0;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string one = text.substr(0, comma);
        text = comma == std::string::npos ? "" : text.substr(comma + 1);
        Fault fault{};
        if (!parse(one, fault)) {
            ignore_setting("PYGPU_HOST_FAIL", one.c_str(), "function:call:code[:times], as cudaMalloc:3:2");
            continue;
        }
        list.armed.emplace(++list.last, std::move(fault));
        ++count;
    }
    faults = static_cast<int>(list.armed.size());
    return count;
}

int fault_of(const Call &call) {
    return strike([&](const std::string &function) {
        return function == "*" || function == call.name() || function == call.symbol;
    });
}

int fault_of_allocation() {
    return strike([](const std::string &function) { return function == any_allocation; });
}

long arm(const char *function, unsigned long long nth, unsigned long long times, int code) {
    arm_environment();
    Faults &list = armed_faults();
    std::lock_guard lock(list.mutex);
    list.armed.emplace(++list.last, Fault{function, nth ? nth : 1, times, code});
    faults = static_cast<int>(list.armed.size());
    return list.last;
}

long long disarm(long number) {
    Faults &list = armed_faults();
    std::lock_guard lock(list.mutex);
    const auto entry = list.armed.find(number);
    if (entry == list.armed.end()) return -1;
    const long long struck = entry->second.struck;
    list.armed.erase(entry);
    faults = static_cast<int>(list.armed.size());
    return struck;
}

} // namespace pygpu::host
