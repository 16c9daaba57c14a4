// Enumerators: IntEnum classes that are made when they are first used.
#pragma once

#include "binding/name.hpp"
#include "convert/scalars.hpp"

#include <Python.h>

#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace pygpu {

struct Api;

class EnumClass {
public:
    // `names` are all names of the API; those with this `index` are the enumerators. `home` is the module
    // that has the class, if the class belongs to another API. `large` values have 64 bits and no sign.
    constexpr EnumClass(Api &api, const char *name, std::span<const Name> names, unsigned short index,
                        const char *home = nullptr, bool large = false)
        : api_(api), name_(name), names_(names), index_(index), large_(large), home_(home) {}

    // The Python class, borrowed; nullptr with the exception set.
    PyObject *type();
    // The member with this value, or an int where no enumerator has it. A new reference.
    PyObject *member(long long value);

    const char *name() const { return name_; }

private:
    bool make();
    PyObject *number(long long value) const;
    PyObject *foreign_member(PyObject *number);
    std::vector<const Name *> enumerators() const; // in C's order
    std::string documented() const;
    std::vector<const Name *> current() const; // one for each name, those of the loaded release first

    Api &api_;
    const char *name_;
    std::span<const Name> names_;
    unsigned short index_;
    bool large_;
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
