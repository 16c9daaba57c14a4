// Memory that another library has lent. A call gives it back.
#pragma once

#include "python/exception_aside.hpp"
#include "python/exit.hpp"

#include <Python.h>

#include <utility>

namespace pygpu::arrays {

class Loan {
public:
    Loan() = default;
    Loan(void (*end)(void *), void *what) : end_(end), what_(what) {}
    Loan(Loan &&other) noexcept : end_(std::exchange(other.end_, nullptr)), what_(other.what_) {}
    Loan &operator=(Loan &&other) noexcept {
        std::swap(end_, other.end_);
        std::swap(what_, other.what_);
        return *this;
    }
    Loan(const Loan &) = delete;
    Loan &operator=(const Loan &) = delete;

    // With the GIL: the call may run Python code.
    ~Loan() {
        if (!end_) return;
        park_if_overtaken();
        const ExceptionAside aside;
        try {
            end_(what_);
        } catch (...) { // CPython ends the thread in the call's Python code, by unwinding its stack
            park_thread();
        }
    }

    explicit operator bool() const { return end_ != nullptr; }

private:
    void (*end_)(void *) = nullptr;
    void *what_ = nullptr;
};

} // namespace pygpu::arrays
