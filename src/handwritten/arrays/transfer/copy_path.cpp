// The table of paths.
#include "arrays/transfer/copy_path.hpp"

#include "arrays/machine/limits.hpp"
#include "arrays/memory/pinned.hpp"

#include <algorithm>
#include <span>

namespace pygpu::arrays {
namespace {

// Whether a path gives the right result for a copy, whatever its speed.
bool is_right(CopyPath path, const CopyRequest &request) {
    switch (path) {
    case CopyPath::direct:
        return !request.strided;
    case CopyPath::upload_ring:
        return request.up && request.waits && request.may_queue && !request.strided &&
               request.size <= (request.pageable ? sizes::most_in_ring : sizes::most_locked_in_ring);
    case CopyPath::bounce:
        return request.up || request.waits;
    case CopyPath::pieces:
        return request.waits && !request.captured;
    case CopyPath::host_functions:
        return !request.waits && !request.captured;
    }
    return false;
}

CopyPath waiting(const CopyRequest &request) {
    if (is_right(CopyPath::upload_ring, request)) return CopyPath::upload_ring;
    if (request.strided) {
        const std::size_t most = request.up ? sizes::most_strided_up : sizes::most_strided_down;
        return request.size <= most ? CopyPath::bounce : CopyPath::pieces;
    }
    if (!request.up && request.size <= (request.pageable ? sizes::most_bounced : sizes::most_unasked))
        return CopyPath::bounce;
    if (!request.pageable || !request.threads) return CopyPath::direct;
    const std::size_t from = request.up ? by_pieces::up[0].from : by_pieces::down[0].from;
    const bool alone = !request.up && request.size <= sizes::most_alone;
    return alone || (request.threads > 1 && request.size >= from) ? CopyPath::pieces : CopyPath::direct;
}

CopyPath queued(const CopyRequest &request) {
    if (request.captured) return request.strided ? CopyPath::bounce : CopyPath::direct;
    if (!request.pageable && !request.strided) return CopyPath::direct;
    return request.up && request.size <= sizes::most_bounced ? CopyPath::bounce : CopyPath::host_functions;
}

} // namespace

CopySettings &copy_settings() {
    static CopySettings settings;
    return settings;
}

Pieces pieces_of(std::size_t size, bool up, bool strided, bool on_host_runtime) {
    using Table = std::span<const Pieces>;
    const Table rows = strided ? Table(&by_pieces::strided, 1)
                       : up    ? Table(by_pieces::up)
                               : Table(by_pieces::down);
    Pieces found = rows.front();
    for (const Pieces &row : rows)
        if (size >= row.from) found = row;
    if (const std::size_t piece = copy_settings().piece) found.piece = piece;
    auto most = static_cast<std::size_t>(threads_asked_for());
    if (!most && on_host_runtime) {
        found.threads = 0;
        return found;
    }
    if (!most) {
        const std::size_t pieces = (size + found.piece - 1) / found.piece;
        most = std::min({static_cast<std::size_t>(found.threads), pieces,
                         static_cast<std::size_t>(usable_processors()) / 2});
    }
    most = std::min(most, pinned_limit() / (2 * sizes::block));
    found.threads = static_cast<int>(std::max<std::size_t>(most, 1));
    return found;
}

CopyPath copy_path_of(const CopyRequest &request) {
    const int forced = copy_settings().forced;
    if (forced >= 0 && is_right(static_cast<CopyPath>(forced), request)) return static_cast<CopyPath>(forced);
    return request.waits ? waiting(request) : queued(request);
}

bool has_kernels(bool on_host) {
    const MoveBy forced = copy_settings().moves;
    return forced == MoveBy::table ? !on_host : forced == MoveBy::kernels;
}

bool goes_by_kernel(const Within &copy) {
    if (copy.width == copy.size) return false; // one run
    if (copy_settings().moves != MoveBy::table || !copy.on_host) return has_kernels(copy.on_host);
    return copy.calls > host_moves::calls ||
           (copy.width <= host_moves::width && copy.size / copy.width > host_moves::rows);
}

bool go_over(ssize_t size, ssize_t width, ssize_t calls, ssize_t least_width) {
    return size / width <= rows::few || (width >= least_width && calls <= rows::most_calls);
}

RowsPath rows_path_of(const Rows &rows) {
    const bool over_the_bus = go_over(rows.size, rows.width, rows.calls, rows::narrow);
    if (!rows.up) {
        // Too many rectangles for the runtime's calls, or too little data for a second copy on the device.
        const bool little = rows.reach <= static_cast<ssize_t>(sizes::most_bounced);
        if (rows.waits && !over_the_bus && little) return RowsPath::whole_range;
        if (!rows.kernels && rows.calls > rows::most_calls && rows.reach / rows::most_range <= rows.size)
            return RowsPath::whole_range;
    }
    if (rows.path == CopyPath::pieces) return RowsPath::packed; // pieces need one run of device memory
    return over_the_bus ? RowsPath::rectangles : RowsPath::packed;
}

} // namespace pygpu::arrays
