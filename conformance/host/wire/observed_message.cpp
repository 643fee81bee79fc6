// How an observation travels.
#include <algorithm>
#include <limits>

#include "conformance/host/wire/message_form.hpp"
#include "conformance/host/wire/observed_costs.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

json OwnedToJson(const std::vector<std::vector<Interval>>& owned) {
  json array = json::array();
  for (const std::vector<Interval>& intervals : owned) {
    json& bounds = array.emplace_back(json::array());
    for (const Interval& interval : intervals) {
      bounds.push_back(interval.begin);
      bounds.push_back(interval.end);
    }
  }
  return array;
}

std::vector<std::vector<Interval>> OwnedFrom(const json& value, const std::string& path) {
  std::vector<std::vector<Interval>> owned;
  for (const json& bounds : ExpectArray(value, path)) {
    const std::string at = path + "[" + std::to_string(owned.size()) + "]";
    const std::vector<int64_t> integers = bounds.is_array() ? IntegersFrom(bounds, at) : std::vector<int64_t>{0};
    if (integers.size() % 2) ThrowUnexpected(at, "pairs of begin and end", bounds);
    const bool can_be_added =
        std::ranges::all_of(integers, [](int64_t bound) { return -kLargestNumel <= bound && bound <= kLargestNumel; });
    if (!can_be_added) ThrowUnexpected(at, "bounds of at most 2^40", bounds);
    std::vector<Interval>& intervals = owned.emplace_back();
    for (size_t i = 0; i < integers.size(); i += 2) intervals.push_back({integers[i], integers[i + 1]});
  }
  return owned;
}

// --- tensors

// A record in the header is five integers: step, index into "what", parameter, begin, end.
constexpr size_t kRecordIntegers = 5;

/// Tensors as they travel.
struct PackedTensors {
  std::vector<std::string> what;
  std::vector<int64_t> records;
  json held = json::array();  // pairs of record and hash
  std::vector<float> values;  // of the others
};

PackedTensors Pack(const std::vector<TensorRecord>& tensors) {
  PackedTensors packed;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorRecord& record = tensors[i];
    const auto name = std::ranges::find(packed.what, record.what);
    const int64_t index = name - packed.what.begin();
    if (name == packed.what.end()) packed.what.push_back(record.what);
    packed.records.insert(packed.records.end(),
                          {record.step, index, record.parameter, record.interval.begin, record.interval.end});
    if (record.values.size() > kHeldAboveNumel) {
      packed.held.push_back({i, HashOf(record.values)});
    } else {
      packed.values.insert(packed.values.end(), record.values.begin(), record.values.end());
    }
  }
  return packed;
}

/// The records without their values.
std::vector<TensorRecord> RecordsOf(const PackedTensors& packed, const JsonForm& form) {
  const std::vector<int64_t>& integers = packed.records;
  const auto expect = [&](bool holds) {
    form.Expect("records", holds, "step, index of what, parameter, begin <= end per record");
  };
  expect(integers.size() % kRecordIntegers == 0);
  std::vector<TensorRecord> records(integers.size() / kRecordIntegers);
  for (size_t i = 0; i < records.size(); ++i) {
    const int64_t* integer = &integers[i * kRecordIntegers];
    expect(integer[0] >= -1 && 0 <= integer[1] && integer[1] < std::ssize(packed.what) && 0 <= integer[2] &&
           integer[2] <= INT32_MAX);
    expect(0 <= integer[3] && integer[3] <= integer[4] && integer[4] <= kLargestNumel);
    TensorRecord& record = records[i];
    record.step = integer[0];
    record.what = packed.what[integer[1]];
    record.phase = PhaseOf(record.what, record.step);
    record.parameter = static_cast<int>(integer[2]);
    record.interval = {integer[3], integer[4]};
  }
  return records;
}

/// Marks the records that travel as hash only.
void MarkHeld(const json& all_held, const std::string& path, std::vector<TensorRecord>& records) {
  for (const json& held : ExpectArray(all_held, path)) {
    if (!held.is_array() || held.size() != 2 || !held[0].is_number_unsigned() || !held[1].is_string() ||
        held[1].get_ref<const std::string&>().empty() || held[0].get<size_t>() >= records.size()) {
      ThrowUnexpected(path, "pairs of record and hash", held);
    }
    records[held[0].get<size_t>()].hash = held[1];
  }
}

/// Cuts the frame of values into the records that travel.
void CutValues(const std::vector<float>& values, std::vector<TensorRecord>& records) {
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

void DescribeTensors(MessageForm& form, std::vector<TensorRecord>& tensors) {
  PackedTensors packed = form.read() ? PackedTensors() : Pack(tensors);
  form.Fields("what", packed.what, "records", packed.records, "held", packed.held);
  form.Raw(packed.values);
  if (!form.read()) return;
  tensors = RecordsOf(packed, form);
  MarkHeld(packed.held, form.read()->PathOf("held"), tensors);
  CutValues(packed.values, tensors);
}

// --- scalars

json ScalesToJson(const std::vector<float>& scales) { return ArrayOf(scales, FloatToJson); }

std::vector<float> ScalesFrom(const json& value, const std::string& path) {
  std::vector<float> scales;
  for (const json& scale : ExpectArray(value, path)) {
    if (!scale.is_number() && !scale.is_null()) ThrowUnexpected(path, "numbers or null", scale);
    scales.push_back(scale.is_null() ? std::numeric_limits<float>::quiet_NaN() : scale.get<float>());
  }
  return scales;
}

/// Which of the steps were skipped, and the loss scale of each.
void DescribeScaling(JsonForm& form, std::vector<StepScalars>& scalars) {
  std::vector<int64_t> skipped;
  std::vector<float> scales;
  for (const StepScalars& step : scalars) {
    if (step.skipped) skipped.push_back(step.step);
    scales.push_back(step.loss_scale);
  }
  const std::vector<float> usual(scalars.size(), StepScalars().loss_scale);
  form.Unusual("skipped_steps", skipped);
  form.Unusual("loss_scales", scales, usual, ScalesToJson, ScalesFrom);
  if (!form.read()) return;
  form.Expect("loss_scales", scales.size() == scalars.size(), "one for each of scalar_steps");
  for (size_t i = 0; i < scalars.size(); ++i) scalars[i].loss_scale = scales[i];
  for (const int64_t step : skipped) {  // once for each time that it was made
    const auto found =
        std::ranges::find_if(scalars, [step](const StepScalars& made) { return made.step == step && !made.skipped; });
    if (found == scalars.end()) ThrowUnexpected(form.read()->PathOf("skipped_steps"), "steps of scalar_steps", step);
    found->skipped = true;
  }
}

void DescribeScalars(MessageForm& form, std::vector<StepScalars>& scalars) {
  std::vector<int64_t> steps;
  std::vector<float> pairs;
  std::vector<double> losses;
  for (const StepScalars& step : scalars) {
    steps.push_back(step.step);
    pairs.insert(pairs.end(), {step.grad_norm, step.clip_coefficient});
    losses.insert(losses.end(), step.losses.begin(), step.losses.end());
  }
  form.Field("scalar_steps", steps);
  form.Raw(pairs);
  form.Raw(losses);
  if (form.read()) {
    if (pairs.size() != 2 * steps.size() || (steps.empty() ? !losses.empty() : losses.size() % steps.size() != 0))
      throw ProtocolError("observed: expected two scalars and equally many losses for every step");
    const auto per_step = static_cast<int64_t>(steps.empty() ? 0 : losses.size() / steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto first = losses.begin() + static_cast<int64_t>(i) * per_step;
      scalars.push_back({.step = steps[i],
                         .grad_norm = pairs[2 * i],
                         .clip_coefficient = pairs[2 * i + 1],
                         .losses = {first, first + per_step}});
    }
  }
  DescribeScaling(form, scalars);
}

}  // namespace

void Describe(MessageForm& form, ObservedMessage& message) {
  RankObservation& o = message.observation;
  form.Fields("run", message.run, "notes", message.notes, "rank", o.rank, "input_hash", o.input_hash);
  form.Field("owned", o.owned, OwnedToJson, OwnedFrom);
  DescribeTensors(form, o.tensors);
  DescribeScalars(form, o.scalars);
  form.Unusual("extra_calls", o.extra_calls);
  DescribeCosts(form, o);
}

}  // namespace zerocts
