"""A program of tinygrad's, on its CUDA backend: a product of matrices, and a gradient."""

import numpy as np
from tinygrad import Device, Tensor

assert Device.DEFAULT == "CUDA"
numbers = np.random.default_rng(5).random((30, 40), np.float32)
weights = Tensor(numbers)
ones = Tensor.ones(40, 20)
loss = (weights @ ones).relu().sum()
(gradient,) = loss.gradient(weights)
np.testing.assert_allclose(loss.item(), numbers.sum(dtype=np.float64) * 20, rtol=1e-5)
np.testing.assert_array_equal(gradient.numpy(), np.full((30, 40), 20, np.float32))
print("right")
