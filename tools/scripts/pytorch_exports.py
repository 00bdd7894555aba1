"""Exports the tutorials' dual-head network in every way that PyTorch has, and checks what Kosumi wrote.

    pytorch_exports.py export DIR     writes DIR/*.onnx, some with their weights in a second file
    pytorch_exports.py check FILE...  onnx.checker, and a run in onnxruntime
"""
import sys
import warnings


def network(log_softmax=False, planes=7):
    import torch
    from torch import nn

    class DualHead(nn.Module):
        def __init__(self, size=9, channels=32):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(planes, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU())
            self.block = nn.Sequential(
                nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
                nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))
            self.policy = nn.Sequential(nn.Conv2d(channels, 2, 1), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(),
                                        nn.Linear(2 * size * size, size * size + 1))
            self.value = nn.Sequential(nn.Conv2d(channels, 1, 1), nn.BatchNorm2d(1), nn.ReLU(), nn.Flatten(),
                                       nn.Linear(size * size, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())

        def forward(self, x):
            x = self.stem(x)
            x = torch.relu(self.block(x) + x)
            policy = self.policy(x)
            return (torch.log_softmax(policy, 1) if log_softmax else policy), self.value(x)

    torch.manual_seed(1)
    return DualHead()


def export(folder):
    import torch
    boards = {7: torch.zeros(1, 7, 9, 9), 17: torch.zeros(1, 17, 9, 9)}
    one, soft, zero = network().eval(), network(log_softmax=True).eval(), network(planes=17).eval()
    batch = {"dynamic_axes": {"x": {0: "batch"}}, "input_names": ["x"], "output_names": ["policy", "value"]}
    ways = {"default": (one, {}), "default-soft": (soft, {}), "default-17": (zero, {}), "torchscript-17-planes": (zero, {"dynamo": False})}
    for opset in (18, 19, 20, 21, 23):
        ways[f"dynamo-{opset}"] = (one, {"opset_version": opset, "external_data": False})
        ways[f"dynamo-{opset}-two-files"] = (one, {"opset_version": opset, "external_data": True})
    ways["dynamo-batch"] = (one, {"dynamic_shapes": {"x": {0: torch.export.Dim("batch")}}})
    ways["dynamo-of-training"] = (network().train(), {})
    for opset in range(13, 21):
        ways[f"torchscript-{opset}"] = (one, {"dynamo": False, "opset_version": opset})
        ways[f"torchscript-{opset}-batch"] = (one, {"dynamo": False, "opset_version": opset, **batch})
        ways[f"torchscript-{opset}-unfolded"] = (soft, {"dynamo": False, "opset_version": opset, "do_constant_folding": False})
    ways["torchscript-of-training"] = (network().train(), {
        "dynamo": False, "opset_version": 17, "training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False})
    for name, (net, how) in ways.items():
        torch.onnx.export(net, (boards[17 if net is zero else 7],), f"{folder}/{name}.onnx", **how)
    print(len(ways), "exports", file=sys.stderr)


def check(files):
    import numpy
    import onnx
    import onnxruntime
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 3
    for path in files:
        onnx.checker.check_model(path, full_check=True)
        session = onnxruntime.InferenceSession(path, quiet, providers=["CPUExecutionProvider"])
        zeros = {i.name: numpy.zeros([d if isinstance(d, int) else 3 for d in i.shape], numpy.float32) for i in session.get_inputs()}
        for out in session.run(None, zeros):
            assert numpy.isfinite(out).all(), path


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1] == "export":
        export(sys.argv[2])
    else:
        check(sys.argv[2:])
