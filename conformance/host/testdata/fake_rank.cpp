// A rank that speaks the protocol by itself and misbehaves: fake_rank BEHAVIOUR. Without fault ("good") it observes
// nothing of a case without parameters to show, under the right input hash.
//   good | garbage | half | exit | crash | hang | refuse_one | wrong_hash | wrong_rank | lies_about_values | wrong_run
//   | old_protocol | step_ahead | unsupported
//   garbage_first: speaks it before its hello
//   shipped: wants its inputs, and refuses when those that come are not the case's
//   started | ended: says what its shim says; impostor: comes a second time, as rank 0, and refuses in its name
//   wrong_secret | no_secret: comes in without the group's
//   dies_after_hello | aborts_at_stop
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/rank_identity.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "reference/experiment/json_text.hpp"

namespace {

using namespace zerocts;

ObservedMessage Observe(const RunMessage& run, const Case& c, int rank) {
  ObservedMessage message;
  message.run = run.run;
  message.observation.rank = rank;
  message.observation.input_hash = InputHash(c, rank);
  message.observation.owned.resize(c.experiment.parameters.size());
  return message;
}

/// The hash of the frames as they are, which is the hash of the inputs when they are complete and in order.
std::string HashOfShipped(const ShippedInputs& inputs) {
  InputHasher hasher;
  for (const std::string& frame : inputs.frames)
    hasher.Add(std::span(reinterpret_cast<const float*>(frame.data()), frame.size() / sizeof(float)));
  return hasher.Hex();
}

void RunShipped(zmq::socket_t& socket, const RunMessage& run, int rank) {
  const Case c = CaseFromJson(ParseJson(run.case_json));
  ObservedMessage answer = Observe(run, c, rank);
  const bool same = run.inputs && HashOfShipped(*run.inputs) == answer.observation.input_hash;
  answer.observation.input_hash.clear();
  if (same) return SendFrames(socket, Encode(answer));
  SendFrames(socket, Encode(RefusedMessage{run.run, "open", -1, ZEROCTS_INVALID_ARGUMENT,
                                           "the inputs are not those of the case"}));
}

void RefuseAs(const Peer& other, uint64_t run) {
  static zmq::context_t context;
  static zmq::socket_t socket = ConnectToConductor(context, other);
  SendFrames(socket, Encode(RefusedMessage{run, "open", -1, ZEROCTS_INTERNAL, "an impostor"}));
}

/// With another secret than the group's, or without any, as ranks of other groups and of old clients come.
zmq::socket_t Connect(zmq::context_t& context, const std::string& how, const Peer& self) {
  if (how == "wrong_secret") setenv(kGroupSecretVariable, "guessed", 1);
  if (how != "no_secret") return ConnectToConductor(context, self);
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::routing_id, self.Name());
  socket.connect(RequiredVariable(kConductorVariable));
  return socket;
}

void Misbehave(zmq::socket_t& socket, const std::string& how, const RunMessage& run, int rank) {
  const Case c = CaseFromJson(ParseJson(run.case_json));
  ObservedMessage answer = Observe(run, c, rank);
  const bool me = rank == 1;
  if (me && how == "garbage") return SendFrames(socket, {"\x01\x02 this is no header", "\xff"});
  if (me && how == "half")
    return SendFrames(socket, {"{\"type\": \"observed\", \"run\": " + std::to_string(run.run) + "}"});
  if (how == "step_ahead") return SendFrames(socket, Encode(SteppedMessage{.run = run.run, .request = 1, .step = 1}));
  if (me && how == "exit") _exit(0);
  if (me && how == "crash") raise(SIGSEGV);
  while (me && how == "hang") pause();
  if (me && how == "refuse_one")
    return SendFrames(socket, Encode(RefusedMessage{run.run, "open", -1, ZEROCTS_UNIMPLEMENTED, "not today"}));
  if (how == "unsupported") return SendFrames(socket, Encode(UnsupportedMessage{run.run, "I do not like it"}));
  if (me && how == "wrong_hash") answer.observation.input_hash = std::string(32, '0');
  if (me && how == "wrong_rank") answer.observation.rank = 0;
  if (me && how == "wrong_run") answer.run += 1;
  if (me && how == "started") return SendFrames(socket, Encode(StartedMessage{rank, getppid(), getpid()}));
  if (me && how == "ended") return SendFrames(socket, Encode(EndedMessage{rank, EndKind::kSignaled, SIGSEGV, ""}));
  if (me && how == "impostor") RefuseAs(RankPeer(0), run.run);
  if (how == "lies_about_values") {
    TensorRecord record;
    record.what = "parameter";
    record.interval = {0, c.experiment.parameters[0].numel()};
    record.values.assign(static_cast<size_t>(record.interval.end), 1.0f);
    answer.observation.tensors.push_back(record);
  }
  SendFrames(socket, Encode(answer));
}

void SendHello(zmq::socket_t& socket, const std::string& how, const RankIdentity& identity) {
  if (how == "garbage_first") return SendFrames(socket, {"\x01\x02 this is no header"});
  const std::string capabilities =
      R"({"stages": [1], "param_dtypes": ["fp32"], "optimizers": ["sgd"], "world_sizes": [1, 8], "accumulation": true, "missing_gradients": true})";
  Frames frames = Encode(
      HelloMessage{identity.rank, identity.world_size, getpid(), "fake", "1", "", capabilities, how == "shipped"});
  if (how == "old_protocol") frames[0].replace(frames[0].find("\"protocol\":1"), 12, "\"protocol\":0");
  SendFrames(socket, frames);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "good";
  const RankIdentity identity = IdentityFromEnvironment();
  zmq::context_t context;
  zmq::socket_t socket = Connect(context, how, RankPeer(identity.rank));
  SendHello(socket, how, identity);
  if (how == "dies_after_hello") {
    socket.close();
    context.close();  // once it is sent
    raise(SIGKILL);
  }
  for (;;) {
    const Received received = ReceiveFrames(socket);
    const ConductorMessage message = DecodeFromConductor(ViewsOf(received));
    if (std::holds_alternative<StopMessage>(message)) {
      if (how == "aborts_at_stop") abort();
      return EXIT_SUCCESS;
    }
    if (const auto* run = std::get_if<RunMessage>(&message)) {
      how == "shipped" ? RunShipped(socket, *run, identity.rank) : Misbehave(socket, how, *run, identity.rank);
    }
    if (const auto* fetch = std::get_if<FetchMessage>(&message))
      SendFrames(socket, Encode(ValuesMessage{fetch->run, fetch->record, {2.0f}}));
  }
}
