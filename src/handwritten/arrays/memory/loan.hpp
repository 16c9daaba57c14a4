// Memory that another library lent: it is given back by a call.
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
        } catch (...) { // CPython ends the thread by unwinding it, in the Python code that the call runs
            park_thread();
        }
    }

    explicit operator bool() const { return end_ != nullptr; }

private:
    void (*end_)(void *) = nullptr;
    void *what_ = nullptr;
};

} // namespace pygpu::arrays
