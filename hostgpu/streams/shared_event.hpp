// What processes share of an event: how often it was recorded, and which recordings were reached.
#pragma once

#include "memory/shared_pages.hpp"

#include <cstdint>
#include <memory>

namespace pygpu::host {

class SharedEvent {
public:
    // Null where the system has no memory for it; of open() also where the other process is gone.
    static std::shared_ptr<SharedEvent> make();
    static std::shared_ptr<SharedEvent> open(const SharedFile &file);

    const SharedFile &file() const { return pages_->file(); }

    // Begins a recording by this process and returns its number. Waits while too many recordings are under
    // way.
    std::uint32_t begin();
    // May be called in any order: a recording counts as reached once all before it are reached, too.
    void reach(std::uint32_t number);

    std::uint32_t last() const; // 0 before the first
    bool reached(std::uint32_t number) const;
    // Also returns once the recording process has ended: nobody can reach the recording any more.
    void wait(std::uint32_t number) const;

private:
    struct State;

    explicit SharedEvent(std::shared_ptr<SharedPages> pages) : pages_(std::move(pages)) {}
    State &state() const { return *static_cast<State *>(pages_->base()); }

    const std::shared_ptr<SharedPages> pages_;
};

} // namespace pygpu::host
