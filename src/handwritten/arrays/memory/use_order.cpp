// Streams that were destroyed after they used memory.
#include "arrays/memory/use_order.hpp"

#include "arrays/streams/stream.hpp"
#include "types/handles/handle_class.hpp"

#include <algorithm>

namespace pygpu::arrays {

bool UseOrder::used_destroyed() const {
    return other_owners->disowned_any &&
           (is_gone(home_owner.get()) ||
            std::ranges::any_of(uses, [](const Use &use) { return is_gone(use.owner.get()); }));
}

int UseOrder::visit(visitproc visit, void *arg) const {
    Py_VISIT(home_owner.get());
    Py_VISIT(owner.get());
    for (const Use &use : uses) Py_VISIT(use.owner.get());
    return 0;
}

} // namespace pygpu::arrays
