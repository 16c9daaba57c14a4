// Faults that break the devices.
#include "base/fatal.hpp"

#include "base/caught.hpp"
#include "base/process.hpp"
#include "base/report.hpp"

namespace pygpu::host {

// The report comes first, so that it is there once any call returns the code.
void break_devices(Status code, const std::string &why) noexcept {
    const int number = static_cast<int>(code);
    caught([&] {
        report(why + "; every call returns " + std::to_string(number) + " until the device is reset");
        return Status::success;
    });
    int none = 0;
    process.fatal.compare_exchange_strong(none, number);
}

} // namespace pygpu::host
