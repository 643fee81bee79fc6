// Events in an observation's header.
#include "conformance/host/wire/observed_json.hpp"
#include "reference/experiment/json_readers.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

json EventToJson(const RankEvent& e) { return {e.step, static_cast<int>(e.kind), e.name, e.index, e.queue, e.awaited}; }

RankEvent EventFrom(const json& value, const std::string& path) {
  const auto is_integer = [&](size_t i) { return value[i].is_number_integer(); };
  const bool is_event = value.is_array() && value.size() == 6 && is_integer(0) && is_integer(1) &&
                        value[2].is_string() && is_integer(3) && is_integer(4) && is_integer(5);
  if (!is_event) ThrowUnexpected(path, "step, kind, name, index, queue, awaited", value);
  return {value[0], static_cast<EventKind>(value[1].get<int>()), value[2], value[3], value[4], value[5]};
}

}  // namespace

void AddEvents(const RankObservation& o, json& header) {
  if (!o.events.empty()) header["events"] = ArrayOf(o.events, EventToJson);
  if (!o.bucket_of_parameter.empty()) header["bucket_of_parameter"] = o.bucket_of_parameter;
}

void ReadEvents(JsonFields& fields, RankObservation& o) {
  if (fields.Has("events")) o.events = ItemsFrom<RankEvent>(fields, "events", EventFrom);
  if (fields.Has("bucket_of_parameter")) o.bucket_of_parameter = IntegersFrom<int>(fields, "bucket_of_parameter");
}

}  // namespace zerocts
