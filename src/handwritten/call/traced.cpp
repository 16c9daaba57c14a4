// Noting arguments before a call and results after it, and waiting for what it queues.
#include "call/traced.hpp"

#include "binding/texts.hpp"
#include "runtime/api.hpp"
#include "trace/locate.hpp"
#include "trace/on.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace pygpu {
namespace {

// Of the launch that is under way on this thread. After a fault nothing tells it any more.
thread_local std::string kernel;

bool queues_work(const FunctionRecord &record) {
    return record.facts & Fact::queues || std::strstr(record.name, "Launch");
}

} // namespace

void Traced::begin(const FunctionRecord &record, const Parameters &parameters, const std::byte *converters,
                   PyObject *const *args) {
    record_ = &record;
    parameters_ = &parameters;
    converters_ = converters;
    if (trace::is_locating() && queues_work(record)) {
        const void *const function = address_of({"func", "f", "function"});
        kernel = function ? " of " + trace::name_of_kernel(record.api, function) : "";
    }
    if (trace::is_keeping()) kept_.begin(record, {args, parameters.each.size()});
    span_.begin(record);
    if (!span_.is_open()) return;
    for (const Parameter &one : parameters.each) one.how->note(span_.items(), converters + one.offset);
    span_.start();
}

int Traced::end(const Answer &answer, const void *result, int status) {
    span_.returned(status);
    const bool success = record_->api.statuses.succeeded(status);
    if (answer.note && success) answer.note(span_.items(), result);
    span_.end();
    status_ = status;
    if (!trace::is_locating() || status || !queues_work(*record_)) return status;
    fault_ = trace::wait_for(record_->api, const_cast<void *>(address_of({"stream", "hStream"})));
    return status_ = fault_;
}

// The address in the argument that has one of these names; null if there is none.
const void *Traced::address_of(std::initializer_list<const char *> names) const {
    Texts texts(record_->texts);
    std::array<std::byte, 1 + sizeof(void *)> item;
    const void *address = nullptr;
    for (const Parameter &one : parameters_->each) {
        const std::string_view name = texts.next();
        if (!std::ranges::count(names, name)) continue;
        trace::Items items(item.data(), item.data() + item.size());
        one.how->note(items, converters_ + one.offset);
        if (item.front() == std::byte{'p'}) std::memcpy(&address, item.data() + 1, sizeof address);
    }
    return address;
}

void Traced::report_fault() const {
    trace::blame(record_->api, std::string(record_->name) + "()" + kernel,
                 const_cast<void *>(address_of({"stream", "hStream"})), fault_);
}

} // namespace pygpu
