// Source of the sizes: config.json of meta-llama/Meta-Llama-3-8B and -70B and of mistralai/Mixtral-8x7B-v0.1.
#include "conformance/plans/decoder_models.hpp"

#include <fmt/format.h>

namespace zerocts {
namespace {

struct Decoder {
  const char* name;
  int64_t vocab, width, layers, heads, kv_heads, hidden;
  int64_t experts = 0;  // 0: each layer has one MLP
};

constexpr Decoder kDecoders[] = {
    {"llama-3-8b", 128256, 4096, 32, 32, 8, 14336},
    {"llama-3-70b", 128256, 8192, 80, 64, 8, 28672},
    {"mixtral-8x7b", 32000, 4096, 32, 32, 8, 14336, 8},
};

class Tensors {
 public:
  void Add(const std::string& name, std::vector<int64_t> shape) {
    model_.push_back({.name = name + ".weight", .shape = std::move(shape)});
  }
  plan::Model Take() { return std::move(model_); }

 private:
  plan::Model model_;
};

void AddAttention(const Decoder& decoder, const std::string& layer, Tensors& tensors) {
  const int64_t kv_width = decoder.width / decoder.heads * decoder.kv_heads;
  tensors.Add(layer + ".self_attn.q_proj", {decoder.width, decoder.width});
  tensors.Add(layer + ".self_attn.k_proj", {kv_width, decoder.width});
  tensors.Add(layer + ".self_attn.v_proj", {kv_width, decoder.width});
  tensors.Add(layer + ".self_attn.o_proj", {decoder.width, decoder.width});
}

/// In the order of the checkpoint: gate, down, up of an expert; gate, up, down of an MLP.
void AddMlps(const Decoder& decoder, const std::string& layer, Tensors& tensors) {
  const std::vector<int64_t> up = {decoder.hidden, decoder.width}, down = {decoder.width, decoder.hidden};
  if (decoder.experts == 0) {
    tensors.Add(layer + ".mlp.gate_proj", up);
    tensors.Add(layer + ".mlp.up_proj", up);
    tensors.Add(layer + ".mlp.down_proj", down);
    return;
  }
  tensors.Add(layer + ".block_sparse_moe.gate", {decoder.experts, decoder.width});
  for (int64_t expert = 0; expert < decoder.experts; ++expert) {
    const std::string mlp = fmt::format("{}.block_sparse_moe.experts.{}", layer, expert);
    tensors.Add(mlp + ".w1", up);
    tensors.Add(mlp + ".w2", down);
    tensors.Add(mlp + ".w3", up);
  }
}

plan::Model ModelOf(const Decoder& decoder) {
  Tensors tensors;
  tensors.Add("model.embed_tokens", {decoder.vocab, decoder.width});
  for (int64_t i = 0; i < decoder.layers; ++i) {
    const std::string layer = fmt::format("model.layers.{}", i);
    AddAttention(decoder, layer, tensors);
    AddMlps(decoder, layer, tensors);
    tensors.Add(layer + ".input_layernorm", {decoder.width});
    tensors.Add(layer + ".post_attention_layernorm", {decoder.width});
  }
  tensors.Add("model.norm", {decoder.width});
  tensors.Add("lm_head", {decoder.vocab, decoder.width});
  return tensors.Take();
}

}  // namespace

std::vector<std::string> DecoderNames() {
  std::vector<std::string> names;
  for (const Decoder& decoder : kDecoders) names.emplace_back(decoder.name);
  return names;
}

std::optional<plan::Model> DecoderNamed(const std::string& name) {
  for (const Decoder& decoder : kDecoders) {
    if (name == decoder.name) return ModelOf(decoder);
  }
  return std::nullopt;
}

}  // namespace zerocts
