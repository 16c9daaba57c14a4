// Docstrings from the tables of fields.
#include "types/structs/struct_doc.hpp"

#include "runtime/releases_text.hpp"
#include "types/enums/enum_class.hpp"
#include "types/handles/handle_class.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/struct_class.hpp"

#include <string_view>
#include <vector>

namespace pygpu {
namespace {

const char *empty_value(const Field &field) {
    if (field.count && field.role != Role::bytes && field.role != Role::text) return "()";
    switch (field.role) {
    case Role::bytes:
        return "b''";
    case Role::text:
        return "''";
    case Role::nested:
        return "{}";
    case Role::handle:
    case Role::pointer:
    case Role::callable:
    case Role::user_data:
        return "None";
    default:
        return field.default_value ? nullptr : "0";
    }
}

// "int maxGridSize[3]"
std::string declared(const Field &field) {
    std::string type = field.type;
    const std::size_t bracket = type.find('[');
    const std::string bounds = bracket == std::string::npos ? "" : type.substr(bracket);
    type = type.substr(0, bracket);
    std::string text = type + (type.ends_with('*') ? "" : " ") + field.name + bounds;
    return field.bits ? text + " : " + std::to_string(field.bits) : text;
}

// What Python sees, where C's declaration doesn't say it.
std::string seen(const StructClass &kind, const Layout &shape, const Field &field) {
    const StructTables &tables = kind.tables();
    switch (field.role) {
    case Role::plain:
        break;
    case Role::enumeration:
        return std::string_view(field.type).starts_with(tables.enums[field.index].name())
                   ? ""
                   : tables.enums[field.index].name();
    case Role::handle:
        return std::string_view(field.type).starts_with(tables.handles[field.index].name())
                   ? ""
                   : tables.handles[field.index].name();
    case Role::pointer:
        if (field.item_role == Role::arguments)
            return "an address; takes a launch's arguments, too, and keeps them alive";
        if (field.item_role == Role::packed)
            return "an address; takes a buffer with all arguments as they lie in memory, too, and keeps it "
                   "alive";
        if (field.item_role == Role::code)
            return "an address; takes a kernel or function handle or a ctypes function, too";
        if (field.item_role == Role::freed)
            return "an address; takes what a pointer parameter takes, but no memory that PyGPU itself frees";
        if (field.counted_by < 0)
            return "an address; takes what a pointer parameter takes, and keeps it alive";
        return std::string(field.lent ? "a sequence that C lends, as long as "
                                      : "a sequence; setting it sets ") +
               shape.fields[static_cast<std::size_t>(field.counted_by)].name + "; int() is its address";
    case Role::nested:
        return "a view; takes a dict or a tuple, too";
    case Role::callable:
        return "a callable, the address of a C function or a ctypes function; a graph that takes it keeps it "
               "alive";
    case Role::user_data:
        return "any object for a callable, an address for a C function";
    case Role::bytes:
        return "bytes";
    case Role::text:
        return "str up to the NUL";
    default: // only behind a pointer
        break;
    }
    if (field.boolean) return "a bool will do";
    if (field.default_value) return shown_default(field) + " by default";
    return "";
}

// The releases that have a field; empty if all have it.
std::string limits(const StructClass &kind, const char *name) {
    for (std::size_t at = 0; at < kind.layouts().size(); ++at) {
        if (!kind.field(at, name)) return "only in " + kind.releases_with(name);
    }
    return "";
}

std::string notes(const StructClass &kind, std::size_t layout, const Field &field) {
    const std::string what = seen(kind, kind.layout(layout), field), when = limits(kind, field.name);
    return what.empty() || when.empty() ? what + when : what + "; " + when;
}

// Each field with a layout that has it: the current one, else the newest. The fields of the current layout
// come first, in C's order.
std::vector<std::pair<std::size_t, const Field *>> all_fields(const StructClass &kind) {
    std::vector<std::pair<std::size_t, const Field *>> fields;
    for (const Field &field : kind.layout(kind.current()).fields) fields.emplace_back(kind.current(), &field);
    for (std::size_t layout = kind.layouts().size(); layout-- > 0;) {
        for (const Field &field : kind.layout(layout).fields) {
            bool known = false;
            for (const auto &one : fields) known = known || std::string_view(one.second->name) == field.name;
            if (!known) fields.emplace_back(layout, &field);
        }
    }
    return fields;
}

std::string signature(const StructClass &kind) {
    if (std::string_view(kind.name()).find('.') != std::string_view::npos)
        return ""; // a struct inside a struct has no name of its own
    std::string placed, named;
    for (const Field &field : kind.layout(kind.current()).fields) {
        const char *value = empty_value(field);
        std::string &text = field.positional ? placed : named;
        text += (text.empty() ? "" : ", ") + std::string(field.name) + "=" +
                (value ? value : shown_default(field));
    }
    const std::string all = named.empty() ? placed : placed + ", *, " + named;
    return std::string(kind.name()) + "(" + all + ")\n--\n\n";
}

} // namespace

std::string struct_doc(const StructClass &kind) {
    std::string text =
        signature(kind) + (kind.is_union() ? "union " : "struct ") + kind.tag() + " of C, in releases " +
        releases_text(kind.tables().api, kind.layouts().front().since, kind.layouts().back().until) + ":\n\n";
    for (const auto &[layout, field] : all_fields(kind)) {
        const std::string said = notes(kind, layout, *field);
        text += "    " + declared(*field) + ";" + (said.empty() ? "" : "  // " + said) + "\n";
    }
    return text + "\nFields are attributes and keywords. Raises TypeError, OverflowError or ValueError for "
                  "what a field\n"
                  "can't hold, AttributeError for a field that the loaded release lacks.\n";
}

std::string field_doc(const StructClass &kind, std::size_t layout, const Field &field) {
    const std::string said = notes(kind, layout, field);
    return "C: " + declared(field) + (said.empty() ? "" : "; " + said);
}

} // namespace pygpu
