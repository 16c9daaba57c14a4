// Reading files whole. By C's streams: where the C++ library is linked statically, those of C++ would bring
// in all of its locales.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace pygpu::host {

inline bool read_file(const char *path, std::string &content) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "rbe"), std::fclose);
    char piece[1 << 14];
    while (const std::size_t count = file ? std::fread(piece, 1, sizeof piece, file.get()) : 0)
        content.append(piece, count);
    return file && !std::ferror(file.get());
}

} // namespace pygpu::host
