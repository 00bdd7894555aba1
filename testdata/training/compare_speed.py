"""Samples a second of `engine train` and of PyTorch on the same network, in
turns: each round runs the engine's benchmark and then bench_torch.py, so that
both see the same weather. Prints every round and the median of the ratios.

  python compare_speed.py NETWORK.onnx [--arch kb4c64] [--batch 256] [--threads 2] [--rounds 5] [--compile]

NETWORK.onnx is the same architecture, from
`engine net new --arch kb4c64 --boardsize 9 -o NETWORK.onnx`. Needs go, and torch,
onnx and numpy from PyPI.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
ap = argparse.ArgumentParser()
ap.add_argument("network")
ap.add_argument("--arch", default="kb4c64")
ap.add_argument("--batch", type=int, default=256)
ap.add_argument("--threads", type=int, default=2)
ap.add_argument("--rounds", type=int, default=5)
ap.add_argument("--steps", type=int, default=12)
ap.add_argument("--compile", action="store_true", help="torch.compile too")
args = ap.parse_args()

folder = tempfile.mkdtemp()
binary = os.path.join(folder, "learn.test")
subprocess.run(["go", "test", "-c", "-o", binary, "./train/learn"], cwd=root, check=True)


def number(pattern, text):
    found = re.search(pattern, text)
    if not found:
        sys.exit("no figure in:\n" + text)
    return float(found.group(1))


def ours():
    name = f"Step/{args.arch}-{args.batch}x{args.threads}$"
    text = subprocess.run([binary, "-test.run", "^$", "-test.bench", name, "-test.benchtime", f"{args.steps}x"],
                          cwd=os.path.join(root, "train", "learn"), capture_output=True, text=True, check=True).stdout
    return number(r"([\d.]+) median-samples/s", text), number(r"([\d.]+) median-samples/cpu-s", text)


def torch():
    command = [sys.executable, os.path.join(here, "bench_torch.py"), args.network, "--batch", str(args.batch),
               "--threads", str(args.threads), "--steps", str(args.steps)] + (["--compile"] if args.compile else [])
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return number(r"median ([\d.]+) samples/s;", text), number(r"median ([\d.]+) samples per second of", text)


walls, cpus = [], []
for i in range(args.rounds):
    a, b = ours(), torch()
    walls.append(a[0] / b[0])
    cpus.append(a[1] / b[1])
    print(f"round {i + 1}: engine {a[0]:.0f} samples/s, {a[1]:.0f} per second of processor time; torch {b[0]:.0f}, {b[1]:.0f}; "
          f"ratios {walls[-1]:.2f}, {cpus[-1]:.2f}", flush=True)
print(f"median of {args.rounds}: {statistics.median(walls):.2f} by the clock ({min(walls):.2f} to {max(walls):.2f}), "
      f"{statistics.median(cpus):.2f} by processor time ({min(cpus):.2f} to {max(cpus):.2f})")
