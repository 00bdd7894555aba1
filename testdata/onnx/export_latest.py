"""Writes pytorch-dualhead-9x9-latest*.onnx, pytorch-seed-9x9.* and pytorch-agz-9x9.*.

Made with torch 2.15.0, onnx 1.23.2, onnxscript 0.7.2 and numpy 2.4, CPU:

    python export_latest.py

The first is the network of export_dualhead.py again, as today's PyTorch writes
it with its defaults; -external is what those defaults leave without the file of
weights beside it. The second is the network of the tutorial's chapter on
KataGo's architecture (22 planes, pre-activation blocks, a global pooling block
after every sixth, four heads), made small: 6 blocks of 8 channels, 9x9, hidden
layers of 16. The third is the first with AlphaGo Zero's 17 planes.
"""

import json
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

from export_dualhead import DualHead, clean, inputs, randomise_statistics

SIZE, PLANES, CHANNELS, BLOCKS, HIDDEN = 9, 22, 8, 6, 16


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(CHANNELS)
        self.conv1 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(CHANNELS)
        self.conv2 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)

    def forward(self, x):
        y = self.conv1(F.relu(self.bn1(x)))
        return self.conv2(F.relu(self.bn2(y))) + x


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.fc = nn.Linear(CHANNELS, CHANNELS)

    def forward(self, x):
        whole = self.fc(x.mean(dim=[2, 3])).unsqueeze(2).unsqueeze(3)
        return self.conv(x) + whole.expand(-1, -1, SIZE, SIZE)


class Scalar(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(CHANNELS, 1, 1)
        self.bn = nn.BatchNorm2d(1)
        self.fc1 = nn.Linear(SIZE * SIZE, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, 1)

    def forward(self, x):
        y = F.relu(self.bn(self.conv(x)))
        return self.fc2(F.relu(self.fc1(y.view(y.size(0), -1))))


class Seed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(PLANES, CHANNELS, 3, padding=1)
        self.bn = nn.BatchNorm2d(CHANNELS)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.pools = nn.ModuleList([Pooling() for _ in range(BLOCKS // 6)])
        self.policy_conv = nn.Conv2d(CHANNELS, 2, 1)
        self.policy_bn = nn.BatchNorm2d(2)
        self.policy_fc = nn.Linear(2 * SIZE * SIZE, SIZE * SIZE + 1)
        self.value = Scalar()
        self.score = Scalar()
        self.own_conv1 = nn.Conv2d(CHANNELS, 32, 1)
        self.own_bn = nn.BatchNorm2d(32)
        self.own_conv2 = nn.Conv2d(32, 1, 1)

    def forward(self, x):
        x = F.relu(self.bn(self.conv(x)))
        for i, block in enumerate(self.blocks):
            x = block(x)
            if (i + 1) % 6 == 0:
                x = self.pools[i // 6](x)
        p = F.relu(self.policy_bn(self.policy_conv(x)))
        p = F.softmax(self.policy_fc(p.view(p.size(0), -1)), dim=1)
        o = torch.tanh(self.own_conv2(F.relu(self.own_bn(self.own_conv1(x)))))
        return {
            "policy": p,
            "value": torch.tanh(self.value(x)),
            "score": self.score(x),
            "ownership": o.view(o.size(0), -1),
        }


def rows(f, name, values):
    f.write(f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in values) + "\n]")


def main():
    torch.manual_seed(20240501)
    net = DualHead()
    randomise_statistics(net)
    net.eval()
    x = inputs()
    with open("pytorch-dualhead-9x9.json") as f:
        ref = json.load(f)
    with torch.no_grad():
        policy, value = net(x)
    assert (policy - torch.tensor(ref["policy"])).abs().max() < 1e-5
    assert (value[:, 0] - torch.tensor(ref["value"])).abs().max() < 1e-5
    batch = torch.export.Dim("batch")
    torch.onnx.export(net, (x[:2],), "pytorch-dualhead-9x9-latest.onnx", external_data=False,
                      dynamic_shapes=({0: batch},), input_names=["planes"], output_names=["policy", "value"])
    torch.onnx.export(net, (x[:1],), "pytorch-dualhead-9x9-external.onnx")
    os.remove("pytorch-dualhead-9x9-external.onnx.data")
    clean("pytorch-dualhead-9x9-latest.onnx")
    clean("pytorch-dualhead-9x9-external.onnx")

    torch.manual_seed(20240507)
    net = Seed()
    randomise_statistics(net)
    net.eval()
    x = (torch.rand(3, PLANES, SIZE, SIZE) < 0.3).float()
    torch.onnx.export(net, (x[:2],), "pytorch-seed-9x9.onnx", external_data=False,
                      dynamic_shapes=({0: batch},), input_names=["planes"],
                      output_names=["policy", "value", "score", "ownership"])
    clean("pytorch-seed-9x9.onnx")
    with torch.no_grad():
        out = net.double()(x.double())
    write("pytorch-seed-9x9.json", x, out)

    torch.manual_seed(20240517)
    net = DualHead(planes=17)
    randomise_statistics(net)
    net.eval()
    x = (torch.rand(3, 17, SIZE, SIZE) < 0.3).float()
    torch.onnx.export(net, (x[:1],), "pytorch-agz-9x9.onnx", external_data=False)
    clean("pytorch-agz-9x9.onnx")
    with torch.no_grad():
        policy, value = net.double()(x.double())
    write("pytorch-agz-9x9.json", x, {"policy": policy, "value": value[:, 0]})


def write(file, x, out):
    with open(file, "w") as f:
        f.write("{\n")
        rows(f, "planes", [[int(v) for v in row.flatten().tolist()] for row in x])
        for name, values in out.items():
            f.write(",\n")
            rows(f, name, values.tolist())
        f.write("\n}\n")


if __name__ == "__main__":
    main()
