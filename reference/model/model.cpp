#include "reference/model/model.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace zerocts {
namespace {

int IndexOf(const std::vector<ParameterSpec>& parameters, const std::string& name) {
  const auto found = std::ranges::find(parameters, name, &ParameterSpec::name);
  return static_cast<int>(found - parameters.begin());
}

double Mean(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Model::Model(const ModelSpec& spec, Precision precision, Ops& ops, TensorMemory& memory)
    : Model(spec, precision, ops, memory, UnitsOf(spec, precision)) {}

Model::Model(const ModelSpec& spec, Precision precision, Ops& ops, TensorMemory& memory, Units units)
    : spec_(spec), precision_(precision), ops_(ops), memory_(memory) {
  for (auto& unit : units) {
    Link link{std::move(unit), {}};
    const int u = static_cast<int>(units_.size());
    for (UnitParameter& parameter : link.unit->parameters()) {
      const int p = IndexOf(parameters_, parameter.spec.name);
      if (p == std::ssize(parameters_)) {
        parameters_.push_back(std::move(parameter.spec));
        expert_.push_back(parameter.expert);
        last_writer_.push_back(u);
        first_writer_.push_back(u);
      }
      if (first_writer_[p] != u) shared_numel_ = std::max(shared_numel_, parameters_[p].numel());
      first_writer_[p] = u;  // backward runs from the last unit to the first
      link.parameters.push_back(p);
    }
    units_.push_back(std::move(link));
  }
}

void Model::Begin(const int32_t* inputs, const int32_t* targets, int64_t batch, float loss_scale, int expert) {
  const int64_t input_count = batch * ContextOf(spec_), target_count = batch * TargetsPerSequence(spec_);
  CheckTokens("inputs", inputs, input_count);
  CheckTokens("targets", targets, target_count);
  batch_ = {inputs_.Resize(memory_, input_count),
            targets_.Resize(memory_, target_count),
            batch,
            &memory_,
            loss_scale,
            expert};
  const auto bytes = [](int64_t tokens) { return tokens * static_cast<int64_t>(sizeof(int32_t)); };
  memory_.CopyFromHost(inputs_.data(), inputs, bytes(input_count));
  memory_.CopyFromHost(targets_.data(), targets, bytes(target_count));
  activation_ = upstream_ = nullptr;
}

void Model::Forward(int unit, const std::vector<const float*>& parameters) {
  const Link& link = units_[unit];
  std::vector<const float*> own;
  for (const int p : link.parameters) own.push_back(parameters[p]);
  activation_ = link.unit->Forward(ops_, batch_, own.data(), activation_);
}

void Model::Backward(int unit, const std::vector<const float*>& parameters, const std::vector<float*>& gradients) {
  const Link& link = units_[unit];
  std::vector<const float*> own;
  std::vector<float*> written;
  for (const int p : link.parameters) {
    own.push_back(parameters[p]);
    written.push_back(gradients[p]);
    if (first_writer_[p] == unit) continue;
    written.back() = shared_gradient_.Resize(memory_, shared_numel_);
  }
  upstream_ = link.unit->Backward(ops_, batch_, own.data(), written.data(), upstream_);
  for (const int p : link.parameters) {
    if (first_writer_[p] != unit) ops_.Add(gradients[p], shared_gradient_.data(), parameters_[p].numel());
    if (precision_ == Precision::kBf16 && last_writer_[p] == unit && IsUsed(p))
      ops_.RoundToBf16(gradients[p], parameters_[p].numel());
  }
}

double Model::Loss() const {
  std::vector<float> losses(batch_.size * TargetsPerSequence(spec_));
  memory_.CopyToHost(losses.data(), activation_, std::ssize(losses) * static_cast<int64_t>(sizeof(float)));
  return Mean(losses);
}

double Model::ForwardBackward(const std::vector<const float*>& parameters, const std::vector<float*>& gradients,
                              const int32_t* inputs, const int32_t* targets, int64_t batch, float loss_scale,
                              int expert) {
  Begin(inputs, targets, batch, loss_scale, expert);
  for (int u = 0; u < units(); ++u) Forward(u, parameters);
  for (int u = units() - 1; u >= 0; --u) Backward(u, parameters, gradients);
  return Loss();
}

void Model::CheckTokens(const char* what, const int32_t* tokens, int64_t count) const {
  const int64_t vocab = VocabOf(spec_);
  for (int64_t i = 0; i < count; ++i) {
    if (tokens[i] < 0 || tokens[i] >= vocab) {
      throw std::invalid_argument(std::string(what) + "[" + std::to_string(i) + "]: expected a token from 0 to " +
                                  std::to_string(vocab - 1) + ", got " + std::to_string(tokens[i]));
    }
  }
}

}  // namespace zerocts
