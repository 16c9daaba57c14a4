// Enumerators: IntEnum classes that are made when they are first used.
#pragma once

#include "convert/scalars.hpp"

#include <Python.h>

#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace pygpu {

struct Enumerator {
    const char *name;
    long long value;
    int since = 0; // the releases that give it this value: 1209 is 12.9
    int until = 9999;
};

struct Api;

class EnumClass {
public:
    // `home` is the module whose class it is, where that is another API's.
    constexpr EnumClass(Api &api, const char *name, std::span<const Enumerator> enumerators,
                        const char *home = nullptr)
        : api_(api), name_(name), enumerators_(enumerators), home_(home) {}

    // The Python class, borrowed; nullptr with the exception set.
    PyObject *type();
    // The member with this value, or an int where no enumerator has it. A new reference.
    PyObject *member(long long value);

    const char *name() const { return name_; }
    std::span<const Enumerator> enumerators() const { return enumerators_; }

private:
    bool make();
    PyObject *foreign_member(PyObject *number);
    std::string documented() const;
    std::vector<Enumerator> current() const; // one for each name, the loaded release's first

    Api &api_;
    const char *name_;
    std::span<const Enumerator> enumerators_;
    const char *home_;
    PyObject *type_ = nullptr;
    PyObject *members_ = nullptr; // int -> member
};

// Defined for every enum of an API by the generated files.
template <class Enum> EnumClass &enum_class();

template <class Enum>
    requires std::is_enum_v<Enum>
PyObject *to_python(Enum value) {
    return enum_class<Enum>().member(static_cast<long long>(value));
}

} // namespace pygpu
