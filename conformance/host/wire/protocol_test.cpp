#include "conformance/host/wire/protocol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/experiment/bad_json_for_test.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

FrameViews Views(const Frames& frames) { return {frames.begin(), frames.end()}; }

template <typename Message>
Message RoundTrip(const Message& message) {
  return std::get<Message>(DecodeFromRank(Views(Encode(message))));
}

std::string ErrorOf(const Frames& frames) {
  try {
    DecodeFromRank(Views(frames));
  } catch (const ProtocolError& wrong) {
    return wrong.what();
  }
  return "";
}

ObservedMessage SomeObservation() {
  ObservedMessage message;
  message.run = 7;
  RankObservation& o = message.observation;
  o.rank = 2;
  o.input_hash = "abc";
  o.owned = {{{0, 3}, {5, 7}}, {}};
  o.tensors = {{-1, Phase::kLoad, "parameter", 0, {0, 3}, "", {1.0f, -0.0f, std::nanf("")}},
               {0, Phase::kUpdate, "master", 1, {2, 3}, "", {std::numeric_limits<float>::infinity()}},
               {0, Phase::kGather, "parameter", 1, {0, 0}, "", {}}};
  o.scalars = {{0, std::nanf(""), 1.0f, {2.5, 3.5}}, {1, 4.0f, 0.5f, {1.5, 0.5}}};
  o.reported = {1, 2, 3, 4};
  o.allocated = {5, 6, 7, 8};
  o.process_heap_growth_bytes = 9;
  o.process_heap_left_bytes = 10;
  o.process_growth_bytes = 11;
  o.process_left_bytes = 12;
  o.process_file_bytes = 13;
  o.unread = {"/proc/PID/io"};
  o.ranks_in_process = 3;
  message.notes = {"a note"};
  return message;
}

TEST(Protocol, AStepArrivesAsItWas) {
  const SteppedMessage sent{7, 8, 9, 1'000'000'000'000, {"abc", "def"}, std::nanf(""), 0.5f, {2.5, -0.0}};
  const SteppedMessage got = RoundTrip(sent);
  EXPECT_EQ(got.run, 7u);
  EXPECT_EQ(got.request, 8u);
  EXPECT_EQ(got.step, 9);
  EXPECT_EQ(got.nanoseconds, sent.nanoseconds);
  EXPECT_EQ(got.parameters, sent.parameters);
  EXPECT_TRUE(std::isnan(got.grad_norm));
  EXPECT_EQ(got.clip_coefficient, 0.5f);
  EXPECT_EQ(got.losses, sent.losses);
  EXPECT_TRUE(std::signbit(got.losses[1]));
  Frames without_norm = Encode(sent);
  without_norm[1].resize(sizeof(float));
  EXPECT_EQ(ErrorOf(without_norm), "stepped: expected a norm and a clip coefficient, got 1 numbers");
}

TEST(Protocol, ObservationArrivesAsItWas) {
  const ObservedMessage got = RoundTrip(SomeObservation());
  const ObservedMessage sent = SomeObservation();
  EXPECT_EQ(got.run, 7u);
  EXPECT_EQ(got.notes, sent.notes);
  EXPECT_EQ(got.observation.rank, 2);
  EXPECT_EQ(got.observation.input_hash, "abc");
  EXPECT_EQ(got.observation.owned, sent.observation.owned);
  ASSERT_EQ(got.observation.tensors.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const TensorRecord &a = got.observation.tensors[i], &b = sent.observation.tensors[i];
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.phase, b.phase);
    EXPECT_EQ(a.what, b.what);
    EXPECT_EQ(a.parameter, b.parameter);
    EXPECT_EQ(a.interval, b.interval);
    EXPECT_EQ(a.values.size(), b.values.size());
    EXPECT_EQ(a.hash, HashOf(b.values));
  }
  ASSERT_EQ(got.observation.scalars.size(), 2u);
  EXPECT_TRUE(std::isnan(got.observation.scalars[0].grad_norm));
  EXPECT_EQ(got.observation.scalars[1].clip_coefficient, 0.5f);
  EXPECT_EQ(got.observation.scalars[1].losses, (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(got.observation.allocated.buffer_bytes, 8u);
  EXPECT_EQ(got.observation.process_heap_growth_bytes, 9u);
  EXPECT_EQ(got.observation.process_heap_left_bytes, 10u);
  EXPECT_EQ(got.observation.process_growth_bytes, 11u);
  EXPECT_EQ(got.observation.process_left_bytes, 12u);
  EXPECT_EQ(got.observation.process_file_bytes, 13u);
  EXPECT_EQ(got.observation.unread, std::vector<std::string>{"/proc/PID/io"});
}

TEST(Protocol, InputsArriveAsTheyWereShippedAndOnlyToThoseThatWantThem) {
  EXPECT_FALSE(RoundTrip(HelloMessage{}).wants_inputs);
  EXPECT_TRUE(RoundTrip(HelloMessage{.wants_inputs = true}).wants_inputs);
  const auto sent = [](const RunMessage& run) { return std::get<RunMessage>(DecodeFromConductor(Views(Encode(run)))); };
  EXPECT_FALSE(sent({3, 500, "{}", std::nullopt}).inputs);
  const RunMessage got = sent({3, 500, "{}", ShippedInputs{{{0, 1, 2}}, {"abcd", "", "efgh"}}});
  ASSERT_TRUE(got.inputs);
  EXPECT_EQ(got.case_json, "{}");
  EXPECT_EQ(got.inputs->without_gradient, (std::vector<std::array<int64_t, 3>>{{0, 1, 2}}));
  EXPECT_EQ(got.inputs->frames, (std::vector<std::string>{"abcd", "", "efgh"}));
}

TEST(Protocol, ARunSaysWhereItsCheckpointGoes) {
  const auto folder_sent = [](const RunMessage& run) {
    return std::get<RunMessage>(DecodeFromConductor(Views(Encode(run)))).checkpoint_folder;
  };
  EXPECT_EQ(folder_sent({3, 500, "{}", std::nullopt, "/tmp/checkpoint"}), "/tmp/checkpoint");
  EXPECT_EQ(folder_sent({3, 500, "{}", std::nullopt, ""}), "");
  EXPECT_EQ(Encode(RunMessage{3, 500, "{}", std::nullopt, ""})[0].find("checkpoint"), std::string::npos);
}

TEST(Protocol, FramesThatNobodyAskedForAreNoRun) {
  Frames frames = Encode(RunMessage{3, 500, "{}", std::nullopt, ""});
  frames.push_back("abcd");
  EXPECT_THROW(DecodeFromConductor(Views(frames)), ProtocolError);
}

TEST(Protocol, ScalesAndCostsArriveAsTheyWere) {
  ObservedMessage sent = SomeObservation();
  RankObservation& o = sent.observation;
  o.scalars[0].skipped = true;
  o.scalars[0].loss_scale = 0.1f;
  o.scalars[1].loss_scale = std::nanf("");
  o.allocated_peak_bytes = 1 << 20;
  o.memory_plan = MemoryPlan{{1, 2, 3, 4}, 5, 6, 7};
  o.traffic = {{0, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}},
               {1, {13, 14, 15}, {}, {}, {16, 17, uint64_t{1} << 60}}};
  o.timeline = {{0, "forward", 3, 1000, 2000}, {1, "step", -1, -5, 7}};
  o.events = {{0, EventKind::kCollective, "all_gather", 3, 1}, {-1, EventKind::kWait, "", -1, 0, 0}};
  o.bucket_of_parameter = {0, -1, 3};
  o.calls = {{0, "accumulate", 1, 10, 30, 15}, {0, "step", -1, 40, 50, 9}};
  o.resources = {{.step = 3, .call = "step", .cpu_ns = 4, .blocks = 5, .files = 6}};
  o.grown = {{"block of optimizer memory", 400, 7}};
  o.memory_points = {{"open", {1, 2, 3, 4}, {5, 6, 7, 8}, 9, 10}, {"after_step", {}, {}, 11, 12, 13}};
  const RankObservation got = RoundTrip(sent).observation;
  EXPECT_TRUE(got.scalars[0].skipped);
  EXPECT_FALSE(got.scalars[1].skipped);
  EXPECT_EQ(got.scalars[0].loss_scale, 0.1f);
  EXPECT_TRUE(std::isnan(got.scalars[1].loss_scale));
  EXPECT_EQ(got.allocated_peak_bytes, o.allocated_peak_bytes);
  EXPECT_EQ(got.memory_plan, o.memory_plan);
  EXPECT_EQ(got.traffic, o.traffic);
  EXPECT_EQ(got.timeline, o.timeline);
  EXPECT_EQ(got.events, o.events);
  EXPECT_EQ(got.bucket_of_parameter, o.bucket_of_parameter);
  EXPECT_EQ(got.calls, o.calls);
  EXPECT_EQ(got.memory_points, o.memory_points);
  EXPECT_EQ(got.resources, o.resources);
  EXPECT_EQ(got.grown, o.grown);
}

TEST(Protocol, WhatNotEveryRankTellsMayBeAbsent) {
  const ObservedMessage sent = SomeObservation();
  const std::string header = Encode(sent)[0];
  for (const char* name : {"skipped_steps", "loss_scales", "allocated_peak_bytes", "memory_plan", "traffic", "timeline",
                           "events", "bucket_of_parameter", "calls", "memory_points"}) {
    EXPECT_EQ(header.find(name), std::string::npos) << name;
  }
  const RankObservation got = RoundTrip(sent).observation;
  EXPECT_FALSE(got.scalars[0].skipped || got.memory_plan);
  EXPECT_EQ(got.scalars[1].loss_scale, 1.0f);
  EXPECT_TRUE(got.traffic.empty() && got.timeline.empty() && got.calls.empty() && got.memory_points.empty());
  EXPECT_TRUE(got.events.empty() && got.bucket_of_parameter.empty());
}

TEST(Protocol, WhatMayBeAbsentMustMakeSense) {
  const auto error_with = [](const std::string& field) {
    Frames frames = Encode(SomeObservation());
    frames[0].insert(1, field + ",");
    return ErrorOf(frames);
  };
  const auto expect = [&](const std::string& field, const std::string& part) {
    EXPECT_NE(error_with(field).find(part), std::string::npos) << field << ": " << error_with(field);
  };
  expect(R"("skipped_steps": [2])", "observed.skipped_steps: expected steps of scalar_steps, got 2");
  expect(R"("loss_scales": [1.0])", "observed.loss_scales: expected one for each of scalar_steps");
  expect(R"("loss_scales": [1.0, "x"])", "observed.loss_scales: expected numbers or null");
  expect(R"("traffic": [0, 1, 2])", "observed.traffic: expected step and three numbers");
  expect(R"("calls": [[0, "step", -1, 2, 3]])",
         "observed.calls[0]: expected step, call, micro-batch, begin, end, cpu time");
  expect(R"("memory_points": [{"point": "open"}])", "observed.memory_points[0].reported_bytes: expected");
  expect(R"("timeline": [[0, "step", 1, 2]])", "observed.timeline[0]: expected step, name, index, begin, end");
  expect(R"("events": [[0, 3, "all_gather", 1, 1]])", "observed.events[0]: expected step, kind, name, index, queue");
  expect(R"("bucket_of_parameter": ["x"])", "observed.bucket_of_parameter[0]: expected an integer");
  expect(R"("memory_plan": {"peak_bytes": 1})", "observed.memory_plan.estimated_bytes");
}

TEST(Protocol, LargePiecesTravelAsHash) {
  ObservedMessage message = SomeObservation();
  TensorRecord large;
  large.what = "parameter";
  large.values.assign(kHeldAboveNumel + 1, 0.25f);
  large.interval = {0, kHeldAboveNumel + 1};
  message.observation.tensors.insert(message.observation.tensors.begin() + 1, large);
  const Frames frames = Encode(message);
  EXPECT_LT(frames[1].size(), 100u);
  const ObservedMessage got = std::get<ObservedMessage>(DecodeFromRank(Views(frames)));
  EXPECT_TRUE(got.observation.tensors[1].values.empty());
  EXPECT_EQ(got.observation.tensors[1].hash, HashOf(large.values));
  EXPECT_EQ(got.observation.tensors[2].values.size(), 1u);
}

TEST(Protocol, OtherMessagesArriveAsTheyWere) {
  EXPECT_EQ(RoundTrip(RefusedMessage{1, "step", 2, 3, "text"}).text, "text");
  EXPECT_EQ(RoundTrip(UnsupportedMessage{1, "reason"}).reason, "reason");
  EXPECT_EQ(RoundTrip(BreachMessage{1, "left 2 blocks"}).text, "left 2 blocks");
  EXPECT_EQ(RoundTrip(SetMessage{1, 2, "key", std::string("\0b", 2)}).value, std::string("\0b", 2));
  EXPECT_EQ(RoundTrip(GetMessage{1, 2, "key", 5, 4000000000u}).deadline_ms, 4000000000u);
  EXPECT_EQ(std::get<EndedMessage>(DecodeFromShim(Views(Encode(EndedMessage{1, EndKind::kSignaled, 9, ""})))).kind,
            EndKind::kSignaled);
  EXPECT_EQ(RoundTrip(HelloMessage{1, 3, 77, "name", "1", "", "{}"}).pid, 77);
  EXPECT_EQ(RoundTrip(HelloMessage{.notes = {"a note"}}).notes, std::vector<std::string>{"a note"});
  const auto welcome =
      std::get<WelcomeMessage>(DecodeFromConductor(Views(Encode(WelcomeMessage{"/page", {{"a", "b"}}}))));
  EXPECT_EQ(welcome.options.at(0).second, "b");
  EXPECT_EQ(std::get<RunMessage>(DecodeFromConductor(Views(Encode(RunMessage{1, 2, "{}"})))).case_json, "{}");
}

TEST(Protocol, WhatIsNotTheProtocolIsNamed) {
  EXPECT_NE(ErrorOf({}).find("without frames"), std::string::npos);
  EXPECT_NE(ErrorOf({"\x01zzz"}).find("expected a JSON object as header, got 4 bytes"), std::string::npos);
  EXPECT_NE(ErrorOf({"[1]"}).find("expected a JSON object"), std::string::npos);
  EXPECT_NE(ErrorOf({"{}"}).find("type"), std::string::npos);
  EXPECT_NE(ErrorOf({R"({"type": "dance"})"}).find("got the type \"dance\""), std::string::npos);
  EXPECT_NE(ErrorOf({R"({"type": "refused", "run": 1, "call": "x", "step": 0, "code": 1})"}).find("refused.text"),
            std::string::npos);
  EXPECT_NE(ErrorOf({R"({"type": "unsupported", "run": -1, "reason": "x"})"}).find("unsupported.run"),
            std::string::npos);
  EXPECT_NE(ErrorOf({R"({"type": "unsupported", "run": 1, "reason": "x", "more": 1})"}).find("more"),
            std::string::npos);
  EXPECT_NE(ErrorOf({R"({"type": "unsupported", "run": 1, "reason": "x"})", ""}).find("expected 1 frames, got 2"),
            std::string::npos);
}

TEST(Protocol, HeadersAreReadWithinLimits) {
  const std::pair<const char*, const char*> fields[] = {
      {"hello", "rank"}, {"hello", "capabilities"}, {"observed", "records"}, {"refused", "text"}, {"values", "record"},
      {"set", "key"},    {"ended", "code"},         {"nothing known", "x"}};
  for (const auto& [type, field] : fields) {
    for (const BadJson& bad : BadJsonValues()) {
      const std::string error =
          ErrorOf({"{\"type\":\"" + std::string(type) + "\",\"" + field + "\":" + bad.value + "}"});
      EXPECT_NE(error.find(bad.phrase), std::string::npos) << type << "." << field << ": " << error;
      EXPECT_LT(error.size(), 300u);
    }
  }
  EXPECT_NE(ErrorOf({R"({"type":"unsupported","run":1,"run":2,"reason":"x"})"}).find("got \"run\" twice"),
            std::string::npos);
}

TEST(Protocol, ShippedInputsAreNamedByIntegers) {
  const std::string header = R"({"type":"run","run":1,"deadline_ms":1,"without_gradient":[[0,"x",1]]})";
  EXPECT_THROW(DecodeFromConductor({header, "{}"}), ProtocolError);
}

TEST(Protocol, ShippedInputsComeWithTheirCase) {
  const std::string header = R"({"type":"run","run":1,"deadline_ms":1,"without_gradient":[]})";
  try {
    DecodeFromConductor({header});
    ADD_FAILURE() << "it was taken without a case";
  } catch (const ProtocolError& wrong) {
    EXPECT_STREQ(wrong.what(), "run: expected at least 2 frames, got 1");
  }
}

TEST(Protocol, OwnedBoundsCanBeAddedUp) {
  Frames frames = Encode(SomeObservation());
  frames[0].replace(frames[0].find("[[0,3,5,7]"), 10, "[[-9223372036854775808,9223372036854775807]");
  EXPECT_NE(ErrorOf(frames).find("observed.owned[0]: expected bounds of at most 2^40"), std::string::npos)
      << ErrorOf(frames);
}

TEST(Protocol, ObservationsMustAddUp) {
  Frames fewer = Encode(SomeObservation());
  fewer[1].resize(fewer[1].size() - 4);
  EXPECT_NE(ErrorOf(fewer).find("got fewer"), std::string::npos);
  Frames more = Encode(SomeObservation());
  more[1] += "four";
  EXPECT_NE(ErrorOf(more).find("got more"), std::string::npos);
  Frames odd = Encode(SomeObservation());
  odd[1] += "o";
  EXPECT_NE(ErrorOf(odd).find("numbers of 4 bytes"), std::string::npos);
  Frames scalars = Encode(SomeObservation());
  scalars[2].clear();
  EXPECT_NE(ErrorOf(scalars).find("two scalars"), std::string::npos);
  Frames huge = Encode(SomeObservation());
  huge[0].replace(huge[0].find("-1,0,0,0,3"), 10, "-1,0,0,9,3");
  EXPECT_NE(ErrorOf(huge).find("begin <= end"), std::string::npos);
}

TEST(Protocol, AnotherVersionIsSaid) {
  Frames hello = Encode(HelloMessage{0, 1, 1, "n", "v", "d", "{}"});
  hello[0].replace(hello[0].find("\"protocol\":1"), 12, "\"protocol\":2");
  EXPECT_NE(ErrorOf(hello).find("expected protocol version 1, got 2"), std::string::npos);
}

TEST(Protocol, RanksAndShimsHaveTheirOwnMessages) {
  EXPECT_EQ(ErrorOf(Encode(StartedMessage{1, 77, 78})), "expected a message of a rank, got the type \"started\"");
  EXPECT_EQ(ErrorOf(Encode(EndedMessage{1, EndKind::kSignaled, 9, ""})),
            "expected a message of a rank, got the type \"ended\"");
  EXPECT_THROW(DecodeFromShim(Views(Encode(FailedMessage{"I am a rank"}))), ProtocolError);
}

}  // namespace
}  // namespace zerocts
