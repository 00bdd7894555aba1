"""Runs ONNX graphs node by node with PyTorch, so that PyTorch differentiates them.

Only what the networks of this project contain. Weights are torch parameters;
BatchNormalization runs in training mode when asked to.
"""
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


SIMPLE = {
    "Identity": lambda x: x, "Relu": F.relu, "Sigmoid": torch.sigmoid, "Tanh": torch.tanh, "Softplus": F.softplus, "Sqrt": torch.sqrt,
    "Sin": torch.sin, "Cos": torch.cos, "Exp": torch.exp, "Log": torch.log, "Neg": torch.neg, "Abs": torch.abs, "Erf": torch.erf,
    "Reciprocal": torch.reciprocal, "Mish": F.mish,
}


def attrs(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


class Graph(torch.nn.Module):
    def __init__(self, model, train_norms, dtype=torch.float32):
        super().__init__()
        graph = model.graph
        self.nodes = [(n.op_type, list(n.input), list(n.output), attrs(n)) for n in graph.node]
        self.outputs = [o.name for o in graph.output]
        self.train_norms = train_norms
        self.weights, self.constants = {}, {}
        stats = {i for n in graph.node if n.op_type == "BatchNormalization" for i in n.input[3:5]}
        for t in graph.initializer:
            value = torch.from_numpy(numpy_helper.to_array(t).copy())
            floating = value.dtype == torch.float32 and not t.name.startswith("const_")
            if value.dtype == torch.float32:
                value = value.to(dtype)
            if floating and t.name not in stats:
                self.weights[t.name] = torch.nn.Parameter(value)
            else:
                self.constants[t.name] = value
        for i, (name, p) in enumerate(self.weights.items()):
            self.register_parameter(f"p{i}", p)

    def forward(self, inputs):
        v = {**self.constants, **self.weights, **inputs, "": None}
        for op, ins, outs, a in self.nodes:
            if op == "Constant":
                v[outs[0]] = torch.from_numpy(numpy_helper.to_array(a["value"]).copy())
                continue
            if op == "Split":
                for o, y in zip(outs, torch.split(v[ins[0]], v[ins[1]].tolist(), a.get("axis", 0))):
                    v[o] = y
                continue
            v[outs[0]] = self.node(op, [v[i] for i in ins], a)
        return {o: v[o] for o in self.outputs}

    def node(self, op, x, a):
        if op == "Conv":
            pads = a.get("pads", [0, 0, 0, 0])
            if pads[:2] != pads[2:]:
                x[0], pads = F.pad(x[0], [pads[1], pads[3], pads[0], pads[2]]), [0, 0]
            return F.conv2d(x[0], x[1], x[2] if len(x) > 2 else None, a.get("strides", 1), pads[:2], a.get("dilations", 1), a.get("group", 1))
        if op == "BatchNormalization":
            if self.train_norms:
                return F.batch_norm(x[0], x[3], x[4], x[1], x[2], True, 1 - a.get("momentum", 0.9), a.get("epsilon", 1e-5))
            return F.batch_norm(x[0], x[3], x[4], x[1], x[2], False, 0, a.get("epsilon", 1e-5))
        if op == "Gemm":
            y = a.get("alpha", 1.0) * ((x[0].t() if a.get("transA") else x[0]) @ (x[1].t() if a.get("transB") else x[1]))
            return y + a.get("beta", 1.0) * x[2] if len(x) > 2 else y
        if op in ("Add", "Sub", "Mul", "Div", "MatMul"):
            return {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div, "MatMul": torch.matmul}[op](x[0], x[1])
        if op in SIMPLE:
            return SIMPLE[op](x[0])
        if op == "GlobalAveragePool":
            return x[0].mean((2, 3), keepdim=True)
        if op == "GlobalMaxPool":
            return x[0].amax((2, 3), keepdim=True)
        if op in ("ReduceMean", "ReduceSum", "ReduceMax"):
            axes = a.get("axes") or (x[1].tolist() if len(x) > 1 else list(range(x[0].dim())))
            f = {"ReduceMean": torch.mean, "ReduceSum": torch.sum, "ReduceMax": torch.amax}[op]
            return f(x[0], dim=tuple(axes), keepdim=bool(a.get("keepdims", 1)))
        if op in ("Max", "Min", "Sum"):
            f = {"Max": torch.maximum, "Min": torch.minimum, "Sum": torch.add}[op]
            y = x[0]
            for z in x[1:]:
                y = f(y, z)
            return y
        if op == "Pow":
            return torch.pow(x[0], x[1])
        if op == "Where":
            return torch.where(x[0], x[1], x[2])
        if op == "Clip":
            lo, hi = (x[1], x[2]) if len(x) > 1 else (torch.tensor(a["min"]), torch.tensor(a["max"]))
            return torch.clamp(x[0], lo.item(), hi.item())
        if op == "LeakyRelu":
            return F.leaky_relu(x[0], a.get("alpha", 0.01))
        if op == "Expand":
            return x[0].expand(torch.broadcast_shapes(x[0].shape, tuple(x[1].tolist())))
        if op == "Squeeze":
            for axis in sorted(x[1].tolist(), reverse=True):
                x[0] = x[0].squeeze(axis)
            return x[0]
        if op == "Gather":
            axis = a.get("axis", 0) % x[0].dim()
            index = x[1] % x[0].shape[axis]
            y = x[0].index_select(axis, index.flatten())
            return y.reshape(x[0].shape[:axis] + index.shape + x[0].shape[axis + 1:])
        if op == "Pad":
            p, n = x[1].tolist(), x[0].dim()
            return F.pad(x[0], [v for d in reversed(range(n)) for v in (p[d], p[d + n])])
        if op == "Cast":
            return x[0]
        if op == "Shape":
            return torch.tensor(x[0].shape)
        if op == "LayerNormalization":
            return F.layer_norm(x[0], x[0].shape[a.get("axis", -1):], x[1], x[2], a.get("epsilon", 1e-5))
        if op == "Concat":
            return torch.cat(x, a["axis"])
        if op == "Flatten":
            return x[0].flatten(a.get("axis", 1))
        if op == "Reshape":
            shape = [x[0].shape[i] if d == 0 else d for i, d in enumerate(x[1].tolist())]
            return x[0].reshape(shape)
        if op == "Transpose":
            return x[0].permute(a.get("perm", list(reversed(range(x[0].dim())))))
        if op == "Unsqueeze":
            for axis in x[1].tolist():
                x[0] = x[0].unsqueeze(axis)
            return x[0]
        if op == "Slice":
            steps = x[4].tolist() if len(x) > 4 else [1] * len(x[3])
            for start, end, axis, step in zip(x[1].tolist(), x[2].tolist(), x[3].tolist(), steps):
                picked = list(range(x[0].shape[axis]))[slice(start, end if end >= -x[0].shape[axis] else None, step)]
                x[0] = x[0].index_select(axis, torch.tensor(picked)) if step != 1 else x[0].narrow(axis, picked[0], len(picked))
            return x[0]
        if op == "Softmax":
            return torch.softmax(x[0], a.get("axis", -1))
        if op == "LogSoftmax":
            return torch.log_softmax(x[0], a.get("axis", -1))
        raise NotImplementedError(op)
