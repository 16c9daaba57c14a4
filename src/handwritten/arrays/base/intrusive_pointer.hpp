// A counted reference to an object that counts its own holders (`retain()`, `release()`).
#pragma once

#include <utility>

namespace pygpu::arrays {

template <class T> class Retained {
public:
    Retained() = default;
    explicit Retained(T *taken) : object_(taken) {} // takes over one reference
    Retained(const Retained &other) : object_(other.object_) {
        if (object_) object_->retain();
    }
    Retained(Retained &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Retained &operator=(Retained other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Retained() {
        if (object_) object_->release();
    }

    T *get() const { return object_; }
    T *operator->() const { return object_; }
    T &operator*() const { return *object_; }
    T *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    T *object_ = nullptr;
};

} // namespace pygpu::arrays
