// Composes docstrings from records. What is the same in all docstrings stands here.
// The texts are those of generated/<api>/<group>.cpp; the first line is from api_specs/<api>/summaries.toml.
#include "binding/docstring.hpp"

#include "binding/signature.hpp"
#include "binding/texts.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace pygpu {
namespace {

constexpr std::size_t width = 96;
constexpr std::string_view indent = "    ";

using Pieces = std::initializer_list<std::string_view>;

void append(std::string &text, Pieces pieces) {
    for (const std::string_view one : pieces) text.append(one);
}

std::size_t characters(std::string_view text) {
    std::size_t count = 0;
    for (const char one : text) count += (static_cast<unsigned char>(one) & 0xc0) != 0x80; // UTF-8
    return count;
}

// Adds text as lines that stay within the width; all but the first are indented.
void append_lines(std::string &text, Pieces pieces) {
    std::string whole;
    append(whole, pieces);
    std::string_view rest = whole;
    std::size_t used = 0;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        const std::size_t size = characters(word);
        const bool breaks = used && used + 1 + size > width;
        if (used) append(text, {breaks ? "\n" : " ", breaks ? indent : ""});
        used = (breaks ? indent.size() : used + (used != 0)) + size;
        text.append(word);
    }
    text += '\n';
}

std::string joined(const std::vector<std::string_view> &parts) {
    std::string text;
    for (const std::string_view one : parts) append(text, {text.empty() ? "" : ", ", one});
    return text;
}

std::string in_brackets(const std::vector<std::string_view> &parts) {
    std::string text = joined(parts);
    return parts.size() == 1 ? text : text.insert(0, 1, '(').append(1, ')');
}

// A phrase with a text in each of its holes.
template <class Next> std::string filled(std::string_view phrase, Next next) {
    std::string text;
    for (std::size_t hole = phrase.find("{}"); hole != phrase.npos; hole = phrase.find("{}")) {
        append(text, {phrase.substr(0, hole), next()});
        phrase.remove_prefix(hole + 2);
    }
    return text.append(phrase);
}

// Reads the description of one parameter or result.
std::string description(const Api &api, Texts &texts) {
    std::string text;
    for (std::string_view name = texts.next(); !name.empty(); name = texts.next())
        text.append(filled(phrase_named(api, name), [&] { return texts.next(); }));
    return text;
}

// What a call returns: the results and the status, or what the raising form makes of them.
std::string returned(const FunctionRecord &record, std::vector<std::string_view> results, bool raising) {
    if (!raising || record.checked == Checked::status || record.checked == Checked::success)
        results.push_back("error");
    std::string text = results.empty() ? "None" : in_brackets(results);
    if (!raising) return text;
    switch (record.checked) {
    case Checked::raise:
        return text.append(", or raises GPUError");
    case Checked::ready:
        return "True, False for ErrorNotReady, or raises GPUError";
    case Checked::status:
        return text.append(", which it never raises");
    case Checked::success:
        return text.append(" where it is a success, or raises GPUError");
    }
    return text;
}

} // namespace

std::string_view phrase_named(const Api &api, std::string_view name) {
    Texts phrases(api.phrases);
    for (std::string_view one = phrases.next(); !one.empty(); one = phrases.next()) {
        const std::string_view phrase = phrases.next();
        if (one == name) return phrase;
    }
    return {};
}

std::string docstring(const FunctionRecord &record, bool raising) {
    Texts texts(record.texts);
    const std::vector<std::string_view> names = texts.list(), results = texts.list();
    for (std::size_t at = 0; at < record.fallbacks.size(); ++at) texts.next();
    const std::string_view summary = texts.next(), bare = texts.next(), prototype = texts.next();
    const std::string_view releases = texts.next(), listed = texts.next();
    const auto if_fact = [&](unsigned fact, std::string_view text) {
        return record.facts & fact ? text : "";
    };

    std::string text = signature(record);
    append(text, {"\n--\n\n", summary, summary.empty() ? "" : "\n"});
    if (bare.empty())
        append_lines(text, {"Returns ", returned(record, results, raising), "."});
    else
        append_lines(text, {"Returns ", bare, "; C gives no status."});
    std::vector<std::string_view> alike; // neighbours with the same description stand together
    std::string what;
    const auto append_alike = [&] {
        if (!alike.empty()) append_lines(text, {joined(alike), ": ", what});
        alike.clear();
    };
    for (const std::string_view name : names) {
        std::string next = description(record.api, texts);
        if (next != what) append_alike();
        what = std::move(next);
        alike.push_back(name);
    }
    append_alike();
    for (const std::string_view name : results)
        append_lines(text, {"-> ", name, ": ", description(record.api, texts)});
    append(text, {if_fact(Fact::queues,
                          "Only queues the work: keep the memory alive until the stream has done it.\n")});
    append_lines(text, {"C: ", filled(prototype, [&] { return std::string_view(record.name); })});
    append_lines(text, {"Releases: ", releases, if_fact(Fact::deprecated, " Deprecated."),
                        record.gil == Gil::keep ? " Keeps the GIL." : ""});
    append_lines(text,
                 {listed.empty() ? "" : "Errors: ", listed, listed.empty() ? "" : " as the header lists. ",
                  "Raises TypeError", if_fact(Fact::overflow_error, ", OverflowError"),
                  if_fact(Fact::value_error, ", ValueError"), if_fact(Fact::memory_error, ", MemoryError"),
                  " for arguments."});
    return text;
}

} // namespace pygpu
