"""Writes the pytorch-dualhead-9x9*.onnx fixtures and their reference outputs.

Made with torch 2.6.0, onnx 1.18.0, onnxscript 0.2.7 and numpy 2.2, CPU:

    python export_dualhead.py

The network is the tutorial's dual head (7 planes, post-activation residual
blocks, log-softmax policy, tanh value) made small: 2 blocks of 16 channels,
random weights, random batch statistics.
"""

import json

import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE, PLANES, CHANNELS, BLOCKS = 9, 7, 16, 2


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(CHANNELS)
        self.conv2 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(CHANNELS)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + x)


class DualHead(nn.Module):
    def __init__(self, planes=PLANES):
        super().__init__()
        area = SIZE * SIZE
        self.conv_input = nn.Conv2d(planes, CHANNELS, 3, padding=1)
        self.bn_input = nn.BatchNorm2d(CHANNELS)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.policy_conv = nn.Conv2d(CHANNELS, 2, 1)
        self.policy_bn = nn.BatchNorm2d(2)
        self.policy_fc = nn.Linear(2 * area, area + 1)
        self.value_conv = nn.Conv2d(CHANNELS, 1, 1)
        self.value_bn = nn.BatchNorm2d(1)
        self.value_fc1 = nn.Linear(area, 64)
        self.value_fc2 = nn.Linear(64, 1)

    def forward(self, x):
        x = F.relu(self.bn_input(self.conv_input(x)))
        for block in self.blocks:
            x = block(x)
        policy = F.relu(self.policy_bn(self.policy_conv(x)))
        policy = policy.view(policy.size(0), -1)
        policy = F.log_softmax(self.policy_fc(policy), dim=1)
        value = F.relu(self.value_bn(self.value_conv(x)))
        value = value.view(value.size(0), -1)
        value = torch.tanh(self.value_fc2(F.relu(self.value_fc1(value))))
        return policy, value


def randomise_statistics(net):
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            nn.init.normal_(m.running_mean, 0.0, 0.3)
            nn.init.uniform_(m.running_var, 0.3, 2.0)
            nn.init.uniform_(m.weight, 0.5, 1.5)
            nn.init.normal_(m.bias, 0.0, 0.2)


def inputs():
    boards = (torch.rand(2, PLANES, SIZE, SIZE) < 0.3).float()
    noise = (torch.randn(1, PLANES, SIZE, SIZE) * 100).round() / 100
    return torch.cat([boards, noise])


def clean(file):
    """Takes out where on the exporting machine the nodes came from."""
    m = onnx.load(file, load_external_data=False)
    for nodes in [m.graph.node] + [f.node for f in m.functions]:
        for n in nodes:
            del n.metadata_props[:]
            n.doc_string = ""
    for part in [m.graph] + list(m.functions):
        del part.metadata_props[:]
    onnx.save(m, file)


def main():
    torch.manual_seed(20240501)
    net = DualHead()
    randomise_statistics(net)
    net.eval()
    x = inputs()
    with torch.no_grad():
        policy, value = net(x)
        policy64, value64 = net.double()(x.double())
        net.float()
    print("float32 against float64:", (policy - policy64).abs().max(), (value - value64).abs().max())

    names = dict(input_names=["planes"], output_names=["policy", "value"])
    batch = {n: {0: "batch"} for n in ("planes", "policy", "value")}
    one = x[:1]
    torch.onnx.export(net, one, "pytorch-dualhead-9x9.onnx", opset_version=17, dynamic_axes=batch, **names)
    # As a first try at it looks: nothing named, batch fixed at what was traced.
    torch.onnx.export(net, one, "pytorch-dualhead-9x9-plain.onnx")
    # BatchNormalization nodes kept.
    torch.onnx.export(net, one, "pytorch-dualhead-9x9-bn.onnx", opset_version=13, dynamic_axes=batch,
                      do_constant_folding=False, training=torch.onnx.TrainingMode.PRESERVE, **names)
    program = torch.onnx.export(net, (x[:2],), dynamo=True,
                                dynamic_shapes=({0: torch.export.Dim("batch")},), **names)
    program.save("pytorch-dualhead-9x9-dynamo.onnx")
    clean("pytorch-dualhead-9x9-dynamo.onnx")

    ref = {
        "planes": [[round(v, 2) for v in row.flatten().tolist()] for row in x],
        "policy": policy64.tolist(),
        "value": value64.flatten().tolist(),
    }
    with open("pytorch-dualhead-9x9.json", "w") as f:
        f.write("{\n" + ",\n".join(f'"{k}": [\n' + ",\n".join(json.dumps(r) for r in v) + "\n]" for k, v in ref.items()) + "\n}\n")


if __name__ == "__main__":
    main()
