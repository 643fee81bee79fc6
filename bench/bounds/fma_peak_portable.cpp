// A kind of CPU whose peak nobody measured.
#include "bench/bounds/peers.hpp"

namespace zerocts {

double FmaPeak() { return 0.0; }

}  // namespace zerocts
