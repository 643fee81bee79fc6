#include "impl/device/cuda/stream.hpp"

#include <utility>

#include "impl/device/cuda/calls.hpp"
#include "impl/device/cuda/ops.hpp"

namespace zerocts::engine {
namespace {

/// A moment of a CudaStream: it has come when it was launched and the GPU has passed it.
class CudaMoment : public StreamEvent {
 public:
  CudaMoment() { RequireCuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  ~CudaMoment() override { cudaEventDestroy(event_); }
  CudaMoment(const CudaMoment&) = delete;
  CudaMoment& operator=(const CudaMoment&) = delete;

  void Synchronize() const override {
    if (launched_) launched_->Synchronize();
    RequireCuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
  }
  cudaEvent_t event() const { return event_; }
  const Event& launched() const { return launched_; }
  void SetLaunched(Event launched) { launched_ = std::move(launched); }

 private:
  cudaEvent_t event_ = nullptr;
  Event launched_;  // a moment of the stream's thread
};

/// Collectives first: others wait for them.
int PriorityOf(StreamRole role) {
  int least = 0, greatest = 0;
  RequireCuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  return role == StreamRole::kCommunication ? greatest : least;
}

}  // namespace

CudaStream::Handle::Handle(StreamRole role) {
  RequireCuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, PriorityOf(role)),
              "cudaStreamCreateWithPriority");
}

CudaStream::Handle::~Handle() { cudaStreamDestroy(stream); }

CudaStream::CudaStream(int gpu, StreamRole role, Math math)
    : role_(role),
      handle_(role),
      launching_ops_(role == StreamRole::kCompute && math != Math::kExact
                         ? MakeFastCudaOps(handle_.stream, math)
                         : MakeCudaOps(handle_.stream, CudaLaunch::kReturns)),
      waiting_ops_(MakeCudaOps(handle_.stream, CudaLaunch::kWaits)),
      host_ops_(HostOps(), *this),
      launches_(nullptr, *launching_ops_) {
  launches_.Run([gpu] { RequireCuda(cudaSetDevice(gpu), "cudaSetDevice"); });  // of the stream's thread
}

Ops& CudaStream::ops() {
  if (role_ == StreamRole::kCopy) return host_ops_;
  return launches_.ops();
}

void CudaStream::Run(std::function<void()> work, std::vector<Overwritten>) {
  launches_.Run([stream = handle_.stream, work = std::move(work)] {
    RequireCuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    work();
  });
}

bool CudaStream::native_handle_is_idle() {
  const cudaError_t code = cudaStreamQuery(handle_.stream);
  if (code != cudaErrorNotReady) RequireCuda(code, "cudaStreamQuery");
  return code == cudaSuccess;
}

void CudaStream::Launch(std::function<void(cudaStream_t)> launch) {
  launches_.Run([stream = handle_.stream, launch = std::move(launch)] { launch(stream); });
}

Event CudaStream::Record() {
  const auto moment = std::make_shared<CudaMoment>();
  Launch([moment](cudaStream_t stream) { RequireCuda(cudaEventRecord(moment->event(), stream), "cudaEventRecord"); });
  moment->SetLaunched(launches_.Record());
  return moment;
}

void CudaStream::WaitFor(const Event& event) {
  const auto moment = std::dynamic_pointer_cast<const CudaMoment>(event);
  if (!moment) {
    launches_.WaitFor(event);
    return;
  }
  launches_.WaitFor(moment->launched());
  Launch([moment](cudaStream_t stream) {
    RequireCuda(cudaStreamWaitEvent(stream, moment->event(), 0), "cudaStreamWaitEvent");
  });
}

void CudaStream::Synchronize() {
  launches_.Synchronize();
  RequireCuda(cudaStreamSynchronize(handle_.stream), "cudaStreamSynchronize");
}

}  // namespace zerocts::engine
