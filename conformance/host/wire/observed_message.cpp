// How an observation travels.
#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/host/wire/frames.hpp"
#include "conformance/host/wire/json_texts.hpp"
#include "conformance/host/wire/observed_json.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/model/numel.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

// A record in the header is five integers: step, index into "what", parameter, begin, end.
constexpr size_t kRecordIntegers = 5;

std::vector<std::vector<Interval>> OwnedFrom(JsonFields& fields) {
  std::vector<std::vector<Interval>> owned;
  for (const json& bounds : fields.Array("owned")) {
    const std::vector<int64_t> integers =
        bounds.is_array() ? IntegersFrom<int64_t>(bounds, fields.PathOf("owned")) : std::vector<int64_t>{0};
    if (integers.size() % 2) ThrowUnexpected(fields.PathOf("owned"), "pairs of begin and end", bounds);
    const bool can_be_added =
        std::ranges::all_of(integers, [](int64_t bound) { return -kLargestNumel <= bound && bound <= kLargestNumel; });
    if (!can_be_added) ThrowUnexpected(fields.PathOf("owned"), "bounds of at most 2^40", bounds);
    std::vector<Interval>& intervals = owned.emplace_back();
    for (size_t i = 0; i < integers.size(); i += 2) intervals.push_back({integers[i], integers[i + 1]});
  }
  return owned;
}

/// The records without their values.
std::vector<TensorRecord> RecordsFrom(JsonFields& fields) {
  const std::vector<std::string> what = TextsFrom(fields, "what");
  const std::vector<int64_t> integers = IntegersFrom<int64_t>(fields, "records");
  const auto expect = [&](bool holds) {
    if (!holds)
      ThrowUnexpected(fields.PathOf("records"), "step, index of what, parameter, begin <= end per record",
                      fields.Any("records"));
  };
  expect(integers.size() % kRecordIntegers == 0);
  std::vector<TensorRecord> records(integers.size() / kRecordIntegers);
  for (size_t i = 0; i < records.size(); ++i) {
    const int64_t* integer = &integers[i * kRecordIntegers];
    expect(integer[0] >= -1 && 0 <= integer[1] && integer[1] < static_cast<int64_t>(what.size()) && 0 <= integer[2] &&
           integer[2] <= INT32_MAX);
    expect(0 <= integer[3] && integer[3] <= integer[4] && integer[4] <= kLargestNumel);
    TensorRecord& record = records[i];
    record.step = integer[0];
    record.what = what[integer[1]];
    record.phase = PhaseOf(record.what, record.step);
    record.parameter = static_cast<int>(integer[2]);
    record.interval = {integer[3], integer[4]};
  }
  return records;
}

/// Marks the records that travel as hash only.
void ReadHeld(JsonFields& fields, std::vector<TensorRecord>& records) {
  for (const json& held : fields.Array("held")) {
    if (!held.is_array() || held.size() != 2 || !held[0].is_number_unsigned() || !held[1].is_string() ||
        held[1].get_ref<const std::string&>().empty() || held[0].get<size_t>() >= records.size()) {
      ThrowUnexpected(fields.PathOf("held"), "pairs of record and hash", held);
    }
    records[held[0].get<size_t>()].hash = held[1];
  }
}

/// Cuts the frame of values into the records that travel.
void ReadValues(FrameReader& reader, std::vector<TensorRecord>& records) {
  const std::vector<float> values = reader.Numbers<float>(1);
  auto next = values.begin();
  for (TensorRecord& record : records) {
    if (!record.hash.empty()) continue;
    const int64_t numel = record.interval.end - record.interval.begin;
    if (values.end() - next < numel) throw ProtocolError("observed: expected the values of every record, got fewer");
    record.values.assign(next, next + numel);
    record.hash = HashOf(record.values);
    next += numel;
  }
  if (next != values.end()) throw ProtocolError("observed: expected the values of every record, got more");
}

// --- what not every rank tells: fields that may be absent

/// Reads which of the steps in `scalars` were skipped, and each one's loss scale.
void ReadScaling(JsonFields& fields, std::vector<StepScalars>& scalars) {
  if (fields.Has("skipped_steps")) {
    for (const int64_t step : IntegersFrom<int64_t>(fields, "skipped_steps")) {
      const auto of_step = [&](const StepScalars& s) { return s.step == step; };
      const auto found = std::find_if(scalars.begin(), scalars.end(), of_step);
      if (found == scalars.end()) ThrowUnexpected(fields.PathOf("skipped_steps"), "steps of scalar_steps", step);
      found->skipped = true;
    }
  }
  if (!fields.Has("loss_scales")) return;
  const json& scales = fields.Array("loss_scales");
  if (scales.size() != scalars.size())
    ThrowUnexpected(fields.PathOf("loss_scales"), "one for each of scalar_steps", scales);
  for (size_t i = 0; i < scalars.size(); ++i) {
    if (!scales[i].is_number() && !scales[i].is_null())
      ThrowUnexpected(fields.PathOf("loss_scales"), "numbers or null", scales[i]);
    scalars[i].loss_scale = scales[i].is_null() ? std::numeric_limits<float>::quiet_NaN() : scales[i].get<float>();
  }
}

void AddScaling(const std::vector<StepScalars>& scalars, json& header) {
  const StepScalars usual;
  json skipped = json::array(), scales = json::array();
  bool any_scale = false;
  for (const StepScalars& step : scalars) {
    if (step.skipped) skipped.push_back(step.step);
    scales.push_back(FloatToJson(step.loss_scale));
    any_scale = any_scale || step.loss_scale != usual.loss_scale;
  }
  if (!skipped.empty()) header["skipped_steps"] = std::move(skipped);
  if (any_scale) header["loss_scales"] = std::move(scales);
}

std::vector<StepScalars> ScalarsFrom(FrameReader& reader) {
  const std::vector<int64_t> steps = IntegersFrom<int64_t>(reader.fields(), "scalar_steps");
  const std::vector<float> pairs = reader.Numbers<float>(2);
  const std::vector<double> losses = reader.Numbers<double>(3);
  if (pairs.size() != 2 * steps.size() || (steps.empty() ? !losses.empty() : losses.size() % steps.size() != 0)) {
    throw ProtocolError("observed: expected two scalars and equally many losses for every step");
  }
  std::vector<StepScalars> scalars(steps.size());
  const size_t losses_per_step = steps.empty() ? 0 : losses.size() / steps.size();
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto first = losses.begin() + static_cast<int64_t>(i * losses_per_step);
    scalars[i] = {.step = steps[i],
                  .grad_norm = pairs[2 * i],
                  .clip_coefficient = pairs[2 * i + 1],
                  .losses = {first, first + static_cast<int64_t>(losses_per_step)}};
  }
  ReadScaling(reader.fields(), scalars);
  return scalars;
}

}  // namespace

Frames EncodeObserved(const ObservedMessage& message) {
  const RankObservation& o = message.observation;
  std::vector<std::string> what;
  json records = json::array(), held = json::array();
  std::vector<float> values;
  for (size_t i = 0; i < o.tensors.size(); ++i) {
    const TensorRecord& record = o.tensors[i];
    const auto name = std::find(what.begin(), what.end(), record.what);
    const auto index = name - what.begin();
    if (name == what.end()) what.push_back(record.what);
    for (const int64_t integer :
         {record.step, int64_t{index}, int64_t{record.parameter}, record.interval.begin, record.interval.end}) {
      records.push_back(integer);
    }
    if (record.values.size() > kHeldAboveNumel) {
      held.push_back({i, HashOf(record.values)});
    } else {
      values.insert(values.end(), record.values.begin(), record.values.end());
    }
  }
  json owned = json::array();
  for (const std::vector<Interval>& intervals : o.owned) {
    json& bounds = owned.emplace_back(json::array());
    for (const Interval& interval : intervals) {
      bounds.push_back(interval.begin);
      bounds.push_back(interval.end);
    }
  }
  std::vector<int64_t> scalar_steps;
  std::vector<float> scalars;
  std::vector<double> losses;
  for (const StepScalars& step : o.scalars) {
    scalar_steps.push_back(step.step);
    scalars.insert(scalars.end(), {step.grad_norm, step.clip_coefficient});
    losses.insert(losses.end(), step.losses.begin(), step.losses.end());
  }
  json header = {{"type", "observed"},
                 {"run", message.run},
                 {"rank", o.rank},
                 {"input_hash", o.input_hash},
                 {"what", what},
                 {"records", std::move(records)},
                 {"held", std::move(held)},
                 {"owned", std::move(owned)},
                 {"scalar_steps", scalar_steps},
                 {"reported_bytes", ToJson(o.reported)},
                 {"allocated_bytes", ToJson(o.allocated)},
                 {"process_heap_growth_bytes", o.process_heap_growth_bytes},
                 {"ranks_in_process", o.ranks_in_process},
                 {"notes", message.notes}};
  AddScaling(o.scalars, header);
  AddCosts(o, header);
  AddEvents(o, header);
  return {header.dump(-1, ' ', false, json::error_handler_t::replace), RawFrame(values), RawFrame(scalars),
          RawFrame(losses)};
}

ObservedMessage DecodeObserved(FrameReader& reader) {
  JsonFields& fields = reader.fields();
  ObservedMessage message;
  message.run = fields.Unsigned("run");
  message.notes = TextsFrom(fields, "notes");
  RankObservation& o = message.observation;
  o.rank = fields.Int("rank");
  o.input_hash = fields.Text("input_hash");
  o.owned = OwnedFrom(fields);
  o.tensors = RecordsFrom(fields);
  ReadHeld(fields, o.tensors);
  ReadValues(reader, o.tensors);
  o.scalars = ScalarsFrom(reader);
  o.reported = MemoryFrom(fields, "reported_bytes");
  o.allocated = MemoryFrom(fields, "allocated_bytes");
  o.process_heap_growth_bytes = fields.Unsigned("process_heap_growth_bytes");
  o.ranks_in_process = fields.Int("ranks_in_process");
  ReadCosts(fields, o);
  ReadEvents(fields, o);
  return message;
}

}  // namespace zerocts
