#include "impl/stages/model_runner.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace zerocts {
namespace {

void RequireParametersOf(const Model& model, const std::vector<ParameterSpec>& got) {
  const std::vector<ParameterSpec>& expected = model.parameters();
  if (got.size() != expected.size()) {
    throw std::invalid_argument(
        fmt::format("the model has {} parameters, but {} were given", expected.size(), got.size()));
  }
  for (size_t p = 0; p < got.size(); ++p) {
    if (got[p].name != expected[p].name || got[p].shape != expected[p].shape) {
      throw std::invalid_argument(fmt::format("parameter {} of the model is {} [{}], but {} [{}] was given", p,
                                              expected[p].name, fmt::join(expected[p].shape, ","), got[p].name,
                                              fmt::join(got[p].shape, ",")));
    }
  }
}

}  // namespace

ModelRunner::ModelRunner(const ModelSpec& spec, const std::vector<ParameterSpec>& parameters, Precision precision,
                         int micro_batches, Device& device, DeviceStream& stream, MemoryLedger& ledger)
    : context_(ContextOf(spec)), stream_(stream), model_(spec, precision, stream.ops()) {
  RequireParametersOf(model_, parameters);
  int64_t total = 0;
  for (const ParameterSpec& parameter : parameters) {
    offset_.push_back(total);
    total += parameter.numel();
  }
  const auto fp32_model = [&] {
    return Buffer::OfDevice(device, total * static_cast<int64_t>(sizeof(float)), MemoryKind::kBuffer, ledger);
  };
  if (precision == Precision::kBf16) wide_parameters_ = fp32_model();
  if (micro_batches > 1) micro_batch_gradient_ = fp32_model();
}

double ModelRunner::ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch,
                                    int64_t context, const ParameterBuffer& parameters, GradientBuffer& gradients) {
  if (context != context_)
    throw std::invalid_argument(fmt::format("context is {}: the model's is {}", context, context_));
  if (batch < 1) throw std::invalid_argument("batch is 0: expected at least one sequence");

  std::vector<const float*> values;
  std::vector<float*> gradient;  // the first micro-batch begins the sum in place
  for (size_t p = 0; p < offset_.size(); ++p) {
    values.push_back(parameters.AsFloat(p, wide_parameters_.as<float>() + offset_[p]));
    gradient.push_back(micro_batch == 0 ? gradients.parameter(p) : micro_batch_gradient_.as<float>() + offset_[p]);
  }
  const double loss = model_.ForwardBackward(values, gradient, inputs, targets, batch);
  if (micro_batch > 0) {
    for (size_t p = 0; p < offset_.size(); ++p)
      gradients.Accumulate(micro_batch, p, 0, gradient[p], model_.parameters()[p].numel());
  }
  stream_.Synchronize();
  return loss;
}

}  // namespace zerocts
