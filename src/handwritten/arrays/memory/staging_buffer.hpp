// Host memory that queued copies pass through; small pieces are page-locked, which copies go to straight.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace pygpu::arrays {

class StagingBuffer {
public:
    static constexpr std::size_t most_pinned = std::size_t{256} << 10;

    // A piece for copies of the scope's device; null where there is no memory.
    char *take(const Runtime &runtime, Scope &scope, std::size_t size);
    void drop_last() { pieces_.pop_back(); } // no copy passes through it any more
    bool empty() const { return pieces_.empty(); }

private:
    struct Piece;
    struct Giving {
        void operator()(Piece *piece) const;
    };
    std::vector<std::unique_ptr<Piece, Giving>> pieces_;
};

} // namespace pygpu::arrays
