// Writing records into a thread's piece of the file.
#pragma once

#include "trace/describe.hpp"
#include "trace/items.hpp"
#include "trace/on.hpp"
#include "trace/place.hpp"
#include "trace/spool.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace pygpu::trace {

inline constexpr std::size_t most_record = 8192;

struct Definition {
    Head head;
    std::uint32_t number, line;
};

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

    // The calls that this thread makes: the last one that began and has not returned, or 0.
    std::uint32_t under_way() const { return under_way_.empty() ? 0 : under_way_.back(); }
    void begun(std::uint32_t number) { under_way_.push_back(number); }
    void ended(std::uint32_t number) {
        while (under_way() && under_way_.back() != number) under_way_.pop_back();
        if (under_way()) under_way_.pop_back();
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
    std::vector<std::uint32_t> under_way_;
};

// This thread's.
Writer &writer();

} // namespace pygpu::trace
