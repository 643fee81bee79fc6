// The size of a bucket, around the sizes of parameters.
#include <functional>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

int64_t ElementBytes(const Experiment& e) { return e.precision == Precision::kBf16 ? 2 : 4; }

bool HasBucketSize(const Case& c) { return c.bucket_cap_bytes != 0; }

bool LeavesLastBucketPartial(const Case& c) {
  const auto bytes = static_cast<uint64_t>(TotalNumel(c.experiment) * ElementBytes(c.experiment));
  return HasBucketSize(c) && bytes % c.bucket_cap_bytes != 0;
}

/// Is there a parameter of whose bytes `holds(bytes, bucket_cap_bytes)`?
template <typename Holds>
bool AnyParameterBytes(const Case& c, Holds holds) {
  return HasBucketSize(c) && std::ranges::any_of(c.experiment.parameters, [&](const ParameterSpec& parameter) {
           return holds(static_cast<uint64_t>(parameter.numel() * ElementBytes(c.experiment)), c.bucket_cap_bytes);
         });
}

bool FillsBucketExactly(const Case& c) { return AnyParameterBytes(c, std::equal_to<>()); }
bool ExceedsBucket(const Case& c) { return AnyParameterBytes(c, std::greater<>()); }

std::string BeyondBuckets(const Case& c, const Capabilities& can) {
  return Undeclared("bucket_cap_bytes", HasBucketSize(c), can.bucket_cap_bytes);
}

void TellBucketBytes(const Case& c, zerocts_open_args& args) { args.bucket_cap_bytes = c.bucket_cap_bytes; }

/// One that is filled exactly, smaller than the largest parameter, all in one, or anything between. Many parameters
/// fill two or three, so that a bucket for each would show.
bool DrawBucketBytes(Drawing& drawing) {
  Draws& draws = drawing.draws;
  if (!drawing.varied || !drawing.can.bucket_cap_bytes || !draws.Percent(80)) return true;
  const Experiment& e = drawing.e;
  const int64_t total = TotalNumel(e);
  int64_t largest = 0;
  for (const ParameterSpec& parameter : e.parameters) largest = std::max(largest, parameter.numel());
  const bool many =
      drawing.given() && !HaveGivenParameters(drawing.conditions.constraints) && drawing.parameters() >= 16;
  const std::vector<int64_t> candidates =
      many ? std::vector{total / 2, total / 3}
           : std::vector{draws.Pick(e.parameters).numel(), largest, (largest + 1) / 2, total,
                         draws.Between(1, std::max<int64_t>(total, 1))};
  drawing.c.bucket_cap_bytes = static_cast<uint64_t>(ElementBytes(e) * std::max<int64_t>(draws.Pick(candidates), 1));
  return true;
}

void NoBucketSize(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.bucket_cap_bytes = 0; });
}

/// Beside the parameters: one fills a bucket exactly, is larger, or all are smaller.
std::string SizeOfBucket(const Case& c) {
  if (!HasBucketSize(c)) return "own";
  return FillsBucketExactly(c) ? "at" : ExceedsBucket(c) ? "below" : "above";
}

}  // namespace

Dimension BucketsDimension() {
  return {
      .name = "buckets",
      .values = ValuesIf(&Capabilities::bucket_cap_bytes, {"own", "below", "at", "above"}, SizeOfBucket),
      .form = {.fields = {FieldOf("bucket_cap_bytes", &Case::bucket_cap_bytes)},
               .tell = TellBucketBytes,
               .features = {{"bucket", "the size of a bucket is given", HasBucketSize},
                            {"bucket_partial",
                             "the last bucket is not full: all gradients together are no multiple of the bucket size",
                             LeavesLastBucketPartial},
                            {"bucket_exact", "a parameter's gradient fills a bucket exactly", FillsBucketExactly},
                            {"bucket_oversize", "a parameter's gradient is larger than a bucket", ExceedsBucket}}},
      .declared = {.requirements = {NeedsFlag({"bucket", "bucket_partial", "bucket_exact", "bucket_oversize"},
                                              "bucket_cap_bytes", &Capabilities::bucket_cap_bytes)},
                   .capabilities = {DeclaresFlag("bucket_cap_bytes", &Capabilities::bucket_cap_bytes)},
                   .beyond = BeyondBuckets,
                   .probes = {ProbeFor([](Case& c) { c.bucket_cap_bytes = 64; })}},
      .drawn = {.on_request = true, .draw = DrawBucketBytes, .simplifications = {{Simplicity::kReads, NoBucketSize}}}};
}

}  // namespace zerocts
