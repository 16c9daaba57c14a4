// Reading CUPTI's records. Its header isn't needed: what is read lies at the same place in all releases since
// CUDA 12.0, because newer structs only add fields. tests/trace/test_device_records.py compares it with the
// header's.
#include "trace/device.hpp"

#include "trace/spool.hpp"
#include "trace/writer.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace pygpu::trace {
namespace {

enum : std::uint32_t { copy_record = 1, set_record = 2, kernel_record = 10, peer_copy_record = 22 };
constexpr std::size_t buffer_size = 1024 * 1024;

std::atomic<NextRecord> next_record{nullptr};

struct Work {
    Head head;
    std::uint64_t begin, end, bytes;
    std::uint32_t kind, direction, device, context, stream, correlation, of_runtime, reserved;
};
struct Entered {
    Head head;
    std::uint32_t number, correlation;
};
struct Clocks {
    Head head;
    std::uint64_t own, other;
};

template <class T> T field(const std::uint8_t *record, std::size_t offset) {
    T value;
    std::memcpy(&value, record + offset, sizeof value);
    return value;
}

// A record of CUPTI's, as the trace has it; its kind is 0 if the trace needs none.
Work work_in(const std::uint8_t *record) {
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    Work work{};
    const auto kind = field<u32>(record, 0);
    if (kind != copy_record && kind != set_record && kind != kernel_record && kind != peer_copy_record)
        return work;
    work.kind = kind;
    work.begin = field<u64>(record, 16);
    work.end = field<u64>(record, 24);
    const bool is_kernel = kind == kernel_record;
    const std::size_t place = is_kernel ? 40 : 32;
    work.device = field<u32>(record, place);
    work.context = field<u32>(record, place + 4);
    work.stream = field<u32>(record, place + 8);
    work.correlation = field<u32>(record, is_kernel ? 92 : kind == peer_copy_record ? 60 : 44);
    if (!is_kernel) work.bytes = field<u64>(record, 8);
    if (kind == copy_record) work.of_runtime = field<u32>(record, 48);
    if (kind == copy_record || kind == peer_copy_record) work.direction = record[4];
    return work;
}

void note(const std::uint8_t *record) {
    const Work work = work_in(record);
    std::byte *const room = work.kind ? writer().room() : nullptr;
    if (!room) return;
    std::memcpy(room, &work, sizeof work);
    Items items(room + sizeof work, room + most_record);
    if (work.kind == kernel_record) items.add_text(field<const char *>(record, 104));
    writer().commit(Kind::work, items.at());
}

} // namespace

void read_records_by(NextRecord next) { next_record = next; }

void give_buffer(std::uint8_t **buffer, std::size_t *size, std::size_t *most) {
    *buffer = static_cast<std::uint8_t *>(std::malloc(buffer_size));
    *size = *buffer ? buffer_size : 0;
    *most = 0; // as many records as fit
}

void take_buffer(void *, std::uint32_t, std::uint8_t *buffer, std::size_t, std::size_t valid) {
    const NextRecord next = next_record;
    std::uint8_t *record = nullptr;
    while (next && valid && !next(buffer, valid, &record)) note(record);
    std::free(buffer);
}

void entered(void *, int, std::uint32_t, const void *call) {
    struct {      // the first fields of CUpti_CallbackData
        int site; // 0 is the function's begin
        const void *function, *parameters, *result, *symbol, *context;
        std::uint32_t context_number;
        void *shared;
        std::uint32_t correlation;
    } of_cupti;
    std::memcpy(&of_cupti, call, sizeof of_cupti);
    const std::uint32_t number = writer().under_way();
    std::byte *const room = number && !of_cupti.site ? writer().room() : nullptr;
    if (!room) return;
    const Entered record{{}, number, of_cupti.correlation};
    std::memcpy(room, &record, sizeof record);
    writer().commit(Kind::entered, room + sizeof record);
}

void note_clocks(std::uint64_t own, std::uint64_t other) {
    std::byte *const room = writer().room();
    if (!room) return;
    const Clocks record{{}, own, other};
    std::memcpy(room, &record, sizeof record);
    writer().commit(Kind::clocks, room + sizeof record);
}

} // namespace pygpu::trace
