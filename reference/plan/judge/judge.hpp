// Is a plan sound? Ten properties; P1 to P5 have the names of DeepSpeed's affine IR. With E the elements of a
// parameter, h(r) those that rank r holds and m_r their offsets in its memory:
//   extents          what the plan names exists: tensors, ranks, elements
//   group-relative   a cut has as many parts as its group has shards, not as the world has ranks
//   P1 coverage      the union of all h(r) is E
//   disjointness     ranks that are no replicas of each other share no element, and no rank holds one twice
//   P2 consistency   replicas hold the same elements, by the same scale
//   P3 invertibility every m_r is one to one, and padding maps to nothing
//   P4 composability going from gradient to optimizer to parameter shards moves what going straight moves, and changes
//                    no bit: who updates an element has its gradient or its parameter, and scales are powers of two
//   P5 homogeneity   all ranks of a group divide by one rule; a piece's elements are held by exactly whom it names
//   alignment        tensors of flat buffers, and parts of whatever is divided, begin at the multiples that the plan
//                    promises
//   balance          of one state two shards differ by no more elements than the plan promises
// Rules are judged in closed form: a tensor costs the same on 16,384 ranks as on 2. Lists are sorted.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

enum class Property {
  kExtents,
  kGroupRelative,
  kCoverage,
  kDisjointness,
  kConsistency,
  kInvertibility,
  kComposability,
  kHomogeneity,
  kAlignment,
  kBalance
};
inline constexpr int kProperties = 10;
const char* NameOf(Property property);  // "P1 coverage"

struct Violation {
  Property property;
  State state;
  std::string parameter;   // "" where none is to blame
  int64_t element = 0;     // of the parameter, the first
  std::vector<int> ranks;  // that are to blame, or that lack something
  std::string what;
};
/// "P1 coverage: gradients of w, element 12, rank 3: nobody holds [12, 14)"
std::string ToString(const Violation& violation);

struct Verdict {
  std::vector<Violation> firsts;              // of each broken property, in their order above
  std::array<int64_t, kProperties> counts{};  // violations of each: tensors, intervals or pieces
  bool sound() const { return firsts.empty(); }
};

/// Expects a plan without a problem (problem.hpp).
Verdict Judge(const Plan& plan);

}  // namespace zerocts::plan
