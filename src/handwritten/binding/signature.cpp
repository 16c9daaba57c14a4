// Walking over the names of parameters.
#include "binding/signature.hpp"

#include "binding/texts.hpp"

namespace pygpu {

std::string signature(const FunctionRecord &record) {
    Texts texts(record.texts);
    const std::vector<std::string_view> names = texts.list();
    texts.list(); // the results
    std::string text = std::string(record.name) + "(";
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (at) text += ", ";
        if (at == record.positional) text += "*, ";
        text += names[at];
        if (at + record.fallbacks.size() >= names.size()) text.append("=").append(texts.next());
    }
    return text + ")";
}

std::string_view parameter_name(const FunctionRecord &record, std::size_t index) {
    Texts names(record.texts);
    std::string_view name = names.next();
    for (; index && !name.empty(); --index) name = names.next();
    return name;
}

std::size_t parameter_index(const FunctionRecord &record, std::string_view name) {
    Texts names(record.texts);
    std::size_t index = 0;
    for (std::string_view one = names.next(); !one.empty(); one = names.next()) {
        if (one == name) return index;
        ++index;
    }
    return no_parameter;
}

} // namespace pygpu
