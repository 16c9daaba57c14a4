// Asks for the parameter sizes of each kernel once, and compares them with the values.
#include "types/launch/sizes.hpp"

#include "binding/function_record.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <span>
#include <unordered_map>
#include <vector>

namespace pygpu {
namespace {

using Sizes = std::vector<std::size_t>;
using SizesOfValues = std::span<const std::size_t>;

using GetParameter = decltype(OwnCalls::function_parameter);

constexpr std::size_t most_bytes = 1 << 20; // far beyond the 32764 that a kernel can have

// The sizes that are known, by kernel. The address of a kernel may be reused once its code is unloaded.
// Guarded by the GIL.
class KnownSizes {
public:
    // Null for a kernel that wasn't asked for.
    const Sizes *find(const void *function) {
        return ended_code() == seen_ && function == last_ ? last_sizes_ : look_up(function);
    }
    // `asked_at` is the value of ended_code() before the library was asked.
    void add(const void *function, const Sizes &sizes, unsigned asked_at) {
        forget_ended();
        if (asked_at == seen_) sizes_.insert_or_assign(function, sizes);
    }

private:
    [[gnu::noinline]] const Sizes *look_up(const void *function) {
        forget_ended();
        const auto entry = sizes_.find(function);
        if (entry == sizes_.end()) return nullptr;
        last_ = function;
        return last_sizes_ = &entry->second; // elements of the map don't move
    }
    void forget_ended() {
        const unsigned now = ended_code();
        if (now == seen_) return;
        seen_ = now;
        last_ = nullptr;
        sizes_.clear();
    }

    unsigned seen_ = 0;
    const void *last_ = nullptr; // loops launch the same kernel
    const Sizes *last_sizes_ = nullptr;
    std::unordered_map<const void *, Sizes> sizes_;
};

KnownSizes &known_sizes = *new KnownSizes; // threads may launch until the very end

// The status of the last question: "invalid value" for an index behind the last parameter.
int ask_by(GetParameter info, const Api &api, const void *function, Sizes &sizes) {
    std::size_t offset = 0, size = 0, total = 0;
    GilReleased released(true); // it may load the kernel's code
    return guarding_error_state(api.own, [&] {
        int answer = 0;
        while (!(answer = info(function, sizes.size(), &offset, &size))) {
            total += size;
            if (!size || total > most_bytes) break; // not the answer of a library that knows sizes
            sizes.push_back(size);
        }
        return answer;
    });
}

// Empty if the sizes are unknown. A kernel without parameters can't be told from a function that is no
// kernel. The driver has a second function, for kernels of all contexts.
Sizes ask(const Api &api, const void *function) {
    GetParameter of_function = api.own.function_parameter;
    if (!of_function && api.host) // knows the parameters where the vendor's API has no such function
        of_function = reinterpret_cast<GetParameter>(dlsym(api.library, "pygpu_host_parameter"));
    for (GetParameter info : {of_function, api.own.kernel_parameter}) {
        Sizes sizes;
        const int status = info ? ask_by(info, api, function, sizes) : 0;
        if (info && status == api.statuses.invalid_value) return sizes;
    }
    return {};
}

bool fits(SizesOfValues held, const Sizes &wanted) {
    return wanted.empty() || std::ranges::equal(held, wanted);
}

bool complain(SizesOfValues held, const Sizes &wanted, const ArgumentContext &context) {
    if (held.size() != wanted.size()) {
        return value_error(context, "holds %zu values, the kernel takes %zu", held.size(), wanted.size());
    }
    std::size_t at = 0;
    while (held[at] == wanted[at]) ++at;
    const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
    return value_error(context.within(step), "has %zu bytes, the kernel's parameter %zu", held[at],
                       wanted[at]);
}

// Called if the kernel wasn't asked for yet, or if the values don't fit the known sizes. These may belong to
// an earlier kernel at the same address that something other than PyGPU has unloaded.
[[gnu::noinline]] bool ask_and_check(SizesOfValues held, const void *function,
                                     const ArgumentContext &context) {
    const unsigned asked_at = ended_code();
    const Sizes wanted = ask(context.record.api, function);
    known_sizes.add(function, wanted, asked_at);
    return fits(held, wanted) || complain(held, wanted, context);
}

} // namespace

bool check_sizes(const LaunchValues &values, const void *function, const ArgumentContext &context) {
    if (!values.counted() || !function) return true;
    const SizesOfValues held = values.sizes();
    const Sizes *known = known_sizes.find(function);
    return (known && fits(held, *known)) || ask_and_check(held, function, context);
}

} // namespace pygpu
