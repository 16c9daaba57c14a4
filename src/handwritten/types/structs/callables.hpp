// Callables in structs: C finds a trampoline and a token, Python the callable and its user data.
//
// What is set is owned by the struct, and shared by its copies. C may call as often as it likes and long
// after the struct is gone, so a graph that takes the struct keeps it, too (see capture.hpp); where no graph
// is known that would, it is kept for ever. The same callable with the same data is kept once.
#pragma once

#include "types/handles/handle_class.hpp"
#include "types/structs/fields.hpp"

#include <Python.h>

#include <cstddef>
#include <string_view>

namespace pygpu {

// One field each, with the field beside it as far as that must follow. `owners` is of the field.
bool write_callable(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                    const ArgumentContext &context);
bool write_user_data(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                     const ArgumentContext &context);
// `root` is null for memory that keeps nothing.
PyObject *read_callable(const Field &field, const std::byte *at);
PyObject *read_user_data(const Field &field, std::byte *at, StructObject *root);

// A struct that came from C keeps the callables that it shows.
bool keep_callables(StructObject *self);

// Set by the generated types for structs with such fields, their own or a member's.
template <class T> inline constexpr bool holds_callables = false;

// The graph, or the node of one, that a call puts a struct into.
class GraphOf {
public:
    template <Handle H> void set(const Converter<H> &given) {
        const bool is_node = std::string_view(handle_class_of<H>().name()).ends_with("Node_t");
        (is_node ? node_ : graph_) = given.handle;
    }
    // Makes it keep the callables of the struct; for ever where there is no graph to do so.
    void keep(StructClass &kind, const std::byte *data) const;

private:
    void *graph_ = nullptr;
    void *node_ = nullptr;
};

} // namespace pygpu
