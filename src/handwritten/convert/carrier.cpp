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
    // A class that Python code derives has a destructor of Python's.
    for (const PyTypeObject *type = Py_TYPE(object); type && type->tp_flags & Py_TPFLAGS_HEAPTYPE;
         type = type->tp_base) {
        for (std::size_t at = 0; at < count; ++at) {
            if (kinds[at].destroy == type->tp_dealloc) return kinds[at].carry;
        }
    }
    return nullptr;
}

} // namespace pygpu
