// The line of Python that a call comes from.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <string>

namespace pygpu::trace {

struct Place {
    std::string file, function;
    int line;
};

// The instructions that a thread has called from lately. Computing a line walks over all lines of a function,
// so it is done once for each instruction.
class Places {
public:
    ~Places();

    // The number of the innermost line outside of this package; 0 for none. With the GIL. `define` is called
    // for a line that has no number in this recording yet, and gives it one.
    template <class Define> std::uint32_t current(unsigned recording, Define define) {
        return find(
            recording, [](void *how, const Place &place) { return (*static_cast<Define *>(how))(place); },
            &define);
    }

private:
    using Number = std::uint32_t(void *how, const Place &place);
    std::uint32_t find(unsigned recording, Number *number, void *how);

    struct Known {
        PyCodeObject *code = nullptr; // owned: another code object at its address would be taken for it
        int instruction = 0;
        unsigned recording = 0;
        std::uint32_t number = 0;
        bool inside = false; // of this package: the line is that of a caller
    };
    static constexpr std::size_t size = 512;
    std::array<Known, size> known_{};
};

// The innermost line outside of this package; without a file if there is none. With the GIL.
Place current_place();

// Files below this folder are the package's. With the GIL.
void set_package_folder(std::string folder);

} // namespace pygpu::trace
