// Handles of functions that wait for notifications.
#include "api/notifications.hpp"

#include "base/handles.hpp"
#include "device/device.hpp"

namespace pygpu::host::api {
namespace {

struct Notification {
    int device;
};

Handles<Notification> &notifications() {
    static auto *all = new Handles<Notification>;
    return *all;
}

} // namespace

Status add_notification(int device, bool callable, NotificationTag **handle) {
    if (!callable || !handle) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    *handle = static_cast<NotificationTag *>(
        notifications().add(std::make_shared<Notification>(Notification{device})));
    return Status::success;
}

Status DeviceUnregisterAsyncNotification(int device, NotificationTag *handle) {
    if (!is_device(device)) return Status::invalid_device;
    const auto object = notifications().find(handle);
    if (!object || object->device != device) return Status::invalid_value;
    notifications().remove(handle);
    return Status::success;
}

} // namespace pygpu::host::api
