// The table of ways.
#include "arrays/transfer/way.hpp"

#include "arrays/machine/limits.hpp"
#include "arrays/memory/pinned.hpp"

#include <algorithm>
#include <span>

namespace pygpu::arrays {
namespace {

// Whether a way gives the right result for a copy, whatever its speed.
bool is_right(Way way, const Run &run) {
    switch (way) {
    case Way::direct:
        return !run.strided;
    case Way::upload_ring:
        return run.up && run.waits && run.unseen && !run.strided && run.size <= sizes::most_in_ring;
    case Way::bounce:
        return run.up || run.waits;
    case Way::pieces:
        return run.waits && !run.captured;
    case Way::host_functions:
        return !run.waits && !run.captured;
    }
    return false;
}

Way waiting(const Run &run) {
    if (is_right(Way::upload_ring, run)) return Way::upload_ring;
    if (run.strided) {
        const std::size_t most = run.up ? sizes::most_strided_up : sizes::most_strided_down;
        return run.size <= most ? Way::bounce : Way::pieces;
    }
    if (!run.up && run.size <= (run.pageable ? sizes::most_bounced : sizes::most_unasked)) return Way::bounce;
    if (!run.pageable || !run.threads) return Way::direct;
    const std::size_t from = run.up ? by_pieces::up[0].from : by_pieces::down[0].from;
    const bool alone = !run.up && run.size <= sizes::most_alone;
    return alone || (run.threads > 1 && run.size >= from) ? Way::pieces : Way::direct;
}

Way queued(const Run &run) {
    if (run.captured) return run.strided ? Way::bounce : Way::direct;
    if (!run.pageable && !run.strided) return Way::direct;
    return run.up && run.size <= sizes::most_bounced ? Way::bounce : Way::host_functions;
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
    if (most > 1) most = std::min(most, pinned_limit() / (2 * sizes::block)); // asking takes a lock
    found.threads = static_cast<int>(std::max<std::size_t>(most, 1));
    return found;
}

Way way_of(const Run &run) {
    const int forced = copy_settings().forced;
    if (forced >= 0 && is_right(static_cast<Way>(forced), run)) return static_cast<Way>(forced);
    return run.waits ? waiting(run) : queued(run);
}

bool go_over(ssize_t size, ssize_t width, ssize_t calls, ssize_t least_width) {
    return size / width <= rows::few || (width >= least_width && calls <= rows::most_calls);
}

RowsWay way_of(const Rows &rows) {
    const bool over_the_bus = go_over(rows.size, rows.width, rows.calls, rows::narrow);
    if (!rows.up) {
        // Too many rectangles for the runtime's calls, or too little data for a second copy on the device.
        const bool little = rows.reach <= static_cast<ssize_t>(sizes::most_bounced);
        if (rows.waits && !over_the_bus && little) return RowsWay::whole_range;
        if (rows.calls > rows::most_calls && rows.reach / rows::most_range <= rows.size)
            return RowsWay::whole_range;
    }
    if (rows.way == Way::pieces) return RowsWay::packed; // pieces need one run of device memory
    return over_the_bus ? RowsWay::rectangles : RowsWay::packed;
}

} // namespace pygpu::arrays
