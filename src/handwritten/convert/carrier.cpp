// The few kinds of objects that stand for memory.
#include "convert/carrier.hpp"

#include <array>

namespace pygpu {
namespace {

struct Kind {
    destructor destroy;
    Carry carry;
};

std::array<Kind, 8> kinds;
std::size_t count = 0; // written while the module is made, under the GIL

} // namespace

void add_carrier(destructor kind, Carry carry) { kinds.at(count++) = {kind, carry}; }

Carry carrier_of(PyObject *object) {
    const destructor destroy = Py_TYPE(object)->tp_dealloc;
    for (std::size_t at = 0; at < count; ++at) {
        if (kinds[at].destroy == destroy) return kinds[at].carry;
    }
    return nullptr;
}

} // namespace pygpu
