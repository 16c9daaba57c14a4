// The records of calls, and of kernels on the host runtime.
#include "trace/span.hpp"

#include "binding/function_record.hpp"
#include "trace/writer.hpp"

#include <Python.h>

#include <cstddef>
#include <cstring>
#include <ctime>

namespace pygpu::trace {
namespace {

struct Begin {
    Head head;
    std::uint64_t time; // nanoseconds of CLOCK_MONOTONIC
    std::uint32_t number, function, place, reserved;
};
struct End {
    Head head;
    std::uint64_t time;
    std::uint32_t number;
    std::int32_t status;
};
struct Kernel {
    Head head;
    std::uint64_t begin, end, stream;
    std::int32_t device, reserved;
};
std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace

Writer &writer() {
    thread_local Writer one;
    return one;
}

void kernel_ran(const char *name, int device, std::uint64_t stream, std::uint64_t begin, std::uint64_t end) {
    std::byte *const at = writer().room();
    if (!at) return;
    const Kernel head{{}, begin, end, stream, device, 0};
    std::memcpy(at, &head, sizeof head);
    Items items(at + sizeof head, at + most_record);
    items.add_text(name);
    writer().commit(Kind::kernel, items.at());
}

void note_place() {
    Writer &mine = writer();
    if (!mine.is_noted) mine.note_place();
    mine.is_noted = false;
}

void Span::begin(const FunctionRecord &function) { begin_with(writer().number_of(function)); }
void Span::begin(const OwnCall &call) { begin_with(writer().number_of(call)); }

bool Span::begin_with(std::uint32_t function) {
    Writer &mine = writer();
    if (!function) return false;
    if (PyGILState_Check()) mine.note_place();
    record_ = mine.room();
    if (!record_) return false;
    recording_ = mine.recording;
    number_ = ++mine.calls ? mine.calls : ++mine.calls;
    const Begin head{{}, 0, number_, function, mine.place, 0};
    std::memcpy(record_, &head, sizeof head);
    items_ = {record_ + sizeof head, record_ + most_record};
    return true;
}

void Span::start() {
    if (!number_) return;
    const std::uint64_t time = now();
    std::memcpy(record_ + offsetof(Begin, time), &time, sizeof time);
    writer().commit(Kind::begin, items_.at());
    writer().begun(number_);
}

void Span::returned(int status) {
    if (!number_) return;
    const std::uint64_t time = now();
    writer().ended(number_);
    items_ = {};
    record_ = current_recording() == recording_ ? writer().room() : nullptr;
    if (!record_) return;
    const End head{{}, time, number_, status};
    std::memcpy(record_, &head, sizeof head);
    items_ = {record_ + sizeof head, record_ + most_record};
}

void Span::end() {
    if (number_ && record_) writer().commit(Kind::end, items_.at());
    if (number_) writer().is_noted = false;
    number_ = 0;
}

} // namespace pygpu::trace
