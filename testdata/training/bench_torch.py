"""Samples a second of training steps in PyTorch, for comparison with
`go test -bench Step ./train/learn`.

  python bench_torch.py NETWORK.onnx [--batch 256] [--threads 2] [--steps 20]

The network is an ONNX file (`engine net new --arch kb4c64 --boardsize 9 -o x.onnx`);
it is run node by node, and again after torch.compile where a C++ compiler is
there. The losses are policy and value cross entropy and ownership (or, for two
heads, policy cross entropy and squared value error); the optimizer is SGD with
momentum. Newest torch from PyPI.
"""
import argparse
import time

import numpy as np
import onnx
import torch
import torch.nn.functional as F

from onnx_torch import Graph

ap = argparse.ArgumentParser()
ap.add_argument("network")
ap.add_argument("--batch", type=int, default=256)
ap.add_argument("--threads", type=int, default=2)
ap.add_argument("--steps", type=int, default=20)
ap.add_argument("--repeats", type=int, default=1)
ap.add_argument("--channels-last", action="store_true")
ap.add_argument("--compile", action="store_true")
args = ap.parse_args()
torch.set_num_threads(args.threads)
model = onnx.load(args.network)
g = Graph(model, True)
n = args.batch
rng = np.random.default_rng(1)
inputs = {}
for i in model.graph.input:
    dims = [d.dim_value or n for d in i.type.tensor_type.shape.dim]
    x = torch.from_numpy((rng.random(dims) < 0.25).astype(np.float32))
    if x.dim() == 4:
        area = x.shape[2] * x.shape[3]
        if args.channels_last:
            x = x.to(memory_format=torch.channels_last)
    inputs[i.name] = x
policy = torch.softmax(torch.randn(n, area + 1), 1)
value = F.one_hot(torch.randint(2, (n,)), 3).float()
own = torch.rand(n, area)
opt = torch.optim.SGD(g.parameters(), 1e-3, momentum=0.9)
forward = torch.compile(g) if args.compile else g


def step():
    opt.zero_grad()
    o = forward(inputs)
    if "pass" in o:
        logits = torch.cat([o["policy"].flatten(2), o["pass"].unsqueeze(2)], 2)
        loss = F.cross_entropy(logits[:, 0], policy) + F.cross_entropy(o["value"], value)
        loss = loss + F.binary_cross_entropy_with_logits(2 * o["ownership"].flatten(1), own)
        loss = loss + 0.001 * o["score_value"].square().mean() + 0.1 * F.cross_entropy(logits[:, 1], policy)
    else:
        loss = -(policy * o["policy"]).sum(1).mean() + F.mse_loss(o["value"][:, 0], value[:, 0] - value[:, 1])
    loss.backward()
    torch.nn.utils.clip_grad_norm_(g.parameters(), 10.0)
    opt.step()
    return loss


for _ in range(3):
    step()
for _ in range(args.repeats):
    times, cpu = [], []
    for _ in range(args.steps):
        t, c = time.perf_counter(), time.process_time()
        step().item()
        times.append(time.perf_counter() - t)
        cpu.append(time.process_time() - c)
    print(f"torch {torch.__version__}: best {n / min(times):.0f}, median {n / np.median(times):.0f} samples/s; "
          f"best {n / min(cpu):.0f}, median {n / np.median(cpu):.0f} samples per second of processor time", flush=True)
