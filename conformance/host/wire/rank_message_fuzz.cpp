// What a rank or a shim says to the conductor.
#include "conformance/host/wire/messages_for_fuzz_test.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {
namespace {

ObservedMessage Observation() {
  ObservedMessage message;
  message.run = 7;
  RankObservation& o = message.observation;
  o.input_hash = "abc";
  o.owned = {{{0, 3}, {5, 7}}, {}};
  o.tensors = {{-1, Phase::kLoad, "parameter", 0, {0, 3}, "", {1, 2, 3}},
               {0, Phase::kUpdate, "master", 1, {2, 3}, "", {4}}};
  o.scalars = {{0, 1, 1, {2.5, 3.5}}, {1, 4, 0.5, {1.5, 0.5}, true, 2}};
  o.memory_plan = MemoryPlan{{1, 2, 3, 4}, 5, 6, 7};
  o.traffic = {{0, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}};
  o.timeline = {{0, "forward", 3, 1000, 2000}};
  message.notes = {"a note"};
  return message;
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {BytesOf(Encode(HelloMessage{1, 3, 77, "name", "1", "text", R"({"stages":[1]})", true})),
          BytesOf(Encode(Observation())),
          BytesOf(Encode(RefusedMessage{1, "step", 2, 3, "text"})),
          BytesOf(Encode(BreachMessage{1, "wrote 4 bytes past the end of its room"})),
          BytesOf(Encode(UnsupportedMessage{1, "reason"})),
          BytesOf(Encode(FailedMessage{"sentence"})),
          BytesOf(Encode(ValuesMessage{1, 2, {1, 2, 3}})),
          BytesOf(Encode(SetMessage{1, 2, "key", "value"})),
          BytesOf(Encode(GetMessage{1, 2, "key", 5, 6})),
          BytesOf(Encode(BarrierMessage{1, 2, 3})),
          BytesOf(Encode(SteppedMessage{1, 2, 3, 4000, {"abc", ""}, 0.5f, 1.0f, {2.5, 3.5}})),
          BytesOf(Encode(StartedMessage{0, 11, 12})),
          BytesOf(Encode(EndedMessage{1, EndKind::kSignaled, 9, ""}))};
}

void FuzzOne(std::string_view bytes) {
  const auto encode = [](const auto& known) { Encode(known); };
  ReadOrRefuse<ProtocolError>(bytes, [&] { std::visit(encode, DecodeFromRank(FramesIn(bytes))); });
  ReadOrRefuse<ProtocolError>(bytes, [&] { std::visit(encode, DecodeFromShim(FramesIn(bytes))); });
}

}  // namespace zerocts
