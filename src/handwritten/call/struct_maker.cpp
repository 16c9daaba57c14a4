// Making a struct of a function's arguments.
#include "call/struct_maker.hpp"

#include "binding/argument_context.hpp"
#include "binding/arguments.hpp"
#include "binding/mode.hpp"
#include "call/outcome.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "types/structs/fill.hpp"
#include "types/structs/numbers.hpp"

#include <vector>

namespace pygpu {

PyObject *make_struct(const Maker &maker, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *keywords) {
    const std::size_t fields = positions(maker.kind.layout(maker.kind.current()));
    const std::size_t count = maker.fixed.empty() ? fields : 0;
    std::vector<PyObject *> slots(count);
    if (!arrange(maker.record, self, args, nargs, keywords, slots.data(), count)) return nullptr;
    const BindingMode &mode = mode_of(self);
    if (mode.since == BindingMode::never)
        return raise_absent(mode, maker.record, mode.api->statuses.not_supported);
    StructObject *value = new_struct(maker.kind, maker.kind.current());
    Reference owner(object(value));
    if (!owner) return nullptr;
    const Target target{maker.kind, value->layout, value->data, owners_of(value)};
    reset(target);
    std::size_t at = 0;
    for (const Field &field : value->shape().fields) {
        if (!field.positional) continue;
        if (!count)
            store_number(field, value->data + field.offset, static_cast<unsigned long long>(maker.fixed[at]));
        else if (!write_field(target, field, slots[at], ArgumentContext{maker.record, at, self}))
            return nullptr;
        ++at;
    }
    return owner.release();
}

} // namespace pygpu
