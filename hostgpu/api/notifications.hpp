// Functions that wait for what a device reports of itself. Its only kind so far, a program over its budget of
// memory, is Windows' (cudaAsyncNotificationTypeOverBudget), so that none is ever called.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"

namespace pygpu::host::api {

Status add_notification(int device, bool callable, NotificationTag **handle);
template <class Info, class Handle>
Status DeviceRegisterAsyncNotification(int device, void (*callback)(Info *, void *, Handle), void *,
                                       NotificationTag **handle) {
    return add_notification(device, callback != nullptr, handle);
}
Status DeviceUnregisterAsyncNotification(int device, NotificationTag *handle);

} // namespace pygpu::host::api
