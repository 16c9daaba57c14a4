// How messages name a value: the function, the parameter, the field.
#include "binding/argument_context.hpp"

#include "binding/mode.hpp"
#include "binding/signature.hpp"

namespace pygpu {

std::string FieldPath::text() const {
    std::string text = outer ? outer->text() : "";
    if (item >= 0) return text + "[" + std::to_string(item) + "]";
    if (!field) return text;
    return text.empty() ? field : text + "." + field;
}

const char *FieldPath::nearest_meaning() const {
    return meaning || !outer ? meaning : outer->nearest_meaning();
}

const char *ArgumentContext::function() const {
    const BindingMode &mode = mode_of(self);
    return mode.constructor ? mode.constructor : shown(mode, record).name;
}

std::string ArgumentContext::parameter() const {
    return std::string(parameter_name(shown(mode_of(self), record), index));
}

std::string ArgumentContext::text() const {
    if (!self) return path->text();
    const std::string argument = std::string(function()) + "(): parameter '" + parameter();
    const std::string inner = path ? path->text() : "";
    const char *meaning = path ? path->nearest_meaning() : nullptr;
    const std::string end = meaning ? std::string("' (") + meaning + ")" : "'";
    if (inner.empty() || inner[0] == '[') return argument + inner + end;
    return argument + end + ": field '" + inner + "'";
}

} // namespace pygpu
