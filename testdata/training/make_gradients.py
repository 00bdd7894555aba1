"""Writes gradients.json: derivatives computed by PyTorch in float64, for the test
TestPyTorch of package nn/autodiff.

  go test ./nn/autodiff -run TestPyTorch -write-cases DIR
  python make_gradients.py DIR > gradients.json

DIR holds one ONNX file a case, its inputs stored as initializers. The number that
is differentiated is the output "loss", or else the sum over all outputs, in their
order, of output[i]*sin(i+1), i counting the elements of each. For each tensor the
file says its number of elements, the Euclidean norm, the sum of g[i]*cos(i), and
the first eight numbers; and so for the running statistics after the step of cases
whose name ends in "-train". Made with torch 2.15.0, onnx 1.23.2.
"""
import json
import pathlib
import sys

import onnx
import torch

from onnx_torch import Graph


def about(g):
    g = g.detach().flatten()
    i = torch.arange(g.numel(), dtype=torch.float64)
    return {"n": g.numel(), "norm": g.norm().item(), "dot": (g * torch.cos(i)).sum().item(), "first": g[:8].tolist()}


def run(path):
    model = onnx.load(path)
    train = path.stem.endswith("-train")
    graph = Graph(model, train, torch.float64)
    before = {k: v.clone() for k, v in graph.constants.items()}
    out = graph({})
    if "loss" in out:
        loss = out["loss"].sum()
    else:
        loss = sum((v.flatten() * torch.sin(torch.arange(1, v.numel() + 1, dtype=torch.float64))).sum() for v in out.values())
    loss.backward()
    found = {"loss": loss.item(), "gradients": {}, "statistics": {}}
    for name, p in graph.weights.items():
        found["gradients"][name] = about(p.grad if p.grad is not None else torch.zeros_like(p))
    for name, v in graph.constants.items():
        if train and not torch.equal(v, before[name]):
            found["statistics"][name] = about(v)
    return found


cases = {p.stem: run(p) for p in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))}
print("{")
print(",\n".join(json.dumps(k) + ": " + json.dumps(v) for k, v in cases.items()))
print("}")
