#include "conformance/plans/fuzz/drawn_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/cases/draws/draws.hpp"
#include "reference/plan/value/dtype.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMostInAll = plan::kMostElements / 4;  // room for padding

int DrawCount(const RequestSpace& space, Draws& draws) {
  const int64_t most = space.most_tensors;
  if (draws.Percent(50)) return static_cast<int>(draws.Between(0, std::min<int64_t>(8, most)));
  if (draws.Percent(96)) return static_cast<int>(draws.Between(0, std::min<int64_t>(50, most)));
  const int64_t many = std::min<int64_t>(50, most);
  return static_cast<int>(draws.Between(many, draws.Between(many, most)));
}

/// One of `value`, and of its neighbours.
int64_t Beside(int64_t value, Draws& draws) { return std::max<int64_t>(value + draws.Between(-1, 1), 0); }

int64_t DrawElements(const RequestSpace& space, int shards, Draws& draws) {
  const auto any = [&]() -> int64_t {
    switch (draws.Between(0, 6)) {
      case 0: return draws.Between(0, 2);
      case 1: return draws.Between(0, 40);
      case 2: return Beside(shards, draws);
      case 3: return Beside(shards * draws.Between(1, 20), draws);
      case 4: return Beside(int64_t{1} << draws.Between(1, 39), draws);
      case 5: return Beside(int64_t{1} << draws.Between(30, 34), draws);  // where 32 bits end
      default: return draws.Between(0, space.largest);
    }
  };
  return std::min(any(), space.largest);
}

/// One to four dimensions. Where the elements have no divisor, the others are of size 1.
std::vector<int64_t> DrawShape(int64_t elements, Draws& draws) {
  if (elements == 1 && draws.Percent(50)) return {};
  std::vector<int64_t> shape = {elements};
  while (shape.size() < 4 && draws.Percent(35)) {
    const int64_t divisor = draws.Pick(std::vector<int64_t>{1, 2, 3, 4, 8});
    const bool divides = shape.back() % divisor == 0;
    if (divides) shape.back() /= divisor;
    shape.insert(shape.begin() + draws.Between(0, std::ssize(shape)), divides ? divisor : 1);
  }
  return shape;
}

/// Some are of a transformer block, some of none.
std::string DrawName(int index, Draws& draws) {
  const char* const parts[] = {"attn", "mlp", "ln_1"};
  if (draws.Percent(30)) return fmt::format("{}.{}", draws.Percent(50) ? "wte" : "head", Letters(index));
  return fmt::format("h.{}.{}.{}", index / 6, parts[draws.Between(0, 2)], Letters(index));
}

plan::Tensor DrawTensor(const RequestSpace& space, int index, int shards, Draws& draws) {
  plan::Tensor tensor{.name = DrawName(index, draws)};
  tensor.shape = DrawShape(DrawElements(space, shards, draws), draws);
  if (draws.Percent(20)) tensor.dtype = draws.Percent(50) ? plan::Dtype::kBf16 : plan::Dtype::kFp16;
  if (draws.Percent(20)) tensor.group = static_cast<int>(draws.Between(1, 3));
  tensor.frozen = draws.Percent(10);
  return tensor;
}

plan::Model DrawModel(const RequestSpace& space, int shards, Draws& draws) {
  plan::Model model;
  int64_t total = 0;
  for (int index = 0, count = DrawCount(space, draws); index < count; ++index) {
    plan::Tensor tensor = DrawTensor(space, index, shards, draws);
    const int64_t other = draws.Between(0, std::max(index - 1, 0));
    if (index > 0 && draws.Percent(6) && model[other].tied_to < 0) {
      const std::string name = tensor.name;
      tensor = model[other];
      tensor.name = name;
      tensor.tied_to = static_cast<int>(other);
    }
    total += tensor.numel();
    if (total > kMostInAll) break;
    model.push_back(std::move(tensor));
  }
  return model;
}

PlanningRequest DrawRequest(const RequestSpace& space, Draws& draws) {
  PlanningRequest request{.balance = space.balance, .options = space.options};
  request.replicas = draws.Percent(60) ? 1 : static_cast<int>(draws.Between(1, std::min(4, space.most_ranks)));
  const int most = std::max(space.most_ranks / request.replicas, 1);
  request.shards = static_cast<int>(draws.Between(1, draws.Percent(70) ? std::min(8, most) : most));
  request.stage = draws.Pick(space.stages);
  request.bucket = draws.Pick(space.buckets);
  request.alignment = draws.Pick(space.alignments);
  request.model = DrawModel(space, request.shards, draws);
  return request;
}

}  // namespace

std::string Letters(size_t number) {
  std::string letters(4, 'a');
  for (size_t index = letters.size(); index-- > 0; number /= 26) letters[index] += static_cast<char>(number % 26);
  return letters;
}

rc::Gen<PlanningRequest> RequestsOf(const RequestSpace& space) {
  return rc::Gen<PlanningRequest>([space](const rc::Random& random, int) {
    Draws draws(rc::Random(random).next());
    return Shrinkable(DrawRequest(space, draws));
  });
}

rc::Shrinkable<PlanningRequest> Shrinkable(const PlanningRequest& request) {
  return rc::shrinkable::shrinkRecur(
      request, [](const PlanningRequest& r) { return rc::seq::fromContainer(SimplerRequests(r)); });
}

}  // namespace zerocts
