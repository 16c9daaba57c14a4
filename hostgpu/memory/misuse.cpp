// Putting a report of misuse together.
#include "memory/misuse.hpp"

#include "base/call.hpp"
#include "base/caught.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "memory/allocation.hpp"
#include "memory/freed.hpp"

namespace pygpu::host {

void report_misuse(const char *what, const void *pointer, const Allocation *memory) noexcept {
    if (!settings().strict) return;
    caught([&] {
        const Call *call = thread().call;
        std::string text =
            std::string(call ? call->name() : "?") + "(" + (pointer ? hex(pointer) : "0") + "): " + what;
        if (const std::string place = place_of_caller(); !place.empty()) text += "\n    called at " + place;
        const std::string record = memory ? describe(*memory) : record_of_freed(pointer).text();
        report(record.empty() ? text : text + "\n    " + record);
        return Status::success;
    });
}

} // namespace pygpu::host
