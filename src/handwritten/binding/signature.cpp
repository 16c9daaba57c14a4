// Walking over the names in a signature.
#include "binding/signature.hpp"

#include <algorithm>

namespace pygpu {
namespace {

// Gives the names from left to right, without their defaults and without the star before keyword-only names.
class Names {
public:
    explicit Names(std::string_view signature)
        : rest_(signature.substr(std::min(signature.find('(') + 1, signature.size()))) {}

    // The next name; empty behind the last.
    std::string_view next() {
        const std::size_t end = std::min(rest_.find_first_of(",)"), rest_.size());
        const std::string_view one = rest_.substr(0, end);
        rest_.remove_prefix(std::min(rest_.find_first_not_of(", )", end), rest_.size()));
        return one == "*" ? next() : one.substr(0, one.find('='));
    }

private:
    std::string_view rest_;
};

} // namespace

std::string_view signature(const FunctionRecord &record) {
    const std::string_view doc = record.doc;
    return doc.substr(0, doc.find('\n'));
}

std::string_view parameter_name(const FunctionRecord &record, std::size_t index) {
    Names names(signature(record));
    std::string_view name = names.next();
    for (; index; --index) name = names.next();
    return name;
}

std::size_t parameter_index(const FunctionRecord &record, std::string_view name) {
    Names names(signature(record));
    std::size_t index = 0;
    for (std::string_view one = names.next(); !one.empty(); one = names.next()) {
        if (one == name) return index;
        ++index;
    }
    return no_parameter;
}

} // namespace pygpu
