// Structs in memory that C lends, or that the caller has: which struct it is, a number says.
#pragma once

#include "binding/argument_context.hpp"
#include "types/by_enumerator/table.hpp"
#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// A copy of a struct in C's memory. Texts that its fields lead to are copied, too.
PyObject *lent_copy(StructClass &kind, const void *bytes);

// The same of the struct that the number stands for; the address if it stands for none, None for null.
PyObject *lent_to_python(const TypedTable &table, long long number, const void *lent);

// A record among others in one memory. C takes the address of one and gives that of the next; the number at
// its start says which struct it is. Python gets copies, each of which knows where its record was.
class RecordArgument {
public:
    bool load(PyObject *object, const ArgumentContext &context);
    // The memory must have the record of the call before. False with ValueError set.
    bool check_within(const void *begin, std::size_t size, const ArgumentContext &context);

    void *pointer() const { return pointer_; }
    const std::byte *end() const { return end_; } // of the memory; null where its size isn't known

private:
    void *pointer_ = nullptr;
    const std::byte *end_ = nullptr;
};

// A copy of the record at `found`: of `base` if nothing more is known, or if more would go beyond the memory.
PyObject *record_to_python(const TypedTable &table, StructClass &base, void *found, const std::byte *end);

} // namespace pygpu
