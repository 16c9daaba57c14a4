// Pointers to memory, host or device: what a `void *` parameter takes.
//
// Accepted are int (anything with __index__), None, PyGPU's arrays and pointers, objects with
// __cuda_array_interface__, contiguous buffers (writable where C writes), ctypes pointers and functions. The
// wrapper's parameter type says what C does with the memory.
#pragma once

#include "convert/c_types.hpp"
#include "convert/converter.hpp"
#include "convert/pointer_provider.hpp"
#include "python/reference.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pygpu {

// Converts to whatever pointer type C declares.
struct AnyPointer {
    void *data;
    template <class T> operator T *() const { return reinterpret_cast<T *>(data); }
};

struct Readable : AnyPointer {}; // C reads the memory
struct Writable : AnyPointer {}; // C writes it
struct Image : AnyPointer {};    // C reads code up to a NUL or by its own header
struct Address : AnyPointer {};  // C only uses where it points
struct Freed : AnyPointer {};    // C frees it

// What C does with it. `location` uses the number only, C does not touch the memory; bytes and numpy scalars
// are refused because they have no stable address.
enum class Access : std::uint8_t { location, address, read, write };

// Numbers have no items; numpy arrays and torch tensors define __index__ too, and must not be read as one.
bool is_number(PyObject *object);
// Whether int() of an object may be an address: not that of a float, which would be cut, of a bool or an
// error.
bool has_int(PyObject *object);
// An int or a ctypes pointer: what stands for the address of a C array where a sequence would do, too.
bool is_address(PyObject *object);
// Where a `void **` or `const void *const *` stands for itself: an address, a ctypes array of pointers.
bool leads_to_pointers(PyObject *object);

// For what C reads or writes itself, at once, behind an address: none lies in the first page, so that a small
// number was meant for another parameter. False with ValueError set; true for null.
bool may_be_led_to(const void *pointer, const ArgumentContext &context);

// A pointer taken from a Python object, with the buffer it pins.
class Memory {
public:
    Memory() { pinned_.obj = nullptr; } // the rest is written with it: calls needn't clear so many bytes
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory() {
        if (pinned_.obj || producer_) end();
    }

    bool load(PyObject *object, const ArgumentContext &context, Access access);
    void set(std::uintptr_t pointer) { pointer_ = reinterpret_cast<void *>(pointer); }
    void *pointer() const { return pointer_; }

    // The bytes behind the pointer, where the object has a size; unknown for plain addresses.
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);
    std::size_t size() const { return size_; }

    // The stream that a __cuda_array_interface__ names, which what uses the memory has to come after; or
    // null.
    Reference take_producer() { return Reference(std::exchange(producer_, nullptr)); }

private:
    void end();
    bool read(PyObject *object, const ArgumentContext &context, Access access);
    bool load_provided(const ProvidedPointer &provided, PyObject *object, const ArgumentContext &context,
                       Access access);
    bool load_buffer(PyObject *object, const ArgumentContext &context, Access access);
    bool load_cuda_array(PyObject *object, PyObject *interface, const ArgumentContext &context,
                         Access access);

    void *pointer_ = nullptr;
    std::size_t size_ = unknown;
    Py_buffer pinned_;
    PyObject *producer_ = nullptr; // owned
};

template <class T, Access access> struct MemoryConverter {
    Memory memory;

    bool load(PyObject *object, const ArgumentContext &context) {
        return memory.load(object, context, access);
    }
    void fallback(long long value) { memory.set(static_cast<std::uintptr_t>(value)); }
    T value() const { return {{memory.pointer()}}; }
    std::size_t size() const { return memory.size(); }
};

template <> struct Converter<Readable> : MemoryConverter<Readable, Access::read> {};
template <> struct Converter<Image> : MemoryConverter<Image, Access::read> {};
template <> struct Converter<Writable> : MemoryConverter<Writable, Access::write> {};
template <> struct Converter<Address> : MemoryConverter<Address, Access::location> {};

// False, with TypeError set, for memory that PyGPU itself frees when its last user goes.
bool may_be_freed(PyObject *object, const ArgumentContext &context);

template <> struct Converter<Freed> : MemoryConverter<Freed, Access::location> {
    bool load(PyObject *object, const ArgumentContext &context) {
        return may_be_freed(object, context) && memory.load(object, context, Access::location);
    }
};

// A pointer that C hands out is an int in Python.
inline PyObject *to_python(const void *pointer) {
    return PyLong_FromUnsignedLongLong(reinterpret_cast<std::uintptr_t>(pointer));
}

} // namespace pygpu
