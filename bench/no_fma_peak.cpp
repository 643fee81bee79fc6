// A kind of CPU whose peak nobody measured.
#include "bench/peers.hpp"

namespace zerocts {

double FmaPeak() { return 0.0; }

}  // namespace zerocts
