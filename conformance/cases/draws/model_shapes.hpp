// The tensors of a real model, small enough to be trained on many ranks: `zerocts check --shapes llama-3-8b`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/draws/constraints.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts {

struct ModelShapes {
  std::string name;          // "llama-3-8b"
  plan::Model tensors;       // of blocks that repeat, the first two: "layers.0.norm" and "layers.1.norm"
  size_t of = 0;             // tensors that the model has
  std::string Text() const;  // "llama-3-8b (24 of 291 tensors, sizes scaled by the ranks)"
};
ModelShapes ShapesOf(const std::string& name, const plan::Model& model);

/// The model for this many ranks. What is left of rows and of elements over the ranks stays, and which tensors have
/// fewer rows than ranks: a size below 2 * world_size is kept, a larger number of rows becomes world_size plus what is
/// left. The number of dimensions stays, those from the third on have size 1.
std::vector<ParameterSpec> ScaledFor(int world_size, const ModelShapes& shapes);

/// What all cases of this many ranks train: the parameters of a plan file or of a model; nullopt: they are drawn.
std::optional<std::vector<ParameterSpec>> GivenParameters(const Constraints& constraints, int world_size);

}  // namespace zerocts
