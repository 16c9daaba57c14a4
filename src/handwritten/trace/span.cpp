// Writing records into a thread's piece of the file.
#include "trace/span.hpp"

#include "binding/function_record.hpp"
#include "trace/describe.hpp"
#include "trace/on.hpp"
#include "trace/place.hpp"
#include "trace/spool.hpp"

#include <Python.h>

#include <array>
#include <cstring>
#include <ctime>
#include <string>

namespace pygpu::trace {
namespace {

constexpr std::size_t most_record = 8192;

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
struct Definition {
    Head head;
    std::uint32_t number, line;
};

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// What a thread writes to.
class Writer {
public:
    Writer() = default;
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
    ~Writer() { unmap_piece(piece_); }

    // Room for one record; null if there is none.
    std::byte *room() {
        if (!(active.load(std::memory_order_relaxed) & trace::recording)) return nullptr;
        const unsigned current = current_recording();
        if (current != recording) {
            forget();
            recording = current;
        }
        if (!piece_ || at_ + most_record > piece_ + piece_size) {
            unmap_piece(piece_);
            piece_ = map_piece(recording);
            at_ = piece_ + sizeof(PieceHead);
        }
        return piece_ ? at_ : nullptr;
    }
    // The record at room() ends here.
    void commit(Kind kind, const std::byte *end) {
        const auto size = (static_cast<std::size_t>(end - at_) + 7) / 8 * 8;
        auto *const head = reinterpret_cast<Head *>(at_);
        head->kind = static_cast<std::uint16_t>(kind);
        __atomic_store_n(&head->size, static_cast<std::uint32_t>(size), __ATOMIC_RELEASE);
        at_ += size;
    }

    // The number of a definition of these texts, each of which ends with a NUL; 0 if there is no room.
    std::uint32_t define(Kind kind, int line, const std::string &texts) {
        std::byte *const at = room();
        if (!at || texts.size() > most_record - sizeof(Definition)) return 0;
        const std::uint32_t number = next_number();
        const Definition head{{}, number, static_cast<std::uint32_t>(line)};
        std::memcpy(at, &head, sizeof head);
        std::memcpy(at + sizeof head, texts.data(), texts.size());
        commit(kind, at + sizeof head + texts.size());
        return number;
    }

    // The number of a function; a key is the address of what describes it.
    template <class Function> std::uint32_t number_of(const Function &function) {
        if (!room()) return 0;
        const void *key = &function;
        Known &known = functions_[reinterpret_cast<std::uintptr_t>(key) / 16 % functions_.size()];
        if (known.key != key || known.recording != recording)
            known = {key, recording, define(Kind::function, 0, described(function))};
        return known.number;
    }

    void note_place() {
        if (!room()) return;
        is_noted = true;
        place = places_.current(recording, [this](const Place &one) {
            return define(Kind::place, one.line, one.file + '\0' + one.function + '\0');
        });
    }

    unsigned recording = 0;
    std::uint32_t place = 0, calls = 0;
    bool is_noted = false; // the place, since the GIL was released last

private:
    struct Known {
        const void *key = nullptr;
        unsigned recording = 0;
        std::uint32_t number = 0;
    };

    void forget() {
        unmap_piece(piece_);
        piece_ = nullptr;
        place = 0;
    }

    std::byte *piece_ = nullptr, *at_ = nullptr;
    std::array<Known, 256> functions_{};
    Places places_;
};

Writer &writer() {
    thread_local Writer one;
    return one;
}

} // namespace

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
}

void Span::returned(int status) {
    if (!number_) return;
    const std::uint64_t time = now();
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
