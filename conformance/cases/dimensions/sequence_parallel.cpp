// Whether tensor ranks split the positions between the layers that they split.
#include "conformance/cases/dimensions/model_split.hpp"

namespace zerocts {
namespace {

bool HasGpt(const RunTerms& terms) { return Contains<std::string>(terms.can.models, "gpt"); }

}  // namespace

Dimension SequenceParallelDimension() {
  Dimension dimension = SplitDimension({.name = "sequence_parallel",
                                        .feature = "tensor_sequence",
                                        .meaning = "tensor ranks have positions of every sequence between split layers",
                                        .declared = &Capabilities::sequence_parallel,
                                        .find =
                                            [](ModelSpec& model) {
                                              GptSpec* gpt = std::get_if<GptSpec>(&model);
                                              return gpt ? &gpt->sequence_parallel : nullptr;
                                            },
                                        .smallest = GptSpec{.context = 2, .layers = 1, .heads = 1, .width = 2}});
  dimension.declared.requirements.push_back({{"tensor_sequence"}, "models gpt", HasGpt});
  return dimension;
}

}  // namespace zerocts
