// Pointers to memory, host or device: what a `void *` parameter takes.
//
// Accepted are int (anything with __index__), None, PyGPU's arrays and pointers, objects with
// __cuda_array_interface__, contiguous buffers (writable where C writes), ctypes pointers and functions. The
// wrapper's parameter type says what C does with the memory.
#pragma once

#include "convert/c_types.hpp"
#include "convert/converter.hpp"
#include "convert/element.hpp"
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
struct Address : AnyPointer {};  // C only uses the address
struct Freed : AnyPointer {};    // C frees it
// The same where C says what lies there.
template <class T> struct ReadableOf : Readable {};
template <class T> struct WritableOf : Writable {};
template <class T> struct AddressOf : Address {};

// What C does with the memory. `location`: C uses only the address and does not touch the memory. Bytes and
// numpy scalars are then refused, because they have no stable address.
enum class Access : std::uint8_t { location, address, read, write };

// Whether an object is a number. numpy arrays and torch tensors define __index__, too, but they have items
// and must not be read as a number.
bool is_number(PyObject *object);
// Whether int() of an object may be an address. A float would be cut, and a bool or a status is no address.
bool has_int(PyObject *object);
// An int or a ctypes pointer. Where a sequence is accepted, it stands for the address of a C array.
bool is_address(PyObject *object);
// Whether an object is itself a `void **` or `const void *const *`: an address, or a ctypes array of
// pointers.
bool leads_to_pointers(PyObject *object);

// No memory lies in the first page. So a smaller number is no address, other than null.
inline constexpr std::uintptr_t first_page_end = 4096;

// For an address behind which memory is read or written at once. A small number was meant for another
// parameter. False with ValueError set; true for null.
bool may_be_led_to(const void *pointer, const ArgumentContext &context);

// A pointer taken from a Python object, with the buffer it pins.
class Memory {
public:
    Memory() { pinned_.obj = nullptr; } // the rest is only read after it is written, so it isn't cleared
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

    // What lies behind the pointer, as far as the object, which was loaded, says it.
    Element element(PyObject *object) const;
    // Whether that is what C takes. False with TypeError set.
    bool holds(Element wanted, PyObject *object, const ArgumentContext &context) const {
        if (fits(wanted, element(object))) return true;
        return wrong_element(wanted, element(object), context);
    }

    // The stream that a __cuda_array_interface__ names, or null. Work that uses the memory has to come after
    // the work on that stream.
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
    Element element_; // of all but buffers, whose format is read when it is asked for
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

template <class T, class Item, Access access> struct ElementConverter : MemoryConverter<T, access> {
    bool load(PyObject *object, const ArgumentContext &context) {
        return MemoryConverter<T, access>::load(object, context) &&
               this->memory.holds(element_of<Item>(), object, context);
    }
    T value() const { return {{{this->memory.pointer()}}}; }
};

template <> struct Converter<Readable> : MemoryConverter<Readable, Access::read> {};
template <> struct Converter<Image> : MemoryConverter<Image, Access::read> {};
template <> struct Converter<Writable> : MemoryConverter<Writable, Access::write> {};
template <> struct Converter<Address> : MemoryConverter<Address, Access::location> {};
template <class T> struct Converter<ReadableOf<T>> : ElementConverter<ReadableOf<T>, T, Access::read> {};
template <class T> struct Converter<WritableOf<T>> : ElementConverter<WritableOf<T>, T, Access::write> {};
template <class T> struct Converter<AddressOf<T>> : ElementConverter<AddressOf<T>, T, Access::location> {};

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

template <class Result, class... Arguments> PyObject *to_python(Result (*function)(Arguments...)) {
    return to_python(reinterpret_cast<const void *>(function));
}

} // namespace pygpu
