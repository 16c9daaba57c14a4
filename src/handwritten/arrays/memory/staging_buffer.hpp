// Host memory that queued copies pass through. Small pieces are page-locked, so that the device copies to and
// from them directly.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace pygpu::arrays {

class StagingBuffer {
public:
    static constexpr std::size_t most_pinned = std::size_t{256} << 10;

    // A piece for copies of the scope's device. It is page-locked if it has at most `most` bytes. Null if
    // there is no memory.
    char *take(const Runtime &runtime, Scope &scope, std::size_t size, std::size_t most = most_pinned);
    // The same, but null if it can't be page-locked.
    char *take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, std::size_t most);
    void drop_last() { pieces_.pop_back(); } // no copy passes through it any more
    // Keeps an object that host functions of the stream need as long as the pieces.
    void keep(std::shared_ptr<void> needed) { needed_.push_back(std::move(needed)); }
    bool empty() const { return pieces_.empty() && needed_.empty(); }

private:
    char *add(Scope &scope, void *memory, std::size_t size, bool pinned);

    struct Piece;
    struct Giving {
        void operator()(Piece *piece) const;
    };
    std::vector<std::unique_ptr<Piece, Giving>> pieces_;
    std::vector<std::shared_ptr<void>> needed_;
};

} // namespace pygpu::arrays
