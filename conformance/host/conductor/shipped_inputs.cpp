#include "conformance/host/conductor/shipped_inputs.hpp"

#include "conformance/cases/inputs/rank_inputs.hpp"

namespace zerocts {

namespace {

class ShippingVisitor : public InputVisitor {
 public:
  explicit ShippingVisitor(const Case& c)
      : micro_batches_(c.experiment.micro_batches),
        inputs_{{}, std::vector<std::string>(1 + c.experiment.steps * micro_batches_)} {}

  void Initial(std::span<const float> values) override { Append(inputs_.frames[0], values); }
  void Gradient(const MicroBatchPosition& position, int, std::span<const float> values) override {
    Append(FrameOf(position), values);
  }
  void NoGradient(const MicroBatchPosition& position, int parameter) override {
    inputs_.without_gradient.push_back({position.step, position.micro_batch, parameter});
  }
  void Batches(const MicroBatchPosition& position, const Batch& batch) override {
    Append<int32_t>(FrameOf(position), batch.inputs);
    Append<int32_t>(FrameOf(position), batch.targets);
  }

  ShippedInputs Take() { return std::move(inputs_); }

 private:
  std::string& FrameOf(const MicroBatchPosition& position) {
    return inputs_.frames[static_cast<size_t>(1 + position.step * micro_batches_ + position.micro_batch)];
  }

  template <typename Number>
  static void Append(std::string& frame, std::span<const Number> numbers) {
    frame.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  }

  const int64_t micro_batches_;
  ShippedInputs inputs_;
};

}  // namespace

ShippedInputs ShippedInputsOf(const Case& c, int rank) {
  ShippingVisitor visitor(c);
  VisitInputs(c, rank, visitor);
  return visitor.Take();
}

}  // namespace zerocts
