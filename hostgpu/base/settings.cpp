// Reading the environment.
#include "base/settings.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace pygpu::host {
namespace {

// False unless all of the text is digits of a number.
bool parse_number(std::string_view text, int &number) {
    if (text.starts_with('-')) return false; // 0 has no other sign
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

// "1.5GiB", "512M", "4096": a number of bytes; 0 for anything else. Only a unit has fractions.
std::size_t parse_size(std::string_view text) {
    const char *const all = text.data() + text.size();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), all, number, std::chars_format::fixed);
    if (error != std::errc{}) return 0;
    std::string_view unit(end, static_cast<std::size_t>(all - end));
    if (unit.starts_with(' ')) unit.remove_prefix(1);
    constexpr std::string_view units = "KMGT";
    if (const std::size_t power = unit.empty() ? units.npos : units.find(unit[0] & ~0x20);
        power != units.npos) {
        number = std::ldexp(number, 10 * (static_cast<int>(power) + 1));
        unit.remove_prefix(unit.size() > 1 && unit[1] == 'i' ? 2 : 1);
    } else if (number != std::floor(number)) {
        return 0;
    }
    const bool understood = unit.empty() || unit == "B" || unit == "b";
    return understood && number >= 1 && number < static_cast<double>(PTRDIFF_MAX)
               ? static_cast<std::size_t>(number)
               : 0;
}

bool is_on(const char *name) {
    const char *text = std::getenv(name);
    if (!text || !*text || !std::strcmp(text, "0")) return false;
    const bool on = !std::strcmp(text, "1");
    if (!on) ignore_setting(name, text, "0 or 1");
    return on;
}

// 0: off, 1: on, 2: what is found is an error.
int check() {
    const char *text = std::getenv("PYGPU_HOST_CHECK");
    if (!text || !*text || !std::strcmp(text, "0")) return 0;
    if (!std::strcmp(text, "1")) return 1;
    if (!std::strcmp(text, "error")) return 2;
    ignore_setting("PYGPU_HOST_CHECK", text, "0, 1 or error");
    return 0;
}

int devices_wanted() {
    const char *text = std::getenv("PYGPU_HOST_DEVICES");
    if (!text || !*text) return 1;
    int count = 0;
    if (parse_number(text, count) && count >= 0 && count <= 64) return count;
    ignore_setting("PYGPU_HOST_DEVICES", text, "a number from 0 to 64");
    return 1;
}

std::size_t half_of_the_machine() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    const std::size_t all = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * page : 0;
    return all ? all / 2 : std::size_t{4} << 30;
}

const Profile &profile() {
    const char *text = std::getenv("PYGPU_HOST_PROFILE");
    if (!text || !*text) return plain_profile();
    if (const Profile *one = find_profile(text)) return *one;
    ignore_setting("PYGPU_HOST_PROFILE", text, ("one of " + std::string(profile_keys())).c_str());
    return plain_profile();
}

std::size_t memory(const Profile &profile) {
    const std::size_t usual = profile.memory ? profile.memory : half_of_the_machine();
    const char *text = std::getenv("PYGPU_HOST_MEMORY");
    if (!text || !*text) return usual;
    if (const std::size_t size = parse_size(text)) return size;
    ignore_setting("PYGPU_HOST_MEMORY", text, "a number of bytes, as 4096, 512MiB or 1.5G");
    return usual;
}

int timeout() {
    const char *text = std::getenv("PYGPU_HOST_TIMEOUT");
    if (!text || !*text) return 0;
    int seconds = 0;
    if (parse_number(text, seconds) && seconds >= 0) return seconds;
    ignore_setting("PYGPU_HOST_TIMEOUT", text, "a number of seconds");
    return 0;
}

// "9.0"
void capability(int &major, int &minor) {
    const char *text = std::getenv("PYGPU_HOST_CAPABILITY");
    if (!text || !*text) return;
    const std::string_view all(text);
    const std::size_t dot = all.find('.');
    int first = 0, second = 0;
    if (dot != all.npos && parse_number(all.substr(0, dot), first) &&
        parse_number(all.substr(dot + 1), second) && first > 0 && first < 100 && second >= 0 && second < 10) {
        major = first;
        minor = second;
        return;
    }
    ignore_setting("PYGPU_HOST_CAPABILITY", text, "a compute capability, as 8.0");
}

Settings *read() {
    const Profile &card = profile();
    int major = card.major, minor = card.minor;
    capability(major, minor);
    const char *fail = std::getenv("PYGPU_HOST_FAIL");
    const int checks = check();
    return new Settings{devices_wanted(),
                        &card,
                        memory(card),
                        is_on("PYGPU_HOST_STRICT"),
                        is_on("PYGPU_HOST_LEAKS"),
                        major,
                        minor,
                        timeout(),
                        checks > 0,
                        checks > 1,
                        fail ? fail : ""};
}

} // namespace

void ignore_setting(const char *variable, const char *value, const char *expected) {
    std::fprintf(stderr, "PyGPU host runtime: %s: \"%s\" is ignored, for it is not %s\n", variable, value,
                 expected);
}

Settings &settings() {
    static Settings *all = read(); // never destroyed: threads outlive main
    return *all;
}

} // namespace pygpu::host
