// Makes the docstring of the raising form from that of the plain form, so that the module holds only one of
// them.
#include "binding/checked_doc.hpp"

#include <string_view>

namespace pygpu {
namespace {

constexpr std::string_view opening = "Returns ", last = "error", closing = ".\n";

// "(a, b, error)": "(a, b)"; "(a, error)": "a"; "error": "None".
std::string values_of(std::string_view returned) {
    if (returned == last) return "None";
    const std::size_t end = returned.rfind(',');
    const std::string_view values = returned.substr(1, end - 1);
    const bool several = values.find(',') != values.npos;
    return several ? "(" + std::string(values) + ")" : std::string(values);
}

std::string told(std::string_view returned, Checked how) {
    switch (how) {
    case Checked::raise:
        return values_of(returned) + ", or raises GPUError";
    case Checked::ready:
        return "True, False for ErrorNotReady, or raises GPUError";
    case Checked::status:
        return std::string(returned) + ", which it never raises";
    case Checked::success:
        return std::string(returned) + " where it is a success, or raises GPUError";
    }
    return {};
}

} // namespace

std::string checked_doc(const FunctionRecord &record) {
    const std::string_view doc = record.doc;
    const std::size_t begin = doc.find(opening), end = doc.find(closing, begin);
    if (begin == doc.npos || end == doc.npos) return std::string(doc);
    const std::string_view returned = doc.substr(begin + opening.size(), end - begin - opening.size());
    if (returned != last && !returned.ends_with("error)")) return std::string(doc); // C gives no status
    return std::string(doc.substr(0, begin)) + std::string(opening) + told(returned, record.checked) +
           std::string(doc.substr(end));
}

} // namespace pygpu
