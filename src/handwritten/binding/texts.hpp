// Walking over texts that each end with a NUL; an empty one ends a list.
#pragma once

#include <string_view>
#include <vector>

namespace pygpu {

class Texts {
public:
    explicit Texts(const char *texts) : at_(texts) {}

    std::string_view next() {
        const std::string_view one = at_;
        at_ += one.size() + 1;
        return one;
    }

    // All texts up to the end of a list.
    std::vector<std::string_view> list() {
        std::vector<std::string_view> all;
        for (std::string_view one = next(); !one.empty(); one = next()) all.push_back(one);
        return all;
    }

private:
    const char *at_;
};

} // namespace pygpu
