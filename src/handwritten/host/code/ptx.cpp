// PTX: what stands outside of functions' bodies. Grammar: NVIDIA's "PTX ISA", sections 4 and 5.
#include "host/code/code.hpp"
#include "host/code/numbers.hpp"

#include "runtime/checked_int.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace pygpu::host {
namespace {

struct Wrong {
    const char *what;
};

constexpr std::size_t most = std::size_t{1} << 40; // bytes of a variable or of parameters

bool in_word(char one) {
    return std::isalnum(static_cast<unsigned char>(one)) || one == '_' || one == '$' || one == '%' ||
           one == '.';
}

// Cuts the text into words, strings and single signs; comments are left out.
class Words {
public:
    explicit Words(std::string_view text) : text_(text) { next(); }

    std::string_view now; // empty at the end

    void next() {
        skip_space();
        std::size_t length = text_.empty() ? 0 : 1;
        if (length && in_word(text_[0])) {
            while (length < text_.size() && in_word(text_[length])) ++length;
        } else if (length && text_[0] == '"') {
            const std::size_t end = text_.find('"', 1);
            if (end == text_.npos) throw Wrong{"a string doesn't end"};
            length = end + 1;
        }
        now = text_.substr(0, length);
        text_.remove_prefix(length);
    }

    bool take(std::string_view word) {
        if (now != word) return false;
        next();
        return true;
    }
    void expect(std::string_view word, const char *what) {
        if (!take(word)) throw Wrong{what};
    }
    std::string_view taken() {
        const std::string_view word = now;
        if (word.empty()) throw Wrong{"the text ends too early"};
        next();
        return word;
    }

    std::string_view name() {
        const std::string_view word = taken();
        if (!in_word(word[0]) || word[0] == '.' || std::isdigit(static_cast<unsigned char>(word[0])))
            throw Wrong{"a name is expected"};
        return word;
    }

    // Skips to behind the sign that closes the `open` that was just read.
    void skip(std::string_view open, std::string_view close) {
        for (int depth = 1; depth;) {
            const std::string_view word = taken();
            depth += word == open ? 1 : word == close ? -1 : 0;
        }
    }

private:
    void skip_space() {
        for (;;) {
            while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0])))
                text_.remove_prefix(1);
            if (text_.starts_with("//")) {
                text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
            } else if (text_.starts_with("/*")) {
                const std::size_t end = text_.find("*/", 2);
                if (end == text_.npos) throw Wrong{"a comment doesn't end"};
                text_.remove_prefix(end + 2);
            } else {
                return;
            }
        }
    }

    std::string_view text_;
};

std::uint64_t number_of(std::string_view word) {
    const auto value = integer_in_ptx(word);
    if (!value) throw Wrong{"a number is expected"};
    return *value;
}

// The value of a whole word by std::from_chars().
template <class Value, class... How> Value whole(std::string_view word, How... how) {
    Value value{};
    const char *const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, value, how...);
    if (error != std::errc{} || end != last) throw Wrong{"a number is expected"};
    return value;
}

// Bytes of a type such as ".u64"; 0 for what is none.
std::size_t size_of(std::string_view type) {
    if (type.size() < 3 || type[0] != '.' || !std::strchr("usbf", type[1])) return 0;
    for (const auto &[bits, size] : {std::pair{"8", 1u}, {"16", 2u}, {"32", 4u}, {"64", 8u}, {"128", 16u}}) {
        if (type.substr(2) == bits) return size;
    }
    return 0;
}

// A parameter or a variable: its type, alignment, name and size.
struct Declared {
    std::string_view type, name;
    std::size_t element = 0, alignment = 0, size = 0;
    bool managed = false;
    bool unbounded = false; // as many elements as it has values
    bool opaque = false;    // a texture, a sampler or a surface
    bool texture = false;   // the first of these
};

std::size_t lanes_of(std::string_view word) {
    return word == ".v2" ? 2 : word == ".v4" ? 4 : word == ".v8" ? 8 : 0;
}

// From behind ".param", ".global" or ".const" to behind the name and its dimensions.
Declared declared(Words &words) {
    Declared found;
    std::size_t lanes = 1;
    bool pointer = false;
    while (words.now.starts_with('.')) {
        const std::string_view word = words.taken();
        if (word == ".align") {
            const std::uint64_t given = number_of(words.taken());
            if (!given || given & (given - 1) || given > 4096)
                throw Wrong{"an alignment isn't a power of two"};
            if (!pointer) found.alignment = given; // behind .ptr it is the alignment of the pointer's target
        } else if (word == ".attribute") {
            words.expect("(", "'(' is expected behind .attribute");
            found.managed |= words.now == ".managed";
            words.skip("(", ")");
        } else if (word == ".ptr") {
            pointer = true;
        } else if (word == ".texref" || word == ".samplerref" || word == ".surfref") {
            found.opaque = true;
            found.texture = word == ".texref";
            found.type = "u64";
            found.element = 8;
        } else if (const std::size_t several = lanes_of(word)) {
            lanes = several;
        } else if (const std::size_t size = size_of(word)) {
            found.type = word.substr(1);
            found.element = size;
        }
    }
    if (!found.element) throw Wrong{"a declaration has no type"};
    found.name = words.name();
    CheckedInt<std::size_t> size(found.element * lanes);
    while (words.take("[")) {
        found.unbounded = words.now == "]";
        size *= found.unbounded ? 0 : number_of(words.taken());
        words.expect("]", "']' is expected");
        found.type = found.element == 1 ? "b8" : found.type;
    }
    if (!size.fits(found.size) || found.size > most) throw Wrong{"a declaration is too large"};
    if (!found.alignment) found.alignment = found.element * lanes;
    return found;
}

Signature parameters(Words &words) {
    Signature found;
    std::size_t end = 0;
    while (!words.take(")")) {
        words.expect(".param", ".param is expected");
        const Declared one = declared(words);
        const std::size_t offset = (end + one.alignment - 1) / one.alignment * one.alignment;
        const bool scalar = one.size == one.element;
        found.push_back({offset, one.size, std::string(scalar ? one.type : "b8")});
        end = offset + one.size;
        if (end > most) throw Wrong{"the parameters are too large"};
        if (!words.take(",") && words.now != ")") throw Wrong{"',' or ')' is expected behind a parameter"};
    }
    return found;
}

// A number as `element` bytes: 0f and 0d stand before the bits of a float and of a double.
std::array<char, 16> bits_of(std::string_view word, bool negative, std::size_t element) {
    std::array<char, 16> bits{};
    const auto keep = [&bits](auto value) { std::memcpy(bits.data(), &value, sizeof value); };
    const char kind = word.size() > 1 && word[0] == '0' ? word[1] | 0x20 : ' ';
    if (kind == 'f' || kind == 'd') {
        const std::uint64_t sign = kind == 'f' ? 1ull << 31 : 1ull << 63;
        keep(whole<std::uint64_t>(word.substr(2), 16) ^ (negative ? sign : 0));
    } else if (kind != 'x' && word.find_first_of(".eE") != word.npos) {
        const double value = negative ? -whole<double>(word) : whole<double>(word);
        element == sizeof(float) ? keep(static_cast<float>(value)) : keep(value);
    } else {
        keep(negative ? 0 - number_of(word) : number_of(word));
    }
    return bits;
}

// Reads the values from behind '=' up to ';'. An address becomes zeros, and an entry in `addresses`.
std::string initial(Words &words, std::size_t element, std::vector<CodeAddress> &addresses) {
    std::string bytes;
    std::array<char, 16> value{};
    bool negative = false, symbol = false, any = false;
    CodeAddress address{};
    const auto end_value = [&] {
        if (any && symbol && element == sizeof(std::uint64_t)) {
            address.at = bytes.size();
            addresses.push_back(std::move(address));
        }
        if (any) bytes.append(symbol ? std::array<char, 16>{}.data() : value.data(), element);
        address = {};
        negative = symbol = any = false;
    };
    while (words.now != ";") {
        const std::string_view word = words.taken();
        if (word == "," || word == "}") {
            end_value();
        } else if (word == "(" || word == ")" || word == "generic") { // generic(name)
            continue;
        } else if (word == "-") {
            negative = true;
        } else if (word != "{" && word != "+") {
            const bool digits = std::isdigit(static_cast<unsigned char>(word[0]));
            if (digits && !symbol)
                value = bits_of(word, negative, element);
            else if (digits)
                address.offset += negative ? 0 - number_of(word) : number_of(word);
            else
                address.symbol = word;
            symbol |= !digits;
            any = true;
        }
        if (bytes.size() > most) throw Wrong{"a variable is too large"};
    }
    end_value();
    return bytes;
}

void read(Words &words, Code &code) {
    bool external = false;
    while (!words.now.empty()) {
        const std::string_view word = words.taken();
        if (word == ".entry") {
            CodeKernel kernel{std::string(words.name()), Signature{}};
            if (words.take("(")) kernel.parameters = parameters(words);
            code.kernels.push_back(std::move(kernel));
        } else if (word == ".global" || word == ".const") {
            const Declared one = declared(words);
            CodeVariable variable{std::string(one.name), one.size, {}, one.managed};
            if (words.take("=")) variable.initial = initial(words, one.element, variable.addresses);
            if (one.unbounded) variable.size = variable.initial.size();
            if (variable.initial.size() > variable.size) throw Wrong{"a variable has too many values"};
            if (one.texture) code.texture_references.emplace_back(one.name);
            if (!external && !one.opaque) code.variables.push_back(std::move(variable));
        } else if (word == "{") {
            words.skip("{", "}");
        } else if (word == "(") {
            words.skip("(", ")");
        }
        external = word == ".extern";
    }
}

} // namespace

ReadCode read_ptx(std::string_view text, Code &code) {
    try {
        Words words(text);
        words.expect(".version", "PTX begins with .version");
        read(words, code);
        code.program = ptx::parse(std::string(text));
        return {};
    } catch (const Wrong &wrong) {
        return {ReadCode::Result::invalid_ptx, wrong.what};
    } catch (const ptx::Problem &problem) {
        return {ReadCode::Result::invalid_ptx, "line " + std::to_string(problem.line) + ": " + problem.what};
    }
}

} // namespace pygpu::host
