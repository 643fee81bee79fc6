"""The suite's GPT in torch. reference/model has the definition."""

import torch
from torch.nn import functional

from .layers import NamedTensors, embedding_of, linear_of, norm_of


class Block(torch.nn.Module):
    """x + attention(norm1(x)), then x + mlp(norm2(x))."""

    def __init__(self, sizes, tensors):
        """`tensors`: {name within the block: Parameter}."""
        super().__init__()
        self.heads = sizes["heads"]
        self.kv_heads = sizes.get("kv_heads", self.heads)
        for make, names in ((norm_of, ("norm1", "norm2")), (linear_of, ("qkv", "attention_out", "mlp_in", "mlp_out"))):
            for name in names:
                self.add_module(name, make(tensors[f"{name}.weight"], tensors[f"{name}.bias"]))

    def forward(self, x):
        x = x + self.attention_out(self._attention(self.qkv(self.norm1(x))))
        return x + self.mlp_out(functional.gelu(self.mlp_in(self.norm2(x)), approximate="tanh"))

    def _attention(self, qkv):
        """[B, T, heads of q, k and v side by side] to [B, T, C]."""
        batch, positions, _ = qkv.shape
        heads = qkv.view(batch, positions, self.heads + 2 * self.kv_heads, -1).transpose(1, 2)
        q, k, v = heads.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
        k, v = (shared.repeat_interleave(self.heads // self.kv_heads, dim=1) for shared in (k, v))
        out = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out.transpose(1, 2).reshape(batch, positions, -1)


class Gpt(NamedTensors):
    """Its blocks are wrapped one by one; embeddings, the last norm and the head belong to the whole model, for head and
    token embedding may be one parameter.
    """

    def __init__(self, sizes, tensors):
        """`tensors`: {name: Parameter}, by the names of the case."""
        super().__init__()
        self.layers = sizes["layers"]
        self.token_embedding = embedding_of(tensors["token_embedding"])
        self.position_embedding = embedding_of(tensors["position_embedding"])
        for layer in range(self.layers):
            prefix = f"block{layer}."
            own = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
            self.add_module(f"block{layer}", Block(sizes, own))
        self.final_norm = norm_of(tensors["final_norm.weight"], tensors["final_norm.bias"])
        self.head = linear_of(tensors.get("head", tensors["token_embedding"]))

    @property
    def units(self):
        return [getattr(self, f"block{layer}") for layer in range(self.layers)]

    def forward(self, inputs, targets):
        positions = torch.arange(inputs.shape[1], device=inputs.device)
        x = self.token_embedding(inputs) + self.position_embedding(positions)
        for block in self.units:
            x = block(x)
        logits = self.head(self.final_norm(x))
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
