#include "bench/gpu/cuda_clock.hpp"

#include <vector>

#include "bench/timing/statistics.hpp"
#include "impl/device/cuda/calls.hpp"

namespace zerocts {
namespace {

constexpr int kRounds = 11, kCallsPerRound = 10;

class Moment {
 public:
  Moment() { engine::RequireCuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Moment() { cudaEventDestroy(event_); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  void RecordOn(engine::CudaStream& stream) {
    stream.Launch(
        [this](cudaStream_t handle) { engine::RequireCuda(cudaEventRecord(event_, handle), "cudaEventRecord"); });
  }
  /// When both have come.
  static double SecondsBetween(const Moment& begin, const Moment& end) {
    float milliseconds = 0;
    engine::RequireCuda(cudaEventElapsedTime(&milliseconds, begin.event_, end.event_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

double MedianSecondsOn(engine::CudaStream& stream, const std::function<void()>& enqueue) {
  std::vector<double> seconds;
  Moment begin, end;
  for (int round = 0; round <= kRounds; ++round) {
    begin.RecordOn(stream);
    for (int call = 0; call < kCallsPerRound; ++call) enqueue();
    end.RecordOn(stream);
    stream.Synchronize();
    if (round > 0) seconds.push_back(Moment::SecondsBetween(begin, end) / kCallsPerRound);
  }
  return MedianOf(seconds);
}

}  // namespace zerocts
