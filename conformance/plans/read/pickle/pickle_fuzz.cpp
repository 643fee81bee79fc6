// A pickle of any kind, every value of which is looked at.
#include "conformance/plans/read/pickle/pickle.hpp"
#include "conformance/plans/read/pickle/pickles_for_test.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {

using namespace read;

std::vector<std::string> FuzzSeeds() { return {PickleOfScalars(), PickleOfContainers(), PickleOfTensor()}; }

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    const Pickle pickle{std::string(bytes)};
    for (ValueId id = 0; id < pickle.size(); ++id) NameOf(pickle[id].kind);
  });
}

}  // namespace zerocts
