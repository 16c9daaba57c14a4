// Callables in structs. C sees a trampoline and a token, Python sees the callable and its user data.
//
// A struct owns its callables and shares them with its copies. C may call a callable as often as it likes,
// and long after the struct is gone. So a graph that takes the struct keeps its callables, too (see
// capture.hpp). If no such graph is known, they are never released. The same callable with the same data is
// kept once.
#pragma once

#include "binding/argument_context.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Each function writes one of the two fields, and changes the other if it must follow. `owners` is that of
// the field.
bool write_callable(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                    const ArgumentContext &context);
bool write_user_data(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                     const ArgumentContext &context);
// `root` is null for memory that keeps nothing.
PyObject *read_callable(const Field &field, const std::byte *at);
PyObject *read_user_data(const Field &field, std::byte *at, StructObject *root);

// Makes a struct that came from C keep its callables alive.
bool keep_callables(StructObject *self);

// Set by the generated types for structs that have callables, themselves or in a member.
template <class T> inline constexpr bool holds_callables = false;

// The graph, or the graph node, that a call puts a struct into.
class GraphOf {
public:
    template <Handle H> void set(const Converter<H> &argument) {
        (handle_class_of<H>().is_node() ? node_ : graph_) = argument.handle;
    }
    // Makes the graph keep the struct's callables. Without a graph they are never released.
    void keep(StructClass &kind, const std::byte *data) const;

private:
    void *graph_ = nullptr;
    void *node_ = nullptr;
};

} // namespace pygpu
