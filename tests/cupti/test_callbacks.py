"""Callbacks of a stand-in, on its threads and with data that it lends."""

from __future__ import annotations

import ctypes
import os
import sys

import pytest

import PyGPU
from PyGPU import cupti
from tests.own_interpreter import own_interpreter


def standin() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ["PYGPU_CUPTI_LIBRARY"])
    library.standin_name.restype = ctypes.c_char_p
    return library


@own_interpreter("on_standin")
def test_a_callable_gets_the_functions_name_and_the_kernels():
    seen, data = [], object()

    def called(user, domain, number, info):
        assert user is data
        assert number == cupti.CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
        seen.append(info)

    with cupti.CUpti_SubscriberHandle(callback=called, userdata=data) as subscriber:
        cupti.checked.cuptiEnableDomain(1, subscriber, cupti.CUPTI_CB_DOMAIN_RUNTIME_API)
        standin().standin_call(2, b"cudaLaunchKernel", b"saxpy")
        standin().standin_call(1, b"cuLaunchKernel", b"saxpy")  # of a domain that is off
    # The copies stay as C's memory was.
    enter, leave = seen
    assert type(enter) is cupti.CUpti_CallbackData
    assert enter.callbackSite is cupti.CUpti_ApiCallbackSite.CUPTI_API_ENTER
    assert leave.callbackSite is cupti.CUpti_ApiCallbackSite.CUPTI_API_EXIT
    assert (enter.functionName, enter.symbolName) == ("cudaLaunchKernel", "saxpy")
    assert leave.functionName == "cudaLaunchKernel"
    assert (enter.correlationId, enter.contextUid) == (42, 3)
    assert standin().standin_subscribers() == 0
    assert not subscriber


@own_interpreter("on_standin")
def test_the_domain_says_what_the_data_is():
    seen = []
    subscriber = cupti.CUpti_SubscriberHandle(
        callback=lambda user, domain, number, info: seen.append((domain, info))
    )
    for domain in (1, 4, 6, 7):
        cupti.checked.cuptiEnableDomain(1, subscriber, domain)
        standin().standin_call(domain, b"cuMemAlloc", None)
    driver, sync, state, unknown = seen[::2]
    assert driver[0] is cupti.CUpti_CallbackDomain.CUPTI_CB_DOMAIN_DRIVER_API
    assert (driver[1].functionName, driver[1].symbolName) == ("cuMemAlloc", None)
    assert type(sync[1]) is cupti.CUpti_SynchronizeData
    assert int(sync[1].stream) == 0x5000
    assert state == (cupti.CUPTI_CB_DOMAIN_STATE, None)
    assert unknown == (7, None)


@own_interpreter("on_standin")
def test_a_second_subscriber_and_an_exception():
    errors = []
    sys.unraisablehook = lambda one: errors.append(one.exc_type)
    subscriber, err = cupti.cuptiSubscribe(lambda *given: given[7])
    assert not err
    assert cupti.cuptiSubscribe(print) == (
        None,
        cupti.CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
    )
    with pytest.raises(PyGPU.GPUError, match="MULTIPLE_SUBSCRIBERS"):
        cupti.CUpti_SubscriberHandle(callback=print)
    cupti.checked.cuptiEnableDomain(1, subscriber, 2)
    standin().standin_call(2, b"cudaFree", None)
    assert errors == [IndexError, IndexError]
    cupti.checked.cuptiUnsubscribe(subscriber)
    assert standin().standin_subscribers() == 0


@own_interpreter("on_standin")
def test_a_subscriber_has_a_name():
    old = bytearray(64)
    parameters = cupti.CUpti_SubscriberParams(
        subscriberName="mine", oldSubscriberName=old, oldSubscriberSize=len(old)
    )
    assert parameters.structSize == 40
    assert parameters.subscriberName == "mine"
    subscriber, err = cupti.cuptiSubscribe_v2(print, None, parameters)
    assert not err
    assert standin().standin_name() == b"mine"
    assert cupti.cuptiSubscribe_v2(print, None, parameters)[1]
    assert old.startswith(b"another\0")
    cupti.checked.cuptiUnsubscribe(subscriber)
    parameters.oldSubscriberSize = 65
    with pytest.raises(ValueError, match=r"oldSubscriberName.*65 needed, 64 given"):
        cupti.cuptiSubscribe_v2(print, None, parameters)
    with pytest.raises(ValueError, match="NUL"):
        parameters.subscriberName = "mi\0ne"
    parameters.subscriberName = None
    assert parameters.subscriberName is None
    parameters.subscriberName = b"bytes\0"
    assert parameters.subscriberName == "bytes"
