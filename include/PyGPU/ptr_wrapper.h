// ptr_wrapper<T>: an address in host or device memory, the C++ form of PyGPU.pointer_wrapper_<dtype>.
//
// Include PyGPU/pybind11.h or PyGPU/nanobind.h and take it by value. The function then gets the address of a
// pointer_wrapper, a GPUArray, a DeviceArray or any other array that device_span<T> takes. The array must be
// compact and have the same dtype. A ptr_wrapper owns nothing, and the memory is valid during the call. A
// function that returns one gives Python a pointer_wrapper.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pygpu {

template <class T> class ptr_wrapper {
public:
    ptr_wrapper() = default;
    ptr_wrapper(T *pointer, bool is_safe = false) : pointer_(pointer), safe_(is_safe) {}

    T *get() const { return pointer_; }
    operator T *() const { return pointer_; }
    explicit operator std::uintptr_t() const { return reinterpret_cast<std::uintptr_t>(pointer_); }

    // Only for memory that the host may read.
    T &operator*() const { return *pointer_; }
    T *operator->() const { return pointer_; }

    // Whether it is known to be memory of the host.
    bool is_safe() const { return safe_; }

    // Allocates and frees host memory. Nothing else owns this memory.
    void create(std::size_t count) {
        pointer_ = new T[count];
        safe_ = true;
    }
    void destroy() {
        delete[] pointer_;
        pointer_ = nullptr;
        safe_ = false;
    }

private:
    T *pointer_ = nullptr;
    bool safe_ = false;
};

// A value of a type that a binding library would convert otherwise.
template <class T> struct obj_wrapper {
    T _obj;

    obj_wrapper(T object) : _obj(object) {}
    const T &operator*() const { return _obj; }
    T &operator*() { return _obj; }
};

} // namespace pygpu
