#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "conformance/check/cause/mistakes.hpp"

namespace zerocts {
namespace {

using Leaves = std::vector<int>;

class Sums {
 public:
  Sums(const Case& c, const std::vector<RankObservation>& ranks, const ReductionOrder& order)
      : c_(c), e_(c.experiment), ranks_(ranks), order_(order), W(e_.world_size), K(e_.micro_batches) {}

  std::vector<Mistake> Take() {
    OwnGradients();
    Parts();
    NotDivided();
    Rounded();
    return std::move(mistakes_);
  }

 private:
  static Fold SumOf(const Leaves& leaves) {
    std::vector<Fold> children;
    for (const int leaf : leaves) children.push_back(Fold::Leaf(leaf));
    return Fold::Sum(std::move(children));
  }

  /// So many times the sum of these micro-batches, for a mean over fewer than all.
  static Fold Times(int times, const Leaves& leaves) {
    return times == 1 ? SumOf(leaves) : Fold::Sum(std::vector<Fold>(times, SumOf(leaves)));
  }

  template <typename Wanted>
  Leaves LeavesThat(Wanted wanted) const {
    Leaves leaves;
    for (int g = 0; g < W * K; ++g) {
      if (wanted(g / K, g % K)) leaves.push_back(g);
    }
    return leaves;
  }
  Leaves OfRank(int rank) const {
    return LeavesThat([=](int r, int) { return r == rank; });
  }
  Leaves All() const {
    return LeavesThat([](int, int) { return true; });
  }

  void Add(std::string text, ReductionOrder order) { mistakes_.push_back({std::move(text), e_, std::move(order)}); }
  void AddEverywhere(std::string text, Fold fold) {
    Add(std::move(text), {{{0, TotalNumel(e_), std::move(fold)}}, order_.sync});
  }

  /// Elements of a parameter that `rank` owns, where each has one owner.
  struct Piece {
    int64_t begin, end;  // of the concatenation of all parameters
    int parameter, owner;
  };
  std::vector<Piece> Pieces() const {
    const std::vector<int64_t> offsets = FlatOffsets(e_);
    std::vector<Piece> pieces;
    for (const RankObservation& rank : ranks_) {
      for (int p = 0; p < std::ssize(rank.owned); ++p) {
        for (const Interval& i : rank.owned[p])
          if (i.begin < i.end) pieces.push_back({offsets[p] + i.begin, offsets[p] + i.end, p, rank.rank});
      }
    }
    for (int p = 0; p < std::ssize(e_.parameters); ++p) {
      if (!e_.roles.HasState(p) && offsets[p] < offsets[p + 1])
        pieces.push_back({offsets[p], offsets[p + 1], p, kNobody});
    }
    std::ranges::sort(pieces, {}, &Piece::begin);
    int64_t covered = 0;
    for (const Piece& piece : pieces) {
      if (piece.begin != covered) return {};
      covered = piece.end;
    }
    return covered == offsets.back() ? pieces : std::vector<Piece>();
  }

  /// With the owner's own gradient where `is_own` says so, in its mean over K or divided by all.
  void AddOwn(const std::string& text, const std::vector<Piece>& pieces,
              const std::function<bool(const Piece&)>& is_own) {
    if (std::ranges::none_of(pieces, [&](const Piece& p) { return p.owner != kNobody && is_own(p); })) return;
    for (const int times : {W, 1}) {
      ReductionOrder order{.ranges = {}, .sync = order_.sync};
      for (const Piece& piece : pieces) {
        const bool own = piece.owner != kNobody && is_own(piece);
        order.ranges.push_back({piece.begin, piece.end, own ? Times(times, OfRank(piece.owner)) : SumOf(All())});
      }
      Add(text, std::move(order));
    }
  }

  void OwnGradients() {
    if (W == 1 || c_.replicas > 1 || c_.stage == 0) return;
    const std::vector<Piece> pieces = Pieces();
    AddOwn("each rank kept its own gradient, unreduced", pieces, [](const Piece&) { return true; });
    for (int rank = 0; rank < W; ++rank)
      AddOwn(fmt::format("rank {} kept its own gradient, unreduced", rank), pieces,
             [=](const Piece& piece) { return piece.owner == rank; });
    const int count = static_cast<int>(e_.parameters.size());
    for (int p = 0; count > 1 && p < count; ++p) {
      OwnOf(pieces, p, p + 1);
      if (p > 0 && p + 1 < count) OwnOf(pieces, p, count);
      if (p > 1) OwnOf(pieces, 0, p);
    }
  }

  void OwnOf(const std::vector<Piece>& pieces, int begin, int end) {
    std::vector<std::string> names;
    for (int p = begin; p < end; ++p) names.push_back(e_.parameters[p].name);
    AddOwn(fmt::format("each rank kept its own gradient of {}, unreduced", fmt::join(names, ", ")), pieces,
           [=](const Piece& piece) { return begin <= piece.parameter && piece.parameter < end; });
  }

  void Part(const std::string& text, int times, const Leaves& leaves) {
    if (leaves.empty() || leaves.size() == All().size()) return;
    AddEverywhere(text, Times(times, leaves));
    if (times > 1) AddEverywhere(text, SumOf(leaves));
  }

  void Parts() {
    for (int k = 0; K > 1 && k < K; ++k) {
      Part(fmt::format("only micro-batch {} of {} of each rank counted", k, K), K,
           LeavesThat([=](int, int micro_batch) { return micro_batch == k; }));
      if (K == 2) continue;  // without one there is only the other
      Part(fmt::format("micro-batch {} of {} of each rank was lost", k, K), 1,
           LeavesThat([=](int, int micro_batch) { return micro_batch != k; }));
    }
    for (int rank = 0; W > 1 && rank < W; ++rank) {
      Part(fmt::format("only the gradients of rank {} counted", rank), W, OfRank(rank));
      if (W == 2) continue;
      Part(fmt::format("the gradients of rank {} were lost", rank), 1,
           LeavesThat([=](int r, int) { return r != rank; }));
    }
  }

  void NotDivided() {
    if (W * K > 1) AddEverywhere("the sum over ranks and micro-batches was taken for the mean", Times(W * K, All()));
    if (W > 1 && K > 1) {
      AddEverywhere("the sum over ranks was taken for the mean", Times(W, All()));
      AddEverywhere("the sum over micro-batches was taken for the mean", Times(K, All()));
    }
  }

  void Rounded() {
    std::vector<Fold> ranks;
    for (int rank = 0; rank < W; ++rank) ranks.push_back(Fold::Sum({SumOf(OfRank(rank))}, Rounding::kBf16));
    AddEverywhere("each rank's gradient was rounded to bf16 before the sum", Fold::Sum(ranks));
    AddEverywhere("the sum over ranks was kept in bf16", Fold::Sum(ranks, Rounding::kBf16));
  }

  static constexpr int kNobody = -1;
  const Case& c_;
  const Experiment& e_;
  const std::vector<RankObservation>& ranks_;
  const ReductionOrder& order_;
  const int W, K;
  std::vector<Mistake> mistakes_;
};

}  // namespace

std::vector<Mistake> MistakesOfSums(const Case& c, const std::vector<RankObservation>& ranks,
                                    const ReductionOrder& order) {
  return Sums(c, ranks, order).Take();
}

}  // namespace zerocts
