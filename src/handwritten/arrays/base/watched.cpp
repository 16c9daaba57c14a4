// Functions that stand before those of the table, and record their calls.
#include "arrays/base/runtime.hpp"

#include "runtime/api.hpp"
#include "trace/keep.hpp"
#include "trace/locate.hpp"
#include "trace/on.hpp"
#include "trace/span.hpp"

#include <optional>
#include <tuple>
#include <type_traits>

namespace pygpu::arrays {
namespace {

// The C function behind a function of the table, whose parameters it has in the same order.
struct Watching {
    const char *name, *parameters;
};

template <class T> void note(trace::Items &items, const T &value) {
    if constexpr (std::is_same_v<T, Box>) {
        note(items, value.to);
        for (const std::size_t size : {value.to_pitch, value.to_rows}) items.add_unsigned(size);
        note(items, value.from);
        for (const std::size_t size :
             {value.from_pitch, value.from_rows, value.width, value.height, value.depth})
            items.add_unsigned(size);
    } else if constexpr (std::is_same_v<T, void **>) {
        // It is a result.
    } else if constexpr (std::is_enum_v<T>) {
        items.add_signed(static_cast<int>(value));
    } else if constexpr (std::is_convertible_v<T, const void *>) {
        items.add_address(value);
    } else if constexpr (std::is_pointer_v<T>) {
        items.add_unknown(); // a host function
    } else if constexpr (std::is_signed_v<T>) {
        items.add_signed(value);
    } else {
        items.add_unsigned(value);
    }
}

template <class T> void note_result([[maybe_unused]] trace::Items &items, [[maybe_unused]] const T &value) {
    if constexpr (std::is_same_v<T, void **>) items.add_address(*value);
}

// The stream on which a call queues a copy or a host function; none for other calls.
template <class First, class... Rest> std::optional<Stream> queues_on(First first, Rest... rest) {
    using Last = std::tuple_element_t<sizeof...(Rest), std::tuple<First, Rest...>>;
    if constexpr ((... || std::is_same_v<Rest, void (*)(void *)>))
        return first;
    else if constexpr (std::is_same_v<Last, Stream> &&
                       (std::is_same_v<First, const Box &> || (... || std::is_same_v<Rest, Direction>)))
        return std::get<sizeof...(Rest) - 1>(std::tuple(rest...));
    else
        return std::nullopt;
}

template <auto member> struct Watched;
template <class... Arguments, int (*Runtime::*member)(Arguments...)> struct Watched<member> {
    static inline int (*behind)(Arguments...) = nullptr;
    static inline trace::OwnCall description{};
    static inline const Api *api = nullptr;

    static int call(Arguments... arguments) {
        if (!trace::is_on()) [[likely]]
            return behind(arguments...);
        trace::Span span;
        trace::KeptOwnCall kept;
        trace::ItemsMemory memory;
        const bool keeps = trace::is_keeping();
        if (keeps) {
            trace::Items items = memory.items();
            (note(items, arguments), ...);
            kept.begin(*api, description, memory.up_to(items));
        }
        span.begin(description);
        (note(span.items(), arguments), ...);
        span.start();
        int status = behind(arguments...);
        span.returned(status);
        if (!status) (note_result(span.items(), arguments), ...);
        span.end();
        if (keeps) {
            if (const auto stream = queues_on<Arguments...>(arguments...); stream && !status)
                status = trace::wait_for(*api, *stream);
            trace::Items items = memory.items();
            if (!status) (note_result(items, arguments), ...);
            kept.end(status, memory.up_to(items));
        }
        return status;
    }
};

template <auto member> void watch_one(Runtime &table, Watching how) {
    using One = Watched<member>;
    One::description = {table.api.name, how.name, how.parameters};
    One::api = &table.api;
    One::behind = table.*member;
    table.*member = One::call;
}

} // namespace

void watch(Runtime &table) {
    watch_one<&Runtime::malloc>(table, {"@Malloc", "devPtr\0out\0size\0int\0"});
    watch_one<&Runtime::free>(table, {"@Free", "devPtr\0address\0"});
    watch_one<&Runtime::malloc_managed>(table, {"@MallocManaged", "devPtr\0out\0size\0int\0"});
    watch_one<&Runtime::malloc_from_pool>(table, {"@MallocFromPoolAsync",
                                                  "ptr\0out\0size\0int\0memPool\0handle @MemPool_t\0"
                                                  "stream\0handle @Stream_t\0"});
    watch_one<&Runtime::free_async>(table, {"@FreeAsync", "devPtr\0address\0stream\0handle @Stream_t\0"});
    watch_one<&Runtime::host_alloc>(table, {"@HostAlloc", "pHost\0out\0size\0int\0"});
    watch_one<&Runtime::host_free>(table, {"@FreeHost", "ptr\0address\0"});
    watch_one<&Runtime::copy>(table, {"@Memcpy", "dst\0address\0src\0address\0count\0int\0"
                                                 "kind\0enum @MemcpyKind\0"});
    watch_one<&Runtime::copy_async>(table, {"@MemcpyAsync", "dst\0address\0src\0address\0count\0int\0"
                                                            "kind\0enum @MemcpyKind\0"
                                                            "stream\0handle @Stream_t\0"});
    constexpr const char *box =
        "dst\0address\0dpitch\0int\0drows\0int\0src\0address\0spitch\0int\0srows\0int\0"
        "width\0int\0height\0int\0depth\0int\0kind\0enum @MemcpyKind\0"
        "stream\0handle @Stream_t\0";
    watch_one<&Runtime::copy_2d_async>(table, {"@Memcpy2DAsync", box});
    watch_one<&Runtime::copy_3d_async>(table, {"@Memcpy3DAsync", box});
    watch_one<&Runtime::set_async>(table, {"@MemsetAsync", "devPtr\0address\0value\0int\0count\0int\0"
                                                           "stream\0handle @Stream_t\0"});
    watch_one<&Runtime::set_2d_async>(table, {"@Memset2DAsync",
                                              "devPtr\0address\0pitch\0int\0value\0int\0width\0int\0"
                                              "height\0int\0stream\0handle @Stream_t\0"});
    watch_one<&Runtime::stream_create>(
        table, {"@StreamCreateWithPriority", "pStream\0out\0blocking\0int\0priority\0int\0"});
    watch_one<&Runtime::stream_destroy>(table, {"@StreamDestroy", "stream\0handle @Stream_t\0"});
    watch_one<&Runtime::stream_synchronize>(table, {"@StreamSynchronize", "stream\0handle @Stream_t\0"});
    watch_one<&Runtime::stream_wait>(
        table, {"@StreamWaitEvent", "stream\0handle @Stream_t\0event\0handle @Event_t\0"});
    watch_one<&Runtime::launch_host_function>(
        table, {"@LaunchHostFunc", "stream\0handle @Stream_t\0fn\0address\0userData\0address\0"});
    watch_one<&Runtime::event_record>(table,
                                      {"@EventRecord", "event\0handle @Event_t\0stream\0handle @Stream_t\0"});
    watch_one<&Runtime::event_synchronize>(table, {"@EventSynchronize", "event\0handle @Event_t\0"});
}

} // namespace pygpu::arrays
