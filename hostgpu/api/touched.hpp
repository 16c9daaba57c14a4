// Memory that a node of a graph touches, looked at each time when it runs: it may be closed by then, and a
// graph's memory may not be allocated.
#pragma once

#include "memory/allocation.hpp"

#include <memory>
#include <vector>

namespace pygpu::host {

class Touched {
public:
    // `device` is the one whose right counts, -1 for any.
    void add(const Memory &memory, bool writes, int device);

    // False, with the devices broken, where `what` ("a copy of a graph") may not go there.
    bool may_be_used(const char *what) const;

private:
    struct Piece {
        std::weak_ptr<Allocation> memory; // each launch keeps it
        bool writes;
        int device;
    };
    std::vector<Piece> pieces_;
};

} // namespace pygpu::host
