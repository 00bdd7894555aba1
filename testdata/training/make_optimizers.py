"""Writes optimizers.json: weights after steps of PyTorch's optimizers, for the
test TestOptimizersLikePyTorch of package nn/autodiff. The loss is sum(w*c) with c
drawn anew each step, so the gradient is c.

  python make_optimizers.py > optimizers.json
"""
import json

import torch

CASES = {
    "sgd": (torch.optim.SGD, {"lr": 0.1}, 0),
    "sgd momentum": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}, 0),
    "sgd nesterov decay": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}, 0),
    "sgd clip": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.8}, 1.5),
    "adam": (torch.optim.Adam, {"lr": 0.01}, 0),
    "adam decay": (torch.optim.Adam, {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1}, 0),
    "adamw": (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}, 0),
    "adamw clip": (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.02}, 1.0),
}

torch.manual_seed(1)
steps = [[torch.randn(2, 3).tolist(), torch.randn(4).tolist()] for _ in range(5)]
start = [torch.randn(2, 3).tolist(), torch.randn(4).tolist()]
out = {"start": start, "gradients": steps, "cases": {}}
for name, (kind, options, clip) in CASES.items():
    w = [torch.tensor(s, dtype=torch.float64, requires_grad=True) for s in start]
    opt = kind(w, **options)
    norms = []
    for c in steps:
        opt.zero_grad()
        sum((x * torch.tensor(g, dtype=torch.float64)).sum() for x, g in zip(w, c)).backward()
        norms.append(torch.nn.utils.clip_grad_norm_(w, clip or 1e9).item())
        opt.step()
    out["cases"][name] = {"norms": norms, "weights": [x.tolist() for x in w]}
print(json.dumps(out))
