"""Times of cuDNN's convolution and PyTorch's transpose and product, for the same sizes as bench.cu. JSON lines."""

import datetime
import json
import os
import statistics

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
HEAD = {
    "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "card": torch.cuda.get_device_name(),
    "torch": torch.__version__,
    "commit": os.environ.get("WARPLAB_COMMIT", "unknown"),
    "cudnn": torch.backends.cudnn.version(),
}


def measure(call, buffers, repetitions=50):
    """Median, 10th and 90th percentile in milliseconds of single calls; the call takes the buffer's number."""
    for i in range(5):
        call(i % buffers)
    times = []
    for i in range(repetitions):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call(i % buffers)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    times.sort()
    return statistics.median(times), times[len(times) // 10], times[len(times) * 9 // 10]


def line(what, size, times):
    median, low, high = times
    print(json.dumps({**HEAD, "kernel": what, "size": size, "median_ms": round(median, 5), "p10_ms": round(low, 5),
                      "p90_ms": round(high, 5)}), flush=True)


for n in (2048, 8192):
    buffers = 8 if n == 2048 else 2
    images = [torch.rand(1, 1, n, n, device="cuda") for _ in range(buffers)]
    outs = [torch.empty_like(image) for image in images]
    line("copy", f"{n}x{n}", measure(lambda i: outs[i].copy_(images[i]), buffers))
    for radius in (1, 2, 3):
        size = 2 * radius + 1
        taps = torch.rand(1, 1, size, size, device="cuda")
        line("conv2d", f"{n}x{n} filter {size}x{size}",
             measure(lambda i: torch.nn.functional.conv2d(images[i], taps, padding=radius), buffers))
for n in (4096, 16384):
    matrices = [torch.rand(n, n, device="cuda") for _ in range(2)]
    outs = [torch.empty_like(matrix) for matrix in matrices]
    line("transpose", f"{n}x{n}", measure(lambda i: outs[i].copy_(matrices[i].t()), 2))
for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (4095, 4097, 4093)):
    a, b = torch.rand(m, k, device="cuda"), torch.rand(k, n, device="cuda")
    c = torch.empty(m, n, device="cuda")
    line("matmul", f"{m}x{n}x{k}", measure(lambda i: torch.matmul(a, b, out=c), 1, 10))
