// Binding callables to structs, and finding them again by what lies in memory.
#include "types/structs/callables.hpp"

#include "convert/memory.hpp"
#include "types/callbacks/callable.hpp"
#include "types/callbacks/capture.hpp"
#include "types/callbacks/registry.hpp"
#include "types/structs/pointers.hpp"

#include <algorithm>
#include <vector>

namespace pygpu {
namespace {

// The generator accepts callable fields only with the signature of a host function.
const void *trampoline() { return reinterpret_cast<const void *>(&call_with_data); }

Token token_at(const std::byte *at) { return reinterpret_cast<Token>(loaded_pointer(at)); }

bool is_refusal() {
    return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) ||
           PyErr_ExceptionMatches(PyExc_OverflowError);
}

// The two fields of a callable: its function and its user data. In memory these are a C function and a
// pointer, or the trampoline and a token, or a null function and user data that may wait for its Python
// callable. The function's field owns the Bound.
struct Fields {
    std::byte *function;
    std::byte *data;
    PointerOwners function_owners;
    PointerOwners data_owners;

    static Fields of_callable(const Field &field, std::byte *at, const PointerOwners &owners) {
        return {at, at + field.other, owners, owners.at(distance(field))};
    }
    static Fields of_user_data(const Field &field, std::byte *at, const PointerOwners &owners) {
        return {at + field.other, at, owners.at(distance(field)), owners};
    }

    bool is_python() const { return loaded_pointer(function) == trampoline(); }
    // Empty for a C function, and for a token that is no longer known.
    Reference bound() const {
        if (is_python()) return Reference(bound_to(token_at(data)));
        PyObject *owner = loaded_pointer(function) ? nullptr : function_owners.get();
        const Bound *waiting = owner ? as_bound(owner) : nullptr;
        return Reference::borrow(waiting && waiting->data ? owner : nullptr); // not when it was cleared
    }

    bool set_python(PyObject *callable, PyObject *user_data) const {
        const Reference bound(bind(callable, user_data));
        if (!bound || !data_owners.set(nullptr) || !function_owners.set(bound.get())) return false;
        store_pointer(function, trampoline());
        store_pointer(data, reinterpret_cast<const void *>(as_bound(bound.get())->token));
        return true;
    }
    // User data while there is no function.
    bool set_waiting(PyObject *user_data, const ArgumentContext &context) const {
        Memory memory;
        if (!memory.load(user_data, context, Access::address)) {
            if (!is_refusal()) return false;
            PyErr_Clear(); // C can't get it, but a Python callable can
            memory.set(0);
        }
        const bool plain = user_data == Py_None || (PyLong_CheckExact(user_data) && memory.pointer());
        const Reference bound(plain ? nullptr : bind(nullptr, user_data));
        if ((!plain && !bound) || !function_owners.set(bound.get())) return false;
        store_pointer(function, nullptr);
        store_pointer(data, memory.pointer());
        return data_owners.set(owner_of(user_data).get());
    }
    bool set_pointer(PyObject *user_data, const ArgumentContext &context) const {
        Memory memory;
        if (!memory.load(user_data, context, Access::address)) return false;
        store_pointer(data, memory.pointer());
        return data_owners.set(owner_of(user_data).get());
    }

private:
    // A negative distance wraps around, and adding it wraps back.
    static std::size_t distance(const Field &field) { return static_cast<std::size_t>(field.other); }
};

// A token in a struct, and the offset of its function's field.
struct TokenInStruct {
    Token token;
    std::size_t offset;
};

void find_callables(const StructClass &kind, std::size_t layout, const std::byte *data, std::size_t start,
                    std::vector<TokenInStruct> &tokens) {
    for (const Field &field : kind.layout(layout).fields) {
        const std::size_t offset = start + field.offset;
        if (field.role == Role::nested) {
            const StructClass &inner = kind.tables().structs[field.index];
            for (std::uint32_t item = 0; item < std::max(field.count, 1u); ++item)
                find_callables(inner, field.layout, data, offset + std::size_t{item} * field.size, tokens);
        } else if (field.role == Role::callable && loaded_pointer(data + offset) == trampoline()) {
            tokens.push_back({token_at(data + offset + field.other), offset});
        }
    }
}

} // namespace

bool write_callable(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                    const ArgumentContext &context) {
    const Fields fields = Fields::of_callable(field, at, owners);
    const Reference former = fields.bound();
    if (is_python_callable(value)) {
        Reference data = Reference::borrow(former ? as_bound(former.get())->data : fields.data_owners.get());
        void *number = fields.is_python() ? nullptr : loaded_pointer(fields.data);
        if (!data) {
            data =
                number ? Reference(to_python(static_cast<const void *>(number))) : Reference::borrow(Py_None);
        }
        return data && fields.set_python(value, data.get());
    }
    Memory memory;
    if (!load_c_function(value, context, memory)) return false;
    if (former) { // its user data may be any object, but C takes only an address
        PyObject *data = as_bound(former.get())->data;
        if (!memory.pointer()) return fields.set_waiting(data, context);
        if (!fields.set_pointer(data, context)) {
            if (!is_refusal()) return false;
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s: a C function gets an address as its user data, not %.80s",
                         context.text().c_str(), Py_TYPE(data)->tp_name);
            return false;
        }
    } else if (fields.is_python()) {
        store_pointer(fields.data, nullptr); // a token that is no longer known
    }
    store_pointer(at, memory.pointer());
    return owners.set(owner_of(value).get());
}

bool write_user_data(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                     const ArgumentContext &context) {
    const Fields fields = Fields::of_user_data(field, at, owners);
    const Reference bound = fields.bound();
    if (!loaded_pointer(fields.function)) return fields.set_waiting(value, context);
    return bound ? fields.set_python(as_bound(bound.get())->callable, value)
                 : fields.set_pointer(value, context);
}

PyObject *read_callable(const Field &field, const std::byte *at) {
    if (loaded_pointer(at) != trampoline()) return to_python(static_cast<const void *>(loaded_pointer(at)));
    const Reference bound(bound_to(token_at(at + field.other)));
    PyObject *callable = bound ? as_bound(bound.get())->callable : nullptr;
    return callable ? Py_NewRef(callable) : to_python(trampoline());
}

PyObject *read_user_data(const Field &field, std::byte *at, StructObject *root) {
    PyObject *nothing = nullptr;
    const PointerOwners owners = root
                                     ? PointerOwners{&root->owners, static_cast<std::size_t>(at - root->data)}
                                     : PointerOwners{&nothing};
    const Reference bound = Fields::of_user_data(field, at, owners).bound();
    return bound ? Py_NewRef(as_bound(bound.get())->data)
                 : to_python(static_cast<const void *>(loaded_pointer(at)));
}

bool keep_callables(StructObject *self) {
    std::vector<TokenInStruct> tokens;
    find_callables(*self->kind, self->layout, self->data, 0, tokens);
    for (const TokenInStruct &one : tokens) {
        const Reference bound(bound_to(one.token));
        if (bound && !owners_of(self).at(one.offset).set(bound.get())) return false;
    }
    return true;
}

void GraphOf::keep(StructClass &kind, const std::byte *data) const {
    std::vector<TokenInStruct> tokens;
    find_callables(kind, kind.current(), data, 0, tokens);
    if (tokens.empty()) return;
    Api &api = kind.tables().api;
    for (const TokenInStruct &one : tokens)
        hold(one.token); // never released, unless a graph takes the hold over
    void *graph = graph_ ? graph_ : graph_of_node(api, node_);
    for (const TokenInStruct &one : tokens) {
        if (graph) keep_by_graph(api, graph, one.token);
    }
}

} // namespace pygpu
