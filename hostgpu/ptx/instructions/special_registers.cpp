// %tid, %clock and so on (PTX ISA, "Special Registers").
#include "ptx/instructions/special_registers.hpp"

#include "ptx/machine/lanes.hpp"

#include <algorithm>
#include <chrono>

namespace pygpu::host::ptx {
namespace {

enum Special : std::uint64_t {
    tid_x,
    tid_y,
    tid_z,
    lane,
    warp_id,
    mask_eq,
    mask_lt,
    mask_le,
    mask_gt,
    mask_ge, // by lane
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z, // of the block
    warps,
    sm,
    sms,
    grid,
    clock_low,
    clock_high,
    clock_all,
    timer,
    timer_low,
    timer_high,
    zero,
    total_shared,
    dynamic_shared,
    environment_1,
    environment_2,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_rank,
    cluster_size,
    explicit_cluster,
};

struct SpecialRegister {
    std::string_view name;
    Special which;
};
constexpr SpecialRegister specials[] = {{"%tid.x", tid_x},
                                        {"%tid.y", tid_y},
                                        {"%tid.z", tid_z},
                                        {"%laneid", lane},
                                        {"%warpid", warp_id},
                                        {"%lanemask_eq", mask_eq},
                                        {"%lanemask_lt", mask_lt},
                                        {"%lanemask_le", mask_le},
                                        {"%lanemask_gt", mask_gt},
                                        {"%lanemask_ge", mask_ge},
                                        {"%ntid.x", ntid_x},
                                        {"%ntid.y", ntid_y},
                                        {"%ntid.z", ntid_z},
                                        {"%ctaid.x", ctaid_x},
                                        {"%ctaid.y", ctaid_y},
                                        {"%ctaid.z", ctaid_z},
                                        {"%nctaid.x", nctaid_x},
                                        {"%nctaid.y", nctaid_y},
                                        {"%nctaid.z", nctaid_z},
                                        {"%nwarpid", warps},
                                        {"%smid", sm},
                                        {"%nsmid", sms},
                                        {"%gridid", grid},
                                        {"%clock", clock_low},
                                        {"%clock_hi", clock_high},
                                        {"%clock64", clock_all},
                                        {"%globaltimer", timer},
                                        {"%globaltimer_lo", timer_low},
                                        {"%globaltimer_hi", timer_high},
                                        {"%total_smem_size", total_shared},
                                        {"%aggr_smem_size", total_shared},
                                        {"%reserved_smem_offset_begin", zero}, // nothing is reserved
                                        {"%reserved_smem_offset_end", zero},
                                        {"%reserved_smem_offset_cap", zero},
                                        {"%reserved_smem_offset_0", zero},
                                        {"%reserved_smem_offset_1", zero},
                                        {"%current_graph_exec", zero}, // graphs are launched by the host
                                        {"%dynamic_smem_size", dynamic_shared},
                                        {"%envreg1", environment_1},
                                        {"%envreg2", environment_2},
                                        {"%clusterid.x", clusterid_x},
                                        {"%clusterid.y", clusterid_y},
                                        {"%clusterid.z", clusterid_z},
                                        {"%nclusterid.x", nclusterid_x},
                                        {"%nclusterid.y", nclusterid_y},
                                        {"%nclusterid.z", nclusterid_z},
                                        {"%cluster_ctaid.x", cluster_ctaid_x},
                                        {"%cluster_ctaid.y", cluster_ctaid_y},
                                        {"%cluster_ctaid.z", cluster_ctaid_z},
                                        {"%cluster_nctaid.x", cluster_nctaid_x},
                                        {"%cluster_nctaid.y", cluster_nctaid_y},
                                        {"%cluster_nctaid.z", cluster_nctaid_z},
                                        {"%cluster_ctarank", cluster_rank},
                                        {"%cluster_nctarank", cluster_size},
                                        {"%is_explicit_cluster", explicit_cluster}};

std::uint64_t nanoseconds() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
}

std::uint64_t clock_now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::uint64_t common(const Warp &w, std::uint64_t which) {
    const Launch &launch = w.block->launch;
    const auto workspace = reinterpret_cast<std::uint64_t>(launch.workspace.data());
    switch (which) {
    case ntid_x:
    case ntid_y:
    case ntid_z:
        return launch.block[which - ntid_x];
    case ctaid_x:
    case ctaid_y:
    case ctaid_z:
        return w.block->at[which - ctaid_x];
    case nctaid_x:
    case nctaid_y:
    case nctaid_z:
        return launch.grid[which - nctaid_x];
    case warps:
        return w.block->warps.size();
    case sm:
        return (w.block->at[0] + w.block->at[1] + w.block->at[2]) % launch.multiprocessors;
    case sms:
        return launch.multiprocessors;
    case clock_low:
        return clock_now() & 0xffffffffu;
    case clock_high:
        return clock_now() >> 32;
    case clock_all:
        return clock_now();
    case timer:
        return nanoseconds();
    case timer_low:
        return nanoseconds() & 0xffffffffu;
    case timer_high:
        return nanoseconds() >> 32;
    case grid:
        return launch.number;
    case total_shared:
        return w.block->shared_used;
    case dynamic_shared:
        return launch.dynamic_shared;
    case environment_1:
        return workspace >> 32;
    case environment_2:
        return workspace & 0xffffffffu;
    case warp_id:
        return w.number;
    case clusterid_x:
    case clusterid_y:
    case clusterid_z:
        return w.block->at[which - clusterid_x] / launch.cluster[which - clusterid_x];
    case nclusterid_x:
    case nclusterid_y:
    case nclusterid_z:
        return launch.grid[which - nclusterid_x] / launch.cluster[which - nclusterid_x];
    case cluster_ctaid_x:
    case cluster_ctaid_y:
    case cluster_ctaid_z:
        return w.block->at[which - cluster_ctaid_x] % launch.cluster[which - cluster_ctaid_x];
    case cluster_nctaid_x:
    case cluster_nctaid_y:
    case cluster_nctaid_z:
        return launch.cluster[which - cluster_nctaid_x];
    case cluster_rank:
        return w.block->rank;
    case cluster_size:
        return launch.blocks_in_cluster();
    case explicit_cluster:
        return launch.explicit_cluster;
    default:
        return 0;
    }
}

template <class T> const Instr *special(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const std::uint64_t which = i->imm;
    if (which == clock_low || which == clock_all || (which >= timer && which <= timer_high)) w.waits = true;
    if (which >= ntid_x || which == warp_id) {
        const T value = static_cast<T>(common(w, which));
        each(w, [=](unsigned l) { d[l] = value; });
        return i + 1;
    }
    const std::uint32_t *const extent = w.block->launch.block;
    const std::uint32_t first = w.number * warp_size, x = extent[0], xy = extent[0] * extent[1];
    each(w, [=](unsigned l) {
        const std::uint32_t thread = first + l, bit = 1u << l;
        switch (which) {
        case tid_x:
            d[l] = thread % x;
            break;
        case tid_y:
            d[l] = thread % xy / x;
            break;
        case tid_z:
            d[l] = thread / xy;
            break;
        case lane:
            d[l] = l;
            break;
        case mask_eq:
            d[l] = bit;
            break;
        case mask_lt:
            d[l] = bit - 1;
            break;
        case mask_le:
            d[l] = bit | (bit - 1);
            break;
        case mask_gt:
            d[l] = static_cast<std::uint32_t>(~(bit | (bit - 1)));
            break;
        default:
            d[l] = static_cast<std::uint32_t>(~(bit - 1));
            break;
        }
    });
    return i + 1;
}

} // namespace

void emit_special(Decoder &d, std::string_view name, std::uint32_t to, unsigned bits) {
    const SpecialRegister *const entry = std::ranges::find(specials, name, &SpecialRegister::name);
    // What a driver or a profiler would set; the fourth element of the vector registers.
    const bool unset = name.starts_with("%envreg") || name.starts_with("%pm") || name.ends_with(".w");
    if (entry == std::end(specials) && !unset)
        d.unknown(std::string(name) + " isn't a register that is known");
    Instr &instr = d.emit(bits == 64 ? special<std::uint64_t> : special<std::uint32_t>);
    instr.d = to;
    instr.imm = entry == std::end(specials) ? zero : entry->which;
}

} // namespace pygpu::host::ptx
