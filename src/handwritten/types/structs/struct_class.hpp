// A struct or union of an API, and the Python type that is made for it on first use.
#pragma once

#include "binding/function_record.hpp"
#include "types/structs/layout.hpp"

#include <Python.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pygpu {

struct Api;
class EnumClass;
class HandleClass;
class StructClass;

inline constexpr std::size_t least_struct_align = 16;

// What the fields of an API's structs refer to by index.
struct StructTables {
    const char *module; // "PyGPU.cuda"
    Api &api;
    std::span<EnumClass> enums;
    std::span<HandleClass> handles;
    std::span<StructClass> structs;
    FunctionRecord no_call{
        .api = api, .name = "", .texts = no_texts}; // takes the place of a function if no call is made
};

class StructClass {
public:
    enum class Members : bool { plain, overlaid };

    // `table` has the fields of the layouts. `home` is the module that has the class, if the class belongs to
    // another API.
    constexpr StructClass(const StructTables &tables, const char *name, const char *tag, Members kind,
                          const FieldTable &table, std::span<const Layout> layouts,
                          std::size_t align = least_struct_align, const char *home = nullptr)
        : tables_(tables), name_(name), tag_(tag), kind_(kind), table_(table), layouts_(layouts),
          current_(layouts.size() - 1), align_(align), home_(home) {}

    const StructTables &tables() const { return tables_; }
    const char *name() const { return name_; } // as Python shows it: the typedef's name
    const char *tag() const { return tag_; }   // as C has it
    bool is_foreign() const { return home_; }  // its objects belong to another module
    bool is_union() const { return kind_ == Members::overlaid; }
    // All layouts, with their sizes and releases but without their fields.
    std::span<const Layout> layouts() const { return layouts_; }
    // One layout with its fields.
    const Layout &layout(std::size_t index) const {
        const Layout *whole = whole_.load(std::memory_order_acquire);
        return (whole ? whole : with_fields())[index];
    }
    // The layout of the loaded release; the newest while no library is there.
    std::size_t current() const { return current_; }
    std::size_t size() const { return layouts_[current_].size; }
    std::size_t align() const { return align_; } // of its memory

    // The Python type, borrowed; nullptr with the exception set.
    PyTypeObject *type();

    // The field of this name in a layout; nullptr where there is none.
    const Field *field(std::size_t layout, std::string_view name) const;
    // "11.8 to 12.2, 13.2": the releases that have a field of this name; empty where none has.
    std::string releases_with(const char *name) const;
    // Raises `exception` for a name that is no field of this layout, naming the releases that have it;
    // `where` stands before the text.
    void refuse_field(PyObject *exception, const std::string &where, std::size_t layout,
                      const char *name) const;

    // Whether every field has a default, so that one value or a few may stand for all (dim3).
    bool is_short() const;

    // The layout of a release: its own, else that of the newest release before it, else the oldest.
    std::size_t layout_of(int release) const;
    void choose(int release);

private:
    PyTypeObject *make();
    const Layout *with_fields() const;
    void tell_size();

    const StructTables &tables_;
    const char *name_;
    const char *tag_;
    Members kind_;
    const FieldTable &table_;
    std::span<const Layout> layouts_;
    mutable std::atomic<const Layout *> whole_ = nullptr; // never freed
    std::size_t current_;
    std::size_t align_;
    const char *home_;
    PyTypeObject *type_ = nullptr;
};

// A field that belongs to no struct, with the layout and size that the loaded release has.
Field current_field(std::span<StructClass> structs, Field field);

// The generated files define it for every struct that is complete in C++.
template <class T> StructClass &struct_class();
// The size of the largest layout. The generated types override it if that is not the newest layout.
template <class T> inline constexpr std::size_t struct_capacity = sizeof(T);
// The alignment of malloc's memory, or a greater one that the header asks for.
template <class T> inline constexpr std::size_t struct_align = std::max(least_struct_align, alignof(T));

} // namespace pygpu
