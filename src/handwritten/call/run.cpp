// The path of a call by tables: there is one copy of it for all functions but the hot ones.
#include "call/plan.hpp"

#include "call/path.hpp"

#include <alloca.h>

namespace pygpu {
namespace {

constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + converter_alignment - 1) & ~(converter_alignment - 1);
}

// The steps of one call. The converters and the result that it has made end with it.
class TableSteps {
public:
    TableSteps(const Parameters &parameters, const Answer &answer, Invoke *invoke, const Checks *checks,
               std::byte *converters, void *result)
        : parameters_(parameters), answer_(answer), invoke_(invoke), checks_(checks), converters_(converters),
          result_(result) {}
    TableSteps(const TableSteps &) = delete;
    TableSteps &operator=(const TableSteps &) = delete;
    ~TableSteps() {
        if (has_result_ && answer_.end) answer_.end(result_);
        if (!parameters_.end) return;
        while (count_) {
            const Parameter &one = parameters_.each[--count_];
            if (one.how->end) one.how->end(converters_ + one.offset);
        }
    }

    bool load(PyObject *const *args, ArgumentContext &context) {
        const std::size_t all = parameters_.each.size();
        for (std::size_t at = 0; at < all; ++at) {
            const Parameter &one = parameters_.each[at];
            context.index = at;
            count_ = at + 1;
            const long long fallback = args[at] ? 0 : fallback_of(context, all);
            if (!one.how->load(converters_ + one.offset, args[at], context, fallback)) return false;
        }
        return true;
    }
    bool check(const ArgumentContext &context) const {
        if (!checks_) return true;
        return (!checks_->together || checks_->together(converters_, context)) &&
               (!checks_->sizes || checks_->sizes(converters_, {context, parameters_, converters_}));
    }
    int absence() const { return checks_ && checks_->required ? checks_->required().absence() : 0; }

    void begin(Traced &traced, const FunctionRecord &record, PyObject *const *args) const {
        traced.begin(record, parameters_, converters_, args);
    }
    int end(Traced &traced, int status) const { return traced.end(answer_, result_, status); }

    int invoke() {
        const int status = invoke_(converters_, result_);
        has_result_ = true;
        return status;
    }
    bool is_settled() const { return answer_.is_status && !parameters_.follow; }
    bool is_void() const { return answer_.is_void; }
    void finish(bool success) const {
        if (!parameters_.follow) return;
        for (const Parameter &one : parameters_.each)
            if (one.how->answered) one.how->answered(converters_ + one.offset);
        if (!success) return;
        const void *const made = answer_.made ? answer_.made(result_) : nullptr;
        for (const Parameter &one : parameters_.each)
            if (one.how->succeeded) one.how->succeeded(converters_ + one.offset, made);
    }
    PyObject *make(const BindingMode &mode, const FunctionRecord &record, int status, bool success) const {
        return answer_.make ? answer_.make(mode, record, result_, success)
                            : status_alone(mode, record, status);
    }

private:
    const Parameters &parameters_;
    const Answer &answer_;
    Invoke *invoke_;
    const Checks *checks_;
    std::byte *converters_;
    void *result_;
    std::size_t count_ = 0; // of the converters that are made
    bool has_result_ = false;
};

} // namespace

bool HeldSizes::reach(std::initializer_list<SizeRequirement> needs) const {
    for (const SizeRequirement &need : needs) {
        const Parameter &one = parameters.each[need.parameter];
        if (!one.how->size) continue;
        const std::size_t size = one.how->size(converters + one.offset);
        if (size < need.size)
            return too_short({context.record, need.parameter, context.self}, need.size, size);
    }
    return true;
}

PyObject *run_call(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords,
                   const FunctionRecord &record, const Parameters &parameters, const Answer &answer,
                   Invoke *invoke, const Checks *checks) {
    const std::size_t count = parameters.each.size();
    const std::size_t bytes = aligned(parameters.bytes);
    auto *const slots = static_cast<PyObject **>(alloca((count + 1) * sizeof(PyObject *)));
    void *const memory = __builtin_alloca_with_align(bytes + answer.bytes, converter_alignment * 8);
    auto *const converters = static_cast<std::byte *>(memory);
    TableSteps steps(parameters, answer, invoke, checks, converters, converters + bytes);
    return follow_path(self, args, nargs, keywords, record,
                       {static_cast<unsigned short>(count), answer.outputs}, slots, steps);
}

} // namespace pygpu
