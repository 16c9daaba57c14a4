// Tables of rows with texts. A row stores the distance to its text, not a pointer: the dynamic linker would
// have to write each pointer when the program starts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pygpu {

// A text behind the rows of a table, or null. It can't be copied, because the distance counts from its own
// address.
class TableText {
public:
    TableText() = default;
    TableText(const TableText &) = delete;
    TableText &operator=(const TableText &) = delete;

    operator const char *() const {
        return distance_ ? reinterpret_cast<const char *>(this) + distance_ : nullptr;
    }
    std::string_view view() const { return static_cast<const char *>(*this); } // must not be null

private:
    template <class Row, std::size_t rows, std::size_t bytes> friend struct TextTable;
    std::int32_t distance_ = 0;
};

// Places texts one behind the other. Neighbouring rows often have the same text, which then is stored once.
class TextPlaces {
public:
    // The place of a text. For a new text this is the end() from before the call.
    constexpr std::size_t add(std::string_view text) {
        for (std::size_t at = 0; at < recent; ++at) {
            if (texts_[at] == text) return places_[at];
        }
        const std::size_t place = end_;
        texts_[next_] = text;
        places_[next_] = place;
        next_ = (next_ + 1) % recent;
        end_ += text.size() + 1;
        return place;
    }
    constexpr std::size_t end() const { return end_; }

private:
    static constexpr std::size_t recent = 2;
    std::string_view texts_[recent];
    std::size_t places_[recent] = {}, next_ = 0, end_ = 0;
};

// `Row::Literal` is a row as the source has it. `Row::read(literal, text)` copies it, and calls
// `text(member, offset of the member in the row, text)` for each text.
template <class Row, std::size_t rows>
constexpr std::size_t bytes_of_texts(const typename Row::Literal (&literals)[rows]) {
    TextPlaces places;
    for (const auto &one : literals) {
        Row().read(one, [&](TableText &, std::size_t, const char *text) {
            if (text) places.add(text);
        });
    }
    return places.end();
}

template <class Row, std::size_t rows, std::size_t bytes> struct TextTable {
    constexpr explicit TextTable(const typename Row::Literal (&literals)[rows]) {
        TextPlaces places;
        for (std::size_t at = 0; at < rows; ++at) {
            row[at].read(literals[at], [&](TableText &member, std::size_t offset, const char *text) {
                if (!text) return;
                const std::size_t free = places.end(), place = places.add(text);
                if (place == free) std::ranges::copy(std::string_view(text), texts + place);
                member.distance_ =
                    static_cast<std::int32_t>(rows * sizeof(Row) + place - at * sizeof(Row) - offset);
            });
        }
    }

    constexpr operator std::span<const Row>() const { return row; }

    Row row[rows];
    char texts[bytes] = {};
};

// Makes the table of these rows; `bytes` is the bytes_of_texts() of the same rows.
template <class Row, std::size_t bytes, std::size_t rows>
constexpr TextTable<Row, rows, bytes> text_table(const typename Row::Literal (&literals)[rows]) {
    return TextTable<Row, rows, bytes>(literals);
}

} // namespace pygpu
