// Costs in an observation's header.
#include <iterator>

#include "conformance/host/wire/observed_json.hpp"
#include "reference/experiment/json_readers.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

// A step's traffic is thirteen integers: step, then calls, sent and received bytes of each collective.
constexpr size_t kTrafficIntegers = 1 + 3 * std::size(kCollectives);

json TrafficToJson(const std::vector<StepTraffic>& traffic) {
  json integers = json::array();
  for (const StepTraffic& step : traffic) {
    integers.push_back(step.step);
    for (const auto& [name, collective] : kCollectives) {
      const StepTraffic::Count& count = step.*collective;
      for (const uint64_t number : {count.calls, count.sent_bytes, count.received_bytes}) integers.push_back(number);
    }
  }
  return integers;
}

std::vector<StepTraffic> TrafficFrom(JsonFields& fields) {
  const std::vector<uint64_t> integers = IntegersFrom<uint64_t>(fields, "traffic");
  if (integers.size() % kTrafficIntegers) {
    ThrowUnexpected(fields.PathOf("traffic"), "step and three numbers of each of four collectives per step",
                    fields.Any("traffic"));
  }
  std::vector<StepTraffic> traffic;
  for (auto next = integers.begin(); next != integers.end();) {
    StepTraffic& step = traffic.emplace_back();
    step.step = static_cast<int64_t>(*next++);
    for (const auto& [name, collective] : kCollectives) {
      StepTraffic::Count& count = step.*collective;
      for (uint64_t* number : {&count.calls, &count.sent_bytes, &count.received_bytes}) *number = *next++;
    }
  }
  return traffic;
}

// What was seen of a step is three integers.
constexpr size_t kSeenIntegers = 3;

json SeenToJson(const std::vector<SeenTraffic>& seen) {
  json integers = json::array();
  for (const SeenTraffic& step : seen) {
    integers.push_back(step.step);
    for (const uint64_t bytes : {step.sent_bytes, step.received_bytes}) integers.push_back(bytes);
  }
  return integers;
}

std::vector<SeenTraffic> SeenFrom(JsonFields& fields) {
  const std::vector<uint64_t> integers = IntegersFrom<uint64_t>(fields, "seen_traffic");
  if (integers.size() % kSeenIntegers) {
    ThrowUnexpected(fields.PathOf("seen_traffic"), "step, sent and received bytes per step",
                    fields.Any("seen_traffic"));
  }
  std::vector<SeenTraffic> seen;
  for (auto next = integers.begin(); next != integers.end(); next += kSeenIntegers)
    seen.push_back({static_cast<int64_t>(next[0]), next[1], next[2]});
  return seen;
}

json TimelineToJson(const std::vector<TimelineSpan>& timeline) {
  json spans = json::array();
  for (const TimelineSpan& span : timeline)
    spans.push_back({span.step, span.name, span.index, span.begin_ns, span.end_ns});
  return spans;
}

std::vector<TimelineSpan> TimelineFrom(JsonFields& fields) {
  std::vector<TimelineSpan> timeline;
  for (const json& span : fields.Array("timeline")) {
    const auto is_integer = [&](size_t i) { return span[i].is_number_integer(); };
    const bool is_span = span.is_array() && span.size() == 5 && is_integer(0) && span[1].is_string() && is_integer(2) &&
                         is_integer(3) && is_integer(4);
    if (!is_span) ThrowUnexpected(fields.PathOf("timeline"), "step, name, index, begin, end per span", span);
    timeline.push_back({span[0], span[1], span[2], span[3], span[4]});
  }
  return timeline;
}

json ToJson(const MemoryPlan& plan) {
  return {{"estimated_bytes", ToJson(plan.estimated)},
          {"estimated_peak_bytes", plan.estimated_peak_bytes},
          {"peak_bytes", plan.peak_bytes},
          {"offloaded_bytes", plan.offloaded_bytes}};
}

MemoryPlan MemoryPlanFrom(JsonFields& header) {
  JsonFields fields(header.Any("memory_plan"), header.PathOf("memory_plan"));
  MemoryPlan plan;
  plan.estimated = MemoryFrom(fields, "estimated_bytes");
  plan.estimated_peak_bytes = fields.Unsigned("estimated_peak_bytes");
  plan.peak_bytes = fields.Unsigned("peak_bytes");
  plan.offloaded_bytes = fields.Unsigned("offloaded_bytes");
  fields.ExpectNoOthers();
  return plan;
}

json CallsToJson(const std::vector<CallTime>& calls) {
  json array = json::array();
  for (const CallTime& c : calls) array.push_back({c.step, c.call, c.micro_batch, c.begin_ns, c.end_ns, c.cpu_ns});
  return array;
}

std::vector<CallTime> CallsFrom(JsonFields& fields) {
  std::vector<CallTime> calls;
  for (const json& call : fields.Array("calls")) {
    const auto is_integer = [&](size_t i) { return call[i].is_number_integer(); };
    const bool is_call = call.is_array() && call.size() == 6 && is_integer(0) && call[1].is_string() && is_integer(2) &&
                         is_integer(3) && is_integer(4) && is_integer(5);
    if (!is_call)
      ThrowUnexpected(fields.PathOf("calls"), "step, call, micro-batch, begin, end, cpu time per call", call);
    calls.push_back({call[0], call[1], call[2], call[3], call[4], call[5]});
  }
  return calls;
}

json PointsToJson(const std::vector<MemoryPoint>& points) {
  json array = json::array();
  for (const MemoryPoint& p : points) {
    array.push_back({{"point", p.point},
                     {"reported_bytes", ToJson(p.reported)},
                     {"allocated_bytes", ToJson(p.allocated)},
                     {"held_bytes", p.held_bytes},
                     {"peak_bytes", p.peak_bytes}});
    if (p.heap_bytes) array.back()["heap_bytes"] = *p.heap_bytes;
  }
  return array;
}

MemoryPoint PointFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  MemoryPoint point;
  point.point = fields.Text("point");
  point.reported = MemoryFrom(fields, "reported_bytes");
  point.allocated = MemoryFrom(fields, "allocated_bytes");
  point.held_bytes = fields.Unsigned("held_bytes");
  point.peak_bytes = fields.Unsigned("peak_bytes");
  if (fields.Has("heap_bytes")) point.heap_bytes = fields.Unsigned("heap_bytes");
  fields.ExpectNoOthers();
  return point;
}

}  // namespace

void AddCosts(const RankObservation& o, json& header) {
  if (o.allocated_peak_bytes) header["allocated_peak_bytes"] = o.allocated_peak_bytes;
  if (o.memory_plan) header["memory_plan"] = ToJson(*o.memory_plan);
  if (!o.traffic.empty()) header["traffic"] = TrafficToJson(o.traffic);
  if (!o.seen_traffic.empty()) header["seen_traffic"] = SeenToJson(o.seen_traffic);
  if (o.process_growth_bytes) header["process_growth_bytes"] = *o.process_growth_bytes;
  if (!o.timeline.empty()) header["timeline"] = TimelineToJson(o.timeline);
  if (!o.calls.empty()) header["calls"] = CallsToJson(o.calls);
  if (!o.memory_points.empty()) header["memory_points"] = PointsToJson(o.memory_points);
}

void ReadCosts(JsonFields& fields, RankObservation& o) {
  if (fields.Has("allocated_peak_bytes")) o.allocated_peak_bytes = fields.Unsigned("allocated_peak_bytes");
  if (fields.Has("memory_plan")) o.memory_plan = MemoryPlanFrom(fields);
  if (fields.Has("traffic")) o.traffic = TrafficFrom(fields);
  if (fields.Has("seen_traffic")) o.seen_traffic = SeenFrom(fields);
  if (fields.Has("process_growth_bytes")) o.process_growth_bytes = fields.Unsigned("process_growth_bytes");
  if (fields.Has("timeline")) o.timeline = TimelineFrom(fields);
  if (fields.Has("calls")) o.calls = CallsFrom(fields);
  if (fields.Has("memory_points")) o.memory_points = ItemsFrom<MemoryPoint>(fields, "memory_points", PointFrom);
}

}  // namespace zerocts
