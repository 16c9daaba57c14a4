"""A program of PyTorch's: transfers, streams, events, a replayed graph, and a compiled function."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_one(x, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def softmax_of_sine(x, y):
    return torch.nn.functional.softmax(torch.sin(x) * y + 1, dim=-1).sum(0)


stream, done = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True)
source = torch.arange(1000, dtype=torch.float32).pin_memory()
with torch.cuda.stream(stream):
    there = source.to("cuda", non_blocking=True)
    done.record()
done.synchronize()
assert torch.equal(there.cpu(), source)

add_one[(8,)](there, 1000, block=128)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    add_one[(8,)](there, 1000, block=128)
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
assert torch.equal(there.cpu(), source + 6)

x, y = torch.randn(64, 100), torch.randn(64, 100)
result = torch.compile(softmax_of_sine)(x.cuda(), y.cuda()).cpu()
torch.testing.assert_close(result, softmax_of_sine(x, y))
print("right")
