#include "conformance/host/wire/observed_costs.hpp"

#include <iterator>
#include <tuple>

#include "reference/experiment/json_form.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

// What travels as an array of integers and text.

auto CellsOf(MemoryReading& m) {
  return std::tie(m.parameter_bytes, m.gradient_bytes, m.optimizer_bytes, m.buffer_bytes);
}
auto CellsOf(TimelineSpan& s) { return std::tie(s.step, s.name, s.index, s.begin_ns, s.end_ns); }
auto CellsOf(CallTime& c) { return std::tie(c.step, c.call, c.micro_batch, c.begin_ns, c.end_ns, c.cpu_ns); }
auto CellsOf(Resources& r) {
  return std::tie(r.step, r.call, r.cpu_ns, r.blocks, r.block_bytes, r.objects, r.heap_bytes, r.mapped_bytes, r.files,
                  r.threads);
}
auto CellsOf(Grown& g) { return std::tie(g.what, g.bytes, g.more); }
auto CellsOf(RankEvent& e) { return std::tie(e.step, e.kind, e.name, e.index, e.queue, e.awaited); }

const char* NamesOf(const MemoryReading&) { return "four integers"; }
const char* NamesOf(const TimelineSpan&) { return "step, name, index, begin, end"; }
const char* NamesOf(const CallTime&) { return "step, call, micro-batch, begin, end, cpu time"; }
const char* NamesOf(const Resources&) {
  return "step, call, cpu time, blocks, block bytes, objects, heap bytes, mapped bytes, files, threads";
}
const char* NamesOf(const Grown&) { return "what, bytes, more"; }
const char* NamesOf(const RankEvent&) { return "step, kind, name, index, queue, awaited"; }

template <typename Row>
concept HasCells = requires(Row& row) {
  CellsOf(row);
};

bool IsOf(const json& cell, const std::string&) { return cell.is_string(); }
template <typename Integer>
bool IsOf(const json& cell, const Integer&) {
  return cell.is_number_integer();
}

}  // namespace

template <HasCells Row>
void WriteJson(json& value, const Row& row) {
  std::apply([&](const auto&... cell) { value = {cell...}; }, CellsOf(const_cast<Row&>(row)));
}

template <HasCells Row>
void ReadJson(const json& value, const std::string& path, Row& row) {
  const auto read = [&](auto&... cell) {
    size_t next = 0;
    const bool is_row = value.is_array() && value.size() == sizeof...(cell) && (IsOf(value[next++], cell) && ...);
    if (!is_row) ThrowUnexpected(path, NamesOf(row), value);
    next = 0;
    (value[next++].get_to(cell), ...);
  };
  std::apply(read, CellsOf(row));
}

void Describe(JsonForm& form, MemoryPlan& plan) {
  form.Field("estimated_bytes", plan.estimated);
  form.Field("estimated_peak_bytes", plan.estimated_peak_bytes);
  form.Field("peak_bytes", plan.peak_bytes);
  form.Field("offloaded_bytes", plan.offloaded_bytes);
}

void Describe(JsonForm& form, MemoryPoint& point) {
  form.Field("point", point.point);
  form.Field("reported_bytes", point.reported);
  form.Field("allocated_bytes", point.allocated);
  form.Field("held_bytes", point.held_bytes);
  form.Field("peak_bytes", point.peak_bytes);
  form.Unusual("heap_bytes", point.heap_bytes);
}

namespace {

std::vector<uint64_t> UnsignedFrom(const json& array, const std::string& path) {
  std::vector<uint64_t> integers;
  for (const json& value : ExpectArray(array, path)) {
    if (!value.is_number_integer()) ThrowUnexpected(path, "integers", value);
    integers.push_back(value.get<uint64_t>());
  }
  return integers;
}

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

std::vector<StepTraffic> TrafficFrom(const json& value, const std::string& path) {
  const std::vector<uint64_t> integers = UnsignedFrom(value, path);
  if (integers.size() % kTrafficIntegers)
    ThrowUnexpected(path, "step and three numbers of each of four collectives per step", value);
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

std::vector<SeenTraffic> SeenFrom(const json& value, const std::string& path) {
  const std::vector<uint64_t> integers = UnsignedFrom(value, path);
  if (integers.size() % kSeenIntegers) ThrowUnexpected(path, "step, sent and received bytes per step", value);
  std::vector<SeenTraffic> seen;
  for (auto next = integers.begin(); next != integers.end(); next += kSeenIntegers)
    seen.push_back({static_cast<int64_t>(next[0]), next[1], next[2]});
  return seen;
}

}  // namespace

void DescribeCosts(JsonForm& form, RankObservation& o) {
  form.Field("reported_bytes", o.reported);
  form.Field("allocated_bytes", o.allocated);
  form.Field("process_heap_growth_bytes", o.process_heap_growth_bytes);
  form.Field("ranks_in_process", o.ranks_in_process);
  form.Unusual("allocated_peak_bytes", o.allocated_peak_bytes);
  form.Unusual("memory_plan", o.memory_plan);
  form.Unusual("traffic", o.traffic, {}, TrafficToJson, TrafficFrom);
  form.Unusual("seen_traffic", o.seen_traffic, {}, SeenToJson, SeenFrom);
  form.Unusual("process_heap_left_bytes", o.process_heap_left_bytes);
  form.Unusual("process_growth_bytes", o.process_growth_bytes);
  form.Unusual("process_left_bytes", o.process_left_bytes);
  form.Unusual("process_file_bytes", o.process_file_bytes);
  form.Unusual("unread", o.unread);
  form.Unusual("timeline", o.timeline);
  form.Unusual("calls", o.calls);
  form.Unusual("memory_points", o.memory_points);
  form.Unusual("resources", o.resources);
  form.Unusual("grown", o.grown);
  form.Unusual("events", o.events);
  form.Unusual("bucket_of_parameter", o.bucket_of_parameter);
}

}  // namespace zerocts
