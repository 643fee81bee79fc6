// Every candidate is smaller in one thing and larger in none, so shrinking ends.
#include <algorithm>

#include "conformance/plans/fuzz/drawn_request.hpp"

namespace zerocts {
namespace {

/// A request has at most some hundred candidates: of a model with more tensors, parts of this size at least are
/// dropped, and its tensors are reduced when it has become small.
constexpr size_t kFewTensors = 32;

class Simplifying {
 public:
  explicit Simplifying(const PlanningRequest& request) : request_(request) {}

  template <typename Change>
  void Try(Change change) {
    PlanningRequest simpler = request_;
    change(simpler);
    simpler.rank = std::min(simpler.rank, simpler.replicas * simpler.shards - 1);
    if (simpler != request_) candidates_.push_back(std::move(simpler));
  }
  std::vector<PlanningRequest> Take() && { return std::move(candidates_); }

 private:
  const PlanningRequest& request_;
  std::vector<PlanningRequest> candidates_;
};

/// Other names of what is dropped stand for themselves.
plan::Model Without(const plan::Model& model, size_t first, size_t end) {
  plan::Model rest;
  const auto dropped = static_cast<int>(end - first);
  for (size_t t = 0; t < model.size(); ++t) {
    if (t >= first && t < end) continue;
    rest.push_back(model[t]);
    int& tied = rest.back().tied_to;
    if (tied >= static_cast<int>(end)) {
      tied -= dropped;
    } else if (tied >= static_cast<int>(first)) {
      tied = -1;
    }
  }
  return rest;
}

/// Large parts first: half of the tensors, a quarter, .., each alone.
void DropTensors(const PlanningRequest& request, Simplifying& simpler) {
  const size_t smallest = std::max<size_t>(request.model.size() / kFewTensors, 1);
  for (size_t part = request.model.size(); part >= smallest; part /= 2) {
    for (size_t first = 0; first < request.model.size(); first += part) {
      const size_t end = std::min(first + part, request.model.size());
      simpler.Try([&](PlanningRequest& r) { r.model = Without(r.model, first, end); });
    }
  }
}

/// The least, one more, half of it, two and one less (what fails may be odd, or even).
std::vector<int64_t> Smaller(int64_t value, int64_t least) {
  std::vector<int64_t> smaller;
  for (const int64_t candidate : {least, least + 1, value / 2, value - 2, value - 1}) {
    if (candidate >= least && candidate < value) smaller.push_back(candidate);
  }
  return smaller;
}

void ReduceRanks(const PlanningRequest& request, Simplifying& simpler) {
  for (const int64_t replicas : Smaller(request.replicas, 1))
    simpler.Try([&](PlanningRequest& r) { r.replicas = static_cast<int>(replicas); });
  for (const int64_t shards : Smaller(request.shards, 1))
    simpler.Try([&](PlanningRequest& r) { r.shards = static_cast<int>(shards); });
  for (const int64_t rank : Smaller(request.rank, 0))
    simpler.Try([&](PlanningRequest& r) { r.rank = static_cast<int>(rank); });
}

/// Names of one tensor have one shape.
void Reshape(plan::Model& model, size_t t, const std::vector<int64_t>& shape) {
  for (size_t other = 0; other < model.size(); ++other) {
    if (other == t || model[other].tied_to == static_cast<int>(t)) model[other].shape = shape;
  }
}

void ReduceTensor(const PlanningRequest& request, size_t t, Simplifying& simpler) {
  const plan::Tensor& tensor = request.model[t];
  if (tensor.tied_to >= 0) {
    simpler.Try([&](PlanningRequest& r) { r.model[t].tied_to = -1; });
    return;
  }
  if (tensor.shape.size() != 1) simpler.Try([&](PlanningRequest& r) { Reshape(r.model, t, {tensor.numel()}); });
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    for (const int64_t size : Smaller(tensor.shape[d], 0)) {
      std::vector<int64_t> shape = tensor.shape;
      shape[d] = size;
      simpler.Try([&](PlanningRequest& r) { Reshape(r.model, t, shape); });
    }
  }
  simpler.Try([&](PlanningRequest& r) { r.model[t].frozen = false; });
  simpler.Try([&](PlanningRequest& r) { r.model[t].group = 0; });
  simpler.Try([&](PlanningRequest& r) { r.model[t].dtype = plan::Dtype::kFp32; });
}

}  // namespace

std::vector<PlanningRequest> SimplerRequests(const PlanningRequest& request) {
  Simplifying simpler(request);
  DropTensors(request, simpler);
  ReduceRanks(request, simpler);
  for (const int64_t bucket : Smaller(request.bucket, 0)) simpler.Try([&](PlanningRequest& r) { r.bucket = bucket; });
  simpler.Try([](PlanningRequest& r) { r.alignment = 1; });
  for (size_t t = 0; t < request.model.size() && request.model.size() <= kFewTensors; ++t)
    ReduceTensor(request, t, simpler);
  return std::move(simpler).Take();
}

}  // namespace zerocts
