// Types come from a record's texts: the first phrase of each description, and what fills its first hole.
#include "trace/describe.hpp"

#include "binding/docstring.hpp"
#include "binding/function_record.hpp"
#include "binding/texts.hpp"
#include "runtime/api.hpp"

#include <string_view>

namespace pygpu::trace {
namespace {

void add(std::string &texts, std::string_view text) { texts.append(text) += '\0'; }

int holes(const Api &api, std::string_view name) {
    int count = 0;
    const std::string_view phrase = phrase_named(api, name);
    for (std::size_t at = phrase.find("{}"); at != phrase.npos; at = phrase.find("{}", at + 2)) ++count;
    return count;
}

// "enum cudaMemcpyKind", "int"
std::string type_in(const Api &api, Texts &texts) {
    std::string type;
    bool first = true;
    for (std::string_view name = texts.next(); !name.empty(); name = texts.next()) {
        if (first) type = name;
        for (int left = holes(api, name); left > 0; --left) {
            const std::string_view filling = texts.next();
            if (first) type.append(" ").append(filling);
            first = false;
        }
        first = false;
    }
    return type;
}

} // namespace

std::string described(const FunctionRecord &function) {
    Texts texts(function.texts);
    const auto names = texts.list(), results = texts.list();
    constexpr std::size_t between = 5; // the summary, and what follows it up to the list of errors
    for (std::size_t at = 0; at < function.fallbacks.size() + between; ++at) texts.next();
    std::string described;
    for (const char *one : {function.api.name, function.name, ""}) add(described, one);
    for (const auto &list : {names, results}) {
        for (const std::string_view name : list) {
            add(described, name);
            add(described, type_in(function.api, texts));
        }
        add(described, "");
    }
    return described;
}

std::string described(const OwnCall &call) {
    std::string described;
    const auto add_prefixed = [&](std::string_view text) {
        const bool prefixed = text.starts_with('@') || text.find(" @") != text.npos;
        std::string whole(text);
        if (prefixed) whole.replace(whole.find('@'), 1, call.api);
        add(described, whole);
    };
    add(described, call.api);
    add_prefixed(call.name);
    add(described, "own");
    Texts texts(call.parameters);
    const auto names_and_types = texts.list();
    for (const bool results : {false, true}) {
        for (std::size_t at = 0; at + 1 < names_and_types.size(); at += 2) {
            if ((names_and_types[at + 1] == "out") != results) continue;
            add(described, names_and_types[at]);
            add_prefixed(results ? "address" : names_and_types[at + 1]);
        }
        add(described, "");
    }
    return described;
}

} // namespace pygpu::trace
