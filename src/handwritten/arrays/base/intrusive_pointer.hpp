// A counted reference to an object that counts its own holders (`hold()`, `let_go()`).
#pragma once

#include <utility>

namespace pygpu::arrays {

template <class T> class Held {
public:
    Held() = default;
    explicit Held(T *taken) : object_(taken) {} // takes over one hold
    Held(const Held &other) : object_(other.object_) {
        if (object_) object_->hold();
    }
    Held(Held &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Held &operator=(Held other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Held() {
        if (object_) object_->let_go();
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
