// One recorded call: a record when it begins, with the arguments, and one when it has returned.
#pragma once

#include "trace/items.hpp"
#include "trace/own_call.hpp"

#include <cstdint>

namespace pygpu {
struct FunctionRecord;
}

namespace pygpu::trace {

// Does nothing until begin(). Everything may be called without the GIL; then the line is that of the last
// call with it on this thread.
class Span {
public:
    // The arguments come next, in their order.
    void begin(const FunctionRecord &function);
    void begin(const OwnCall &call);
    Items &items() { return items_; }
    // The call comes next.
    void start();
    // It has returned, and the results come next, in their order.
    void returned(int status);
    void end();

    bool is_open() const { return number_; }

private:
    bool begin_with(std::uint32_t function);
    std::byte *open();
    void commit();

    Items items_;
    std::byte *record_ = nullptr;
    unsigned recording_ = 0;
    std::uint32_t number_ = 0;
};

// A kernel has run, as the host runtime tells it (hostgpu/base/kernel_times.hpp).
void kernel_ran(const char *name, int device, std::uint64_t stream, std::uint64_t begin, std::uint64_t end);

// Notes the line of Python for calls that this thread makes without the GIL. With the GIL, if it is on.
void note_place();

} // namespace pygpu::trace
