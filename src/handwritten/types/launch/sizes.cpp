// Asking for parameter sizes once a kernel, and comparing.
#include "types/launch/sizes.hpp"

#include "binding/function_record.hpp"
#include "python/gil.hpp"
#include "python/lock.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "runtime/library.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace pygpu {
namespace {

using Sizes = std::vector<std::size_t>;

// The C functions by their ABI.
using GetParamInfo = int(const void *function, std::size_t index, std::size_t *offset, std::size_t *size);

constexpr int invalid_value = 1;            // also the answer for an index behind the last parameter
constexpr std::size_t most_bytes = 1 << 20; // far beyond the 32764 that a kernel can have

struct Known {
    std::mutex mutex;
    std::unordered_map<const void *, Sizes> sizes;
};

Known &known() {
    static auto *all = new Known;
    return *all;
}

// Empty where they are unknown. A kernel without parameters looks like a function that is none.
Sizes ask(const Api &api, const void *function) {
    auto *info = find_function<GetParamInfo>(api, "FuncGetParamInfo");
    if (!info) return {};
    Sizes sizes;
    std::size_t offset = 0, size = 0, total = 0;
    GilReleased released(true); // it may load the kernel's code
    const int status = guarding_error_state(api.own, [&] {
        int answer = 0;
        while (!(answer = info(function, sizes.size(), &offset, &size))) {
            total += size;
            if (!size || total > most_bytes) break; // no answer of a library that knows
            sizes.push_back(size);
        }
        return answer;
    });
    return status == invalid_value ? sizes : Sizes();
}

bool fits(const Sizes &given, const Sizes &wanted) { return wanted.empty() || given == wanted; }

bool complain(const Sizes &given, const Sizes &wanted, const ArgumentContext &context) {
    if (given.size() != wanted.size()) {
        return value_error(context, "holds %zu values, the kernel takes %zu", given.size(), wanted.size());
    }
    std::size_t at = 0;
    while (given[at] == wanted[at]) ++at;
    const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
    return value_error(context.within(step), "has %zu bytes, the kernel's parameter %zu", given[at],
                       wanted[at]);
}

} // namespace

bool check_sizes(const LaunchValues &values, const void *function, const ArgumentContext &context) {
    if (!values.counted() || !function) return true;
    Known &all = known();
    {
        const Lock lock(all.mutex);
        const auto found = all.sizes.find(function);
        if (found != all.sizes.end() && fits(values.sizes(), found->second)) return true;
    }
    // Unknown, or another kernel's by now: an address is used again once its library is unloaded.
    const Sizes wanted = ask(context.record.api, function);
    const bool good = fits(values.sizes(), wanted);
    if (!wanted.empty()) {
        const Lock lock(all.mutex);
        all.sizes.insert_or_assign(function, wanted);
    }
    return good || complain(values.sizes(), wanted, context);
}

} // namespace pygpu
