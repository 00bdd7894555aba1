"""Runs ONNX graphs node by node with PyTorch, so that PyTorch differentiates them.

Only what the networks of this project contain. Weights are torch parameters;
BatchNormalization runs in training mode when asked to.
"""
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def attrs(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


class Graph(torch.nn.Module):
    def __init__(self, model, train_norms):
        super().__init__()
        graph = model.graph
        self.nodes = [(n.op_type, list(n.input), list(n.output), attrs(n)) for n in graph.node]
        self.outputs = [o.name for o in graph.output]
        self.train_norms = train_norms
        self.weights, self.constants = {}, {}
        stats = {i for n in graph.node if n.op_type == "BatchNormalization" for i in n.input[3:5]}
        for t in graph.initializer:
            value = torch.from_numpy(numpy_helper.to_array(t).copy())
            floating = value.dtype == torch.float32 and value.dim() > 0 and not t.name.startswith("const_")
            if floating and t.name not in stats:
                self.weights[t.name] = torch.nn.Parameter(value)
            else:
                self.constants[t.name] = value
        for i, (name, p) in enumerate(self.weights.items()):
            self.register_parameter(f"p{i}", p)

    def forward(self, inputs):
        v = {**self.constants, **self.weights, **inputs, "": None}
        for op, ins, outs, a in self.nodes:
            y = self.node(op, [v[i] for i in ins], a)
            v[outs[0]] = y
        return {o: v[o] for o in self.outputs}

    def node(self, op, x, a):
        if op == "Conv":
            pads = a.get("pads", [0, 0, 0, 0])
            assert pads[:2] == pads[2:]
            return F.conv2d(x[0], x[1], x[2] if len(x) > 2 else None, a.get("strides", 1), pads[:2], a.get("dilations", 1), a.get("group", 1))
        if op == "BatchNormalization":
            if self.train_norms:
                return F.batch_norm(x[0], x[3], x[4], x[1], x[2], True, 1 - a.get("momentum", 0.9), a.get("epsilon", 1e-5))
            return F.batch_norm(x[0], x[3], x[4], x[1], x[2], False, 0, a.get("epsilon", 1e-5))
        if op == "Gemm":
            w = x[1].t() if a.get("transB") else x[1]
            return torch.addmm(x[2], x[0], w) if len(x) > 2 else x[0] @ w
        if op in ("Add", "Sub", "Mul", "Div", "MatMul"):
            return {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div, "MatMul": torch.matmul}[op](x[0], x[1])
        if op in ("Relu", "Sigmoid", "Tanh", "Softplus", "Sqrt", "Sin", "Cos"):
            return {"Relu": F.relu, "Sigmoid": torch.sigmoid, "Tanh": torch.tanh, "Softplus": F.softplus, "Sqrt": torch.sqrt,
                    "Sin": torch.sin, "Cos": torch.cos}[op](x[0])
        if op == "GlobalAveragePool":
            return x[0].mean((2, 3), keepdim=True)
        if op == "GlobalMaxPool":
            return x[0].amax((2, 3), keepdim=True)
        if op == "ReduceMean":
            axes = a.get("axes") or x[1].tolist()
            return x[0].mean(tuple(axes), keepdim=bool(a.get("keepdims", 1)))
        if op == "Concat":
            return torch.cat(x, a["axis"])
        if op == "Flatten":
            return x[0].flatten(a.get("axis", 1))
        if op == "Reshape":
            shape = [x[0].shape[i] if d == 0 else d for i, d in enumerate(x[1].tolist())]
            return x[0].reshape(shape)
        if op == "Transpose":
            return x[0].permute(a["perm"])
        if op == "Unsqueeze":
            for axis in x[1].tolist():
                x[0] = x[0].unsqueeze(axis)
            return x[0]
        if op == "Slice":
            index = [slice(None)] * x[0].dim()
            steps = x[4].tolist() if len(x) > 4 else [1] * len(x[3])
            for start, end, axis, step in zip(x[1].tolist(), x[2].tolist(), x[3].tolist(), steps):
                assert step == 1
                index[axis] = slice(start, min(end, x[0].shape[axis]) if end >= 0 else end)
            return x[0][tuple(index)]
        if op == "Softmax":
            return torch.softmax(x[0], a.get("axis", -1))
        if op == "LogSoftmax":
            return torch.log_softmax(x[0], a.get("axis", -1))
        raise NotImplementedError(op)
