"""Writes losses.json: every term and measure of taught rows, computed by numpy in
float64 from the file of rows and from the raw outputs of the network by Python's
onnxruntime, for the test TestNumpyLosses of package train/learn.

  go test ./train/learn -run TestNumpyLosses -write-losses DIR
  python make_losses.py DIR > losses.json

DIR holds rows.npz (KataGo's arrays, all rows taught, boards as large as the arrays)
and net.onnx (KataGo's heads, version 14 or later). Made with numpy 2.4.6 and
onnxruntime 1.32.0.
"""
import json
import pathlib
import sys

import numpy as np
import onnxruntime

folder = pathlib.Path(sys.argv[1])
rows = np.load(folder / "rows.npz")
session = onnxruntime.InferenceSession(folder / "net.onnx", providers=["CPUExecutionProvider"])
meta = session.get_modelmeta().custom_metadata_map
scale = {k.removeprefix("kosumi.katago.").removesuffix("_multiplier"): float(v) for k, v in meta.items() if k.endswith("_multiplier")}

g = rows["globalTargetsNC"].astype(np.float64)
side = rows["valueTargetsNCHW"].shape[2]
area = side * side
planes = np.unpackbits(rows["binaryInputNCHWPacked"], axis=2)[:, :, :area].reshape(len(g), -1, side, side)
names = [o.name for o in session.get_outputs()]
found = session.run(names, {"spatial": planes.astype(np.float32), "global": rows["globalInputNC"]})
out = {k: v.astype(np.float64).reshape(len(g), *v.shape[1:]) for k, v in zip(names, found)}


def log_softmax(x):
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def softplus(x):
    return np.logaddexp(0, x)


def huber(x, delta):
    x = np.abs(x)
    return np.where(x <= delta, x * x / 2, delta * (x - delta / 2))


def cross(target, logits):
    return -(target * log_softmax(logits)).sum(axis=1)


def entropy(p):
    return -(p * np.log(np.where(p > 0, p, 1))).sum(axis=1)


policy = rows["policyTargetsNCMove"].astype(np.float64)
policy /= policy.sum(axis=2, keepdims=True)
logits = np.concatenate([out["policy"].reshape(len(g), 2, area), out["pass"].reshape(len(g), 2, 1)], axis=2)
value = g[:, 0:3]
win_loss = np.exp(log_softmax(out["value"])) @ np.array([1, -1, 0])
mean, stdev, lead, time, value_error, score_error = out["score_value"].T
mean, lead = mean * scale["score_mean"], lead * scale["lead"]
owners = rows["valueTargetsNCHW"][:, 0].astype(np.float64).reshape(len(g), area) / 120
raw = out["ownership"].reshape(len(g), area)
t = (1 + owners) / 2
weight = g[:, 25]
kl = cross(policy[:, 0], logits[:, 0]) - entropy(policy[:, 0])

# name: value of each row, weight of each row beside that of the row itself
terms = {
    "policy": (cross(policy[:, 0], logits[:, 0]), g[:, 26]),
    "policy_entropy": (entropy(policy[:, 0]), g[:, 26]),
    "policy_top1": (policy[:, 0].argmax(axis=1) == logits[:, 0].argmax(axis=1), g[:, 26]),
    "policy_kl": (kl, g[:, 26]),
    "optimistic": (cross(np.where(g[:, 75:76] > 0, policy[:, 1], policy[:, 0]), logits[:, 1]), g[:, 26]),
    "value": (cross(value, out["value"]), 1 - g[:, 35]),
    "value_entropy": (entropy(value), 1 - g[:, 35]),
    "winrate_error": (np.abs(win_loss - (g[:, 0] - g[:, 1])) / 2, 1 - g[:, 35]),
    "score_mean": (huber(mean - g[:, 3], 12), g[:, 70]),
    "score_stdev": (huber(softplus(stdev) * scale["score_stdev"] - g[:, 72], 10), g[:, 72] > 0),
    "lead": (huber(lead - g[:, 21], 8), g[:, 29]),
    "lead_error": (np.abs(lead - g[:, 21]), g[:, 29]),
    "variance_time": (huber(softplus(time) * scale["var_time"] - g[:, 22] - 1e-5, 50), g[:, 22] > 0),
    "value_error": (huber(softplus(value_error / 2) ** 2 * scale["shortterm_value_error"] - g[:, 73] ** 2, 0.4), g[:, 73] > 0),
    "score_error": (huber(softplus(score_error / 2) ** 2 * scale["shortterm_score_error"] - g[:, 74] ** 2, 100), g[:, 74] > 0),
    "ownership": ((softplus(2 * raw) - t * 2 * raw).mean(axis=1), g[:, 71]),
    "ownership_error": (np.abs(np.tanh(raw) - owners).mean(axis=1), g[:, 71]),
}
result = {}
for name, (x, w) in terms.items():
    w = weight * w
    result[name] = {"mean": float((x * w).sum() / w.sum()), "weight": float(w.sum())}
print(json.dumps(result, indent=1))
