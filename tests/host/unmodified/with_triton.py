"""A program of Triton's: sums of rows, and a product of matrices by blocks."""

import torch  # allocates and transfers
import triton
import triton.language as tl


@triton.jit
def sums_of_rows(x, out, width, block: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, block)
    tl.store(out + row, tl.sum(tl.load(x + row * width + i, mask=i < width, other=0.0)))


@triton.jit
def product(a, b, c, n, block: tl.constexpr):
    rows = (tl.program_id(0) * block + tl.arange(0, block))[:, None]
    columns = (tl.program_id(1) * block + tl.arange(0, block))[None, :]
    total = tl.zeros((block, block), dtype=tl.float32)
    for k in range(0, n, block):
        left = tl.load(a + rows * n + k + tl.arange(0, block)[None, :])
        right = tl.load(b + (k + tl.arange(0, block)[:, None]) * n + columns)
        total += tl.dot(left, right)
    tl.store(c + rows * n + columns, total)


torch.manual_seed(7)
x = torch.randn(5, 100)
out = torch.empty(5, device="cuda")
sums_of_rows[(5,)](x.cuda(), out, 100, block=128)
torch.testing.assert_close(out.cpu(), x.sum(1))

a, b = (torch.randn(64, 64).half() for _ in range(2))
c = torch.empty(64, 64, device="cuda")
product[(2, 2)](a.cuda(), b.cuda(), c, 64, block=32)
torch.testing.assert_close(c.cpu(), a.float() @ b.float(), rtol=1e-3, atol=1e-3)
print("right")
