// What the conductor says to a rank.
#include "conformance/host/wire/messages_for_fuzz_test.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {

std::vector<std::string> FuzzSeeds() {
  return {BytesOf(Encode(WelcomeMessage{"/page", {{"key", "value"}}})),
          BytesOf(Encode(RunMessage{1, 2, "{}", std::nullopt, "/folder"})),
          BytesOf(Encode(RunMessage{1, 2, "{}", ShippedInputs{{{0, 1, 2}}, {"abcd", "", "efgh"}}, ""})),
          BytesOf(Encode(FetchMessage{1, 2})),
          BytesOf(Encode(DoneMessage{1, 4, "text", "value"})),
          BytesOf(Encode(StopMessage{}))};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<ProtocolError>(bytes, [&] {
    const ConductorMessage message = DecodeFromConductor(FramesIn(bytes));
    std::visit([](const auto& known) { Encode(known); }, message);
  });
}

}  // namespace zerocts
