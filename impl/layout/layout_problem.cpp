// The proof of a layout. Cuts tile the flat buffer and their parts never fall, so shards tile it too; a parameter that
// lies inside and overlaps no other then has each of its elements in exactly one shard.
#include <fmt/format.h>

#include "impl/layout/layout.hpp"

namespace zerocts::engine {
namespace {

std::string ProblemOfCuts(const Layout& layout) {
  if (layout.cuts.empty()) return "the layout has no cut: expected at least one, even for a model without elements";
  if (layout.shards() < 1) return "cut 0 has no part: expected one per shard";
  int64_t end_of_last = 0;
  for (size_t c = 0; c < layout.cuts.size(); ++c) {
    const Cut& cut = layout.cuts[c];
    if (cut.size() != layout.cuts[0].size()) {
      return fmt::format("cut {} has {} boundaries: expected {} like cut 0", c, cut.size(), layout.cuts[0].size());
    }
    if (cut.front() != end_of_last) {
      return fmt::format("cut {} begins at {}: expected {}, where the one before it ends", c, cut.front(), end_of_last);
    }
    for (int shard = 0; shard < layout.shards(); ++shard) {
      if (cut[shard] > cut[shard + 1]) {
        return fmt::format("the part of shard {} in cut {} begins at {} and ends at {}", shard, c, cut[shard],
                           cut[shard + 1]);
      }
    }
    end_of_last = cut.back();
  }
  return "";
}

/// Buckets tile the cuts.
std::string ProblemOfBuckets(const Layout& layout) {
  if (layout.buckets.empty())
    return "the layout has no bucket: expected at least one, even for a model without elements";
  int end_of_last = 0;
  for (size_t b = 0; b < layout.buckets.size(); ++b) {
    const auto& [first_cut, end_cut, parameters] = layout.buckets[b];
    if (first_cut != end_of_last) {
      return fmt::format("bucket {} begins with cut {}: expected cut {}, where the one before it ends", b, first_cut,
                         end_of_last);
    }
    if (end_cut <= first_cut || end_cut > std::ssize(layout.cuts)) {
      return fmt::format("bucket {} has cuts [{}, {}): expected at least one of the {} cuts", b, first_cut, end_cut,
                         layout.cuts.size());
    }
    end_of_last = end_cut;
  }
  if (end_of_last == std::ssize(layout.cuts)) return "";
  return fmt::format("buckets end with cut {}: expected all {} cuts to be in a bucket", end_of_last,
                     layout.cuts.size());
}

/// Every parameter is in one bucket, which lists it once.
std::string ProblemOfMembers(const Layout& layout) {
  std::vector<int> bucket_of(layout.numel.size(), -1);
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    int last = -1;
    for (int p : layout.buckets[b].parameters) {
      if (p < 0 || p >= std::ssize(layout.numel)) {
        return fmt::format("bucket {} holds parameter {}: the layout has {} parameters", b, p, layout.numel.size());
      }
      if (bucket_of[p] >= 0)
        return fmt::format("parameter {} is in bucket {} and again in bucket {}", p, bucket_of[p], b);
      if (p < last) return fmt::format("bucket {} holds parameter {} behind {}: expected them ascending", b, p, last);
      bucket_of[p] = b;
      last = p;
    }
  }
  for (size_t p = 0; p < bucket_of.size(); ++p) {
    if (bucket_of[p] < 0) return fmt::format("parameter {} is in no bucket", p);
  }
  return "";
}

std::string ProblemOfOffsets(const Layout& layout) {
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    const int64_t begin = layout.bucket_begin(b), end = begin + layout.bucket_numel(b);
    for (int p : layout.buckets[b].parameters) {
      const int64_t numel = layout.numel[p], offset = layout.offset[p];
      if (numel < 0) return fmt::format("parameter {} has {} elements: expected at least 0", p, numel);
      if (offset < begin || offset > end || numel > end - offset) {
        return fmt::format("parameter {} has {} elements from {}: expected them inside bucket {}, [{}, {})", p, numel,
                           offset, b, begin, end);
      }
    }
    int64_t end_of_last = begin;
    int last = -1;
    for (int p : ParametersByOffset(layout, b)) {
      if (layout.offset[p] < end_of_last) {
        return fmt::format("parameters {} and {} overlap at element {}", last, p, layout.offset[p]);
      }
      end_of_last = layout.offset[p] + layout.numel[p];
      last = p;
    }
  }
  return "";
}

}  // namespace

std::string Problem(const Layout& layout) {
  if (layout.offset.size() != layout.numel.size()) {
    return fmt::format("{} parameters have {} offsets: expected one each", layout.numel.size(), layout.offset.size());
  }
  for (const auto& problem_of : {ProblemOfCuts, ProblemOfBuckets, ProblemOfMembers, ProblemOfOffsets}) {
    const std::string problem = problem_of(layout);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace zerocts::engine
