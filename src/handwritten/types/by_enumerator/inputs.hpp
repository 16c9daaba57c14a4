// Values that C reads. An enumerator decides the type of a value; an array has one enumerator for each value.
#pragma once

#include "convert/converter.hpp"
#include "convert/memory.hpp"
#include "convert/sequences.hpp"
#include "python/reference.hpp"
#include "types/by_enumerator/table.hpp"

#include <Python.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace pygpu {

// Accepts what the type accepts (a number, an enumerator, a handle, a pointer, a struct, a dict), a ctypes or
// numpy scalar of the type's size, or a ctypes pointer to the value. For an unknown enumerator it accepts a
// buffer or an address.
class TypedInput {
public:
    TypedInput() = default;
    TypedInput(const TypedInput &) = delete;
    TypedInput &operator=(const TypedInput &) = delete;
    ~TypedInput() { release_object(owners_); }

    bool load(const TypedTable &table, long long by, PyObject *object, const ArgumentContext &context);

    // What C gets: a pointer to the value, or the value itself.
    void *pointer() const { return pointer_; }
    const TypedCase *known() const { return one_; }
    std::size_t size() const { return size_; }                 // of the value in bytes; 0 if it isn't known
    std::size_t buffer_size() const { return memory_.size(); } // of a buffer that C fills
    unsigned long long number() const;                         // a value that is stored in the pointer itself
    // Copies the value that C wrote back into the caller's ctypes scalar.
    void write_back(const void *answer, PyObject *object) const;

private:
    bool load_unknown(const TypedTable &table, PyObject *object, const ArgumentContext &context);
    bool load_whole(const TypedTable &table, PyObject *object);
    bool load_value(const TypedTable &table, const Field &field, PyObject *object,
                    const ArgumentContext &context);

    const TypedCase *one_ = nullptr;
    void *pointer_ = nullptr;
    std::size_t size_ = 0;
    std::vector<std::byte> bytes_;
    PyObject *owners_ = nullptr; // keep alive what the pointers of a struct point to
    Memory memory_;
};

template <const TypedTable &table> struct TypedIn : AnyPointer {
    std::size_t bytes = 0;
};

template <const TypedTable &table> struct Converter<TypedIn<table>> {
    TypedInput input;
    PyObject *object = Py_None;

    bool load(PyObject *value, const ArgumentContext &) {
        object = value;
        return true;
    }
    TypedIn<table> value() const { return {{input.pointer()}, input.size()}; }

    template <class Enum> bool check_with(const Converter<Enum> &by, const ArgumentContext &context) {
        return input.load(table, static_cast<long long>(by.value()), object, context);
    }
};

// The values of an array of options: `void **`.
class TypedInputs {
public:
    bool load(PyObject *object, const ArgumentContext &context);
    bool check_with(const TypedTable &table, const std::vector<long long> &options, bool counted,
                    const ArgumentContext &context);
    void answered() const; // called once C has written its values back

    void **pointers() const { return counted_ ? const_cast<void **>(pointers_.data()) : given_; }
    std::size_t size() const;

private:
    bool check_buffers(const std::vector<long long> &options, const ArgumentContext &context) const;

    Reference values_;
    std::vector<std::unique_ptr<TypedInput>> inputs_;
    std::vector<void *> pointers_;
    void **given_ = nullptr;
    bool counted_ = false;
    Memory memory_;
};

template <const TypedTable &table> struct TypedIns {
    void **data;
    operator void **() const { return data; }
};

template <const TypedTable &table> struct Converter<TypedIns<table>> {
    TypedInputs inputs;

    bool load(PyObject *object, const ArgumentContext &context) { return inputs.load(object, context); }
    TypedIns<table> value() const { return {inputs.pointers()}; }
    std::size_t size() const { return inputs.size(); }

    template <class Enum> bool check_with(const Converter<Array<Enum>> &by, const ArgumentContext &context) {
        std::vector<long long> options;
        options.reserve(by.all().size());
        for (Enum one : by.all()) options.push_back(static_cast<long long>(one));
        return inputs.check_with(table, options, by.items != nullptr, context);
    }
    void answered() const { inputs.answered(); }
};

} // namespace pygpu
