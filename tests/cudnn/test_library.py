"""The real library without a GPU: its versions, errors, and descriptors."""

from __future__ import annotations

import numpy as np
import pytest


def test_the_version_is_that_of_the_library(cudnn):
    major, minor, patch = (cudnn.checked.cudnnGetProperty(part) for part in range(3))
    assert cudnn.cudnnGetVersion() == 10000 * major + 100 * minor + patch
    assert cudnn.cudnnGetProperty(3) == (None, cudnn.CUDNN_STATUS_BAD_PARAM)
    assert not cudnn.cudnnGraphVersionCheck()
    assert cudnn.cudnnGetCudartVersion() >= 12000


def test_statuses_have_texts(cudnn, has_device):
    assert cudnn.cudnnGetErrorString(2000) == "CUDNN_STATUS_BAD_PARAM"
    if not has_device:
        assert cudnn.cudnnCreate() == (None, cudnn.CUDNN_STATUS_NOT_INITIALIZED)
        assert cudnn.cudnnGetLastErrorString()


def test_a_tensor_takes_its_attributes(cudnn):
    descriptor = cudnn.checked.cudnnBackendCreateDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
    dimensions = np.array([2, 3, 4], "i8")

    def put(name: str, kind: str, *elements: object):
        attribute = getattr(cudnn, f"CUDNN_ATTR_TENSOR_{name}")
        return cudnn.cudnnBackendSetAttribute(
            descriptor, attribute, getattr(cudnn, f"CUDNN_TYPE_{kind}"), *elements
        )

    assert not put("DATA_TYPE", "DATA_TYPE", 1, np.array([cudnn.CUDNN_DATA_FLOAT], "i4"))
    assert not put("DIMENSIONS", "INT64", 3, dimensions)
    assert not put("STRIDES", "INT64", 3, np.array([12, 4, 1], "i8"))
    assert not put("IS_VIRTUAL", "BOOLEAN", 1, np.array([False]))
    assert put("DIMENSIONS", "DOUBLE", 3, np.zeros(3)).name.startswith("CUDNN_STATUS_BAD_PARAM")
    with pytest.raises(ValueError, match="'arrayOfElements' is too short: 32 needed, 24 given"):
        put("DIMENSIONS", "INT64", 4, dimensions)
    get = cudnn.cudnnBackendGetAttribute
    status = get(descriptor, cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS, cudnn.CUDNN_TYPE_INT64, 0, None)
    assert status == (None, cudnn.CUDNN_STATUS_NOT_INITIALIZED)  # before it is finalized
    assert not cudnn.cudnnBackendDestroyDescriptor(descriptor)
