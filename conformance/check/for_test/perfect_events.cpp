#include "conformance/check/for_test/perfect_events.hpp"

#include <numeric>

#include "conformance/check/events/event_order.hpp"
#include "conformance/check/events/reported_events.hpp"

namespace zerocts {
namespace {

constexpr int kRankThread = EventOrder::kRankThread, kCommunication = 1;

void Compute(int64_t step, const char* name, int unit, std::vector<RankEvent>& events) {
  events.push_back({step, EventKind::kBegin, name, unit, kRankThread});
  events.push_back({step, EventKind::kEnd, name, unit, kRankThread});
}

}  // namespace

void TellPerfectEvents(const Case& c, int64_t step, RankObservation& shown) {
  shown.bucket_of_parameter.resize(c.experiment.parameters.size());
  std::iota(shown.bucket_of_parameter.begin(), shown.bucket_of_parameter.end(), 0);
  const UnitsOfBuckets buckets(c, shown.bucket_of_parameter);
  std::vector<RankEvent>& events = shown.events;
  for (int k = 0; k < c.experiment.micro_batches; ++k) {
    for (int unit = 0; unit < buckets.units(); ++unit) Compute(step, "forward", unit, events);
    for (int unit = buckets.units() - 1; unit >= 0; --unit) {
      Compute(step, "backward", unit, events);
      if (k + 1 < c.experiment.micro_batches) continue;
      for (const int bucket : buckets.buckets()) {
        if (buckets.FirstUnitOf(bucket) == unit)
          events.push_back({step, EventKind::kCollective, "reduce_scatter", bucket, kCommunication});
      }
    }
  }
  events.push_back({step, EventKind::kWait, "", -1, kRankThread, std::ssize(events) - 1});
}

}  // namespace zerocts
