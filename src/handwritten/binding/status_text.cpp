// The words in the names of statuses.
#include "binding/status_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>

namespace pygpu {
namespace {

// "NVRTC_ERROR_INVALID_INPUT" becomes "invalid input", "Z_BUF_ERROR" becomes "buf error". Empty for a name
// that isn't in capitals.
std::string words_of_capitals(std::string_view name) {
    const std::size_t error = name.find("ERROR_");
    if (error != name.npos)
        name.remove_prefix(error + 6);
    else if (name.ends_with("SUCCESS"))
        name.remove_prefix(name.size() - 7);
    else if (std::ranges::none_of(name, [](char one) { return one >= 'a' && one <= 'z'; }))
        name.remove_prefix(name.find('_') + 1); // without an underscore, the name stays whole
    else
        return "";
    std::string words(name);
    for (char &one : words)
        one = one == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(one)));
    return words;
}

} // namespace

void describe(const char *name, char *text, std::size_t size) {
    std::string words = words_of_capitals(name);
    const char *rest = std::strstr(name, "Error");
    rest = rest ? rest + 5 : name;
    if (!*rest || !std::strcmp(name + std::strcspn(name, "S"), "Success")) rest = "success";
    if (!words.empty()) rest = "";
    for (const char *at = rest; *at; ++at) {
        const bool upper = std::isupper(static_cast<unsigned char>(*at));
        const bool after_lower = at != rest && std::islower(static_cast<unsigned char>(at[-1]));
        const bool before_lower = at != rest && upper && std::islower(static_cast<unsigned char>(at[1]));
        if (upper && (after_lower || before_lower)) words += ' ';
        const bool acronym = upper && (std::isupper(static_cast<unsigned char>(at[1])) ||
                                       (at != rest && std::isupper(static_cast<unsigned char>(at[-1]))));
        words +=
            acronym && !before_lower ? *at : static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
    }
    std::strncpy(text, words.c_str(), size - 1);
    text[size - 1] = '\0';
}

const char *error_name(const StatusType &errors, int code) {
    const char *name = errors.code_name(code);
    return name ? name : "unrecognized error code";
}

const char *error_text(const StatusType &errors, int code) {
    const char *name = errors.code_name(code);
    if (!name) return "unrecognized error code";
    thread_local char text[128]; // handed out as the vendors do: valid until the thread's next call
    describe(name, text, sizeof text);
    return text;
}

} // namespace pygpu
