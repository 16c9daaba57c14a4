// Memory that several processes map: pages of a file without a name. Another process opens the file by way of
// the process that made it. What names the file comes from elsewhere and may be forged: only files that this
// library makes are opened. Their size is sealed, so that nobody's ftruncate() can end a process that uses
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pygpu::host {

// Where the file is found: a descriptor of a process, and its inode, since a descriptor may be reused for
// another file.
struct SharedFile {
    int process = 0;
    int descriptor = -1;
    std::uint64_t inode = 0;
    std::size_t size = 0; // of the mapping: whole pages

    bool operator==(const SharedFile &) const = default;
};

// What the pages are for. It is part of the file's name, so that none is taken for the other.
enum class Shared { memory, event };

class SharedPages {
public:
    // Fresh pages, all zero; null where the system has none.
    static std::shared_ptr<SharedPages> make(Shared what, std::size_t size);
    // Copies whole pages of this process into a file, and maps the file in their place. Nobody may write to
    // them meanwhile. Null where the system refuses.
    static std::shared_ptr<SharedPages> take(Shared what, void *base, std::size_t size);
    // Maps pages of another process; null where the process is gone or has closed the file, and where make()
    // or take() didn't make the file for this purpose.
    static std::shared_ptr<SharedPages> open(Shared what, const SharedFile &file);

    SharedPages(const SharedPages &) = delete;
    SharedPages &operator=(const SharedPages &) = delete;
    ~SharedPages();

    void *base() const { return base_; }
    const SharedFile &file() const { return file_; }
    // Replaces the shared pages by private ones at the same address; false where the system has none.
    bool give_back();

private:
    SharedPages() = default;

    static std::shared_ptr<SharedPages> create(Shared what, void *at, std::size_t size);

    SharedFile file_;
    int descriptor_ = -1;  // open while other processes may open the file; -1 for another process's file
    void *base_ = nullptr; // null once it was given back
};

} // namespace pygpu::host
