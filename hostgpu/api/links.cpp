// Linking device code: PTX with PTX.
#include "api/modules.hpp"

#include "api/jit_options.hpp"
#include "base/call.hpp"
#include "base/files.hpp"
#include "base/handles.hpp"
#include "base/report.hpp"
#include "code/code.hpp"
#include "code/link_ptx.hpp"
#include "common/fatbin.hpp"

#include <mutex>
#include <vector>

namespace pygpu::host::api {
namespace {

// All APIs number them alike.
constexpr int cubin_input = 0, ptx_input = 1, nvvm_input = 5;

// A link: the parts so far, and the image once it is complete. The caller keeps the options' values until it
// is destroyed, but not the options.
struct Link {
    Link(unsigned number, const int *given, void **its_values)
        : options(given, given + number), values(its_values), room(all().room()) {}

    JitOptions all() const { return {static_cast<unsigned>(options.size()), options.data(), values}; }
    void log(const std::string &text) const { all().log(text, room); }

    const std::vector<int> options;
    void **const values;
    const std::size_t room; // of the log
    std::mutex mutex{};
    std::vector<PtxPart> parts{};
    std::string image{};
};

Handles<Link> &links() {
    static auto *const all = new Handles<Link>;
    return *all;
}

// The PTX of a part, also where its caller calls it a cubin: the compilers' twins hand out PTX for machine
// code. Where there is none, the outcome says what it is instead.
ReadCode ptx_of(int kind, std::string_view data, std::string &text) {
    std::uint32_t magic = 0;
    if (read_at(data, 0, magic) && magic == fatbin_magic) {
        bool holds_ptx = false;
        ReadCode outcome = unpack_fatbin(data, text, holds_ptx);
        if (outcome.result != ReadCode::Result::done || holds_ptx) return outcome;
    } else if (kind == ptx_input || is_ptx(data)) {
        text = ptx_text(data);
        return {};
    }
    return {ReadCode::Result::no_binary, "only PTX, and fat binaries that hold it, can be linked on the CPU"};
}

Status add(Link &link, int kind, std::string_view data, std::string name) {
    if (is_archive(data)) return Status::success;
    const std::lock_guard lock(link.mutex);
    PtxPart part{{}, std::move(name)};
    const ReadCode outcome = ptx_of(kind, data, part.text);
    if (outcome.result == ReadCode::Result::done) {
        link.parts.push_back(std::move(part));
        return Status::success;
    }
    link.log(part.name + ": " + outcome.why);
    if (outcome.result == ReadCode::Result::invalid_image) return Status::invalid_image;
    report_once(std::string(thread().call->name()) + "(): " + part.name + ": " + outcome.why);
    return Status::no_binary;
}

bool is_input(int kind) { return kind >= cubin_input && kind <= nvvm_input; }

} // namespace

Status LinkCreate(unsigned number, int *options, void **values, LinkTag **link) {
    if (!link || !JitOptions{number, options, values}.is_complete()) return Status::invalid_value;
    *link = static_cast<LinkTag *>(links().add(std::make_shared<Link>(number, options, values)));
    return Status::success;
}

Status LinkAddData(LinkTag *link, int kind, void *data, std::size_t size, const char *name, unsigned number,
                   int *options, void **values) {
    const auto object = links().find(link);
    if (!object) return Status::invalid_resource_handle;
    if (!data || !size || !is_input(kind) || !JitOptions{number, options, values}.is_complete())
        return Status::invalid_value;
    return add(*object, kind, {static_cast<const char *>(data), size}, name ? name : "<input>");
}

Status LinkAddFile(LinkTag *link, int kind, const char *path, unsigned number, int *options, void **values) {
    const auto object = links().find(link);
    if (!object) return Status::invalid_resource_handle;
    if (!path || !is_input(kind) || !JitOptions{number, options, values}.is_complete())
        return Status::invalid_value;
    std::string content;
    if (!read_file(path, content)) return Status::file_not_found;
    return add(*object, kind, content, path);
}

// The image is the link's, and lives as long.
Status LinkComplete(LinkTag *link, void **image, std::size_t *size) {
    const auto object = links().find(link);
    if (!object) return Status::invalid_resource_handle;
    if (!image) return Status::invalid_value;
    const std::lock_guard lock(object->mutex);
    if (object->parts.empty()) return Status::invalid_value;
    Code code;
    ReadCode outcome;
    try {
        object->image = link_ptx(object->parts);
        outcome = read_ptx(object->image, code);
        if (!outcome.why.empty()) outcome.why.insert(0, "the linked text, ");
    } catch (const ptx::Problem &problem) {
        outcome = {ReadCode::Result::invalid_ptx, problem.what};
    }
    object->log(outcome.why);
    if (outcome.result != ReadCode::Result::done) return Status::invalid_ptx;
    *image = object->image.data();
    if (size) *size = object->image.size() + 1; // with its end
    return Status::success;
}

Status LinkDestroy(LinkTag *link) {
    return links().remove(link) ? Status::success : Status::invalid_resource_handle;
}

} // namespace pygpu::host::api
