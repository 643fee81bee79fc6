// Speed on one GPU, each figure beside a bound or a peer of the same run, as records that are written when they are
// known: memory (copies, optimizer, casts, sums), products, what ZeRO stages cost ranks that share the GPU,
// training with products by cuBLAS. Exit code 77 and a sentence without a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/engine/program.hpp"
#include "bench/engine/training_times.hpp"
#include "bench/gpu/cuda_clock.hpp"
#include "bench/gpu/gpu_figures.hpp"
#include "bench/timing/statistics.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

constexpr int64_t kNumel = int64_t{64} << 20;
constexpr int kLeaves = 4;

struct Options {
  std::vector<std::string> parts = {"memory", "products", "zero", "training"};
  int64_t numel = kNumel, size = 4096, batch = 4, steps = 5;
  int rounds = 3;
};

/// The last one that was added.
void SayLast(const Figures& figures) {
  fmt::print("{}\n", LineOf(figures.records().back()));
  std::fflush(stdout);
}
void Say(const GpuFigure& figure) {
  Figures figures;
  AddTo(figures, figure);
  SayLast(figures);
}
void SayNotRun(const std::string& figure, const std::string& reason) {
  Figures figures;
  figures.AddError(figure, Parameters::object(), "not run: " + reason);
  SayLast(figures);
}

/// Memory of the device that is not counted, filled with ordinary numbers.
class Values {
 public:
  Values(engine::Device& device, engine::CudaStream& stream, int64_t numel)
      : device_(device), at_(device.AllocateActivations(numel * 4)) {
    stream.ops().Fill(floats(), 0.5f, numel);
    stream.Synchronize();
  }
  ~Values() { device_.FreeActivations(at_); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  float* floats() const { return static_cast<float*>(at_); }
  Bf16* narrow() const { return static_cast<Bf16*>(at_); }

 private:
  engine::Device& device_;
  void* const at_;
};

/// Gives none: no buffer of these benchmarks is the host's.
struct NoHostMemory : engine::MemorySource {
  void* Allocate(int64_t, engine::MemoryKind) override {
    throw std::logic_error("a GPU's memory is not the host's to give");
  }
  void Free(void*) override {}
};

struct Gpu {
  explicit Gpu(engine::Math math)
      : device(engine::MakeDevice("cuda", memory, {.math = math})),
        stream_(device->MakeStream(engine::StreamRole::kCompute)) {}
  engine::CudaStream& stream() { return dynamic_cast<engine::CudaStream&>(*stream_); }
  NoHostMemory memory;
  const std::unique_ptr<engine::Device> device;

 private:
  const std::unique_ptr<engine::DeviceStream> stream_;
};

class MemoryFigures {
 public:
  MemoryFigures(Gpu& gpu, int64_t numel)
      : gpu_(gpu),
        numel_(numel),
        p_(New()),
        m_(New()),
        v_(New()),
        g_(New()),
        out_(New()),
        sum_(device(), stream(), sizeof(SumOfSquares) / 4) {}

  void SayAll() {
    Ops& ops = stream().ops();
    const AdamWScalars adamw{1e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.1f, 0.05f, 1.0f};
    const float* leaves[kLeaves] = {p_.floats(), m_.floats(), v_.floats(), g_.floats()};
    const Fold fold = RankFold(kLeaves, 1);
    Measure("copy", kCopy, 0, [&] { ops.Copy(out_.floats(), g_.floats(), numel_ * 4); });
    Measure("ordered reduction of 4 ranks", FoldOf(kLeaves), 0.9,
            [&] { ops.FoldLeaves(out_.floats(), fold, leaves, kLeaves, numel_); });
    Measure("AdamW", kAdamW, 0.9,
            [&] { ops.AdamW(adamw, p_.floats(), m_.floats(), v_.floats(), g_.floats(), numel_); });
    Measure("cast to bf16", kCast, 0.9, [&] { ops.CastToBf16(out_.narrow(), g_.floats(), numel_); });
    Measure("cast to fp32", kCast, 0.9, [&] { ops.CastToFloat(g_.floats(), out_.narrow(), numel_); });
    Clear();
    Measure("exact norm", kNorm, 0.7,
            [&] { ops.AddSquares(reinterpret_cast<SumOfSquares*>(sum_.floats()), p_.floats(), numel_); });
  }

 private:
  engine::Device& device() { return *gpu_.device; }
  engine::CudaStream& stream() { return gpu_.stream(); }
  Values New() { return Values(device(), stream(), numel_); }

  void Clear() {
    static const SumOfSquares none;
    device().CopyFromHost(sum_.floats(), &none, sizeof none, stream());
    stream().Synchronize();
  }

  void Measure(const std::string& name, Traffic32 traffic, double goal, const std::function<void()>& enqueue) {
    GpuFigure figure{.name = name, .seconds = MedianSecondsOn(stream(), enqueue), .unit = "byte", .goal = goal};
    figure.amount = static_cast<double>(traffic.bytes() * numel_);
    if (copy_rate_ == 0) {
      copy_rate_ = figure.rate();  // the first one is the bound of the others
    } else {
      figure.bound = "copy";
      figure.bound_rate = copy_rate_;
    }
    Say(figure);
  }

  Gpu& gpu_;
  const int64_t numel_;
  const Values p_, m_, v_, g_, out_, sum_;
  double copy_rate_ = 0;
};

GpuFigure Product(const std::string& name, Gpu& gpu, int64_t size, Operands operands) {
  const Values a(*gpu.device, gpu.stream(), size * size), b(*gpu.device, gpu.stream(), size * size),
      c(*gpu.device, gpu.stream(), size * size);
  Ops& ops = gpu.stream().ops();
  return {.name = name,
          .seconds = MedianSecondsOn(
              gpu.stream(), [&] { ops.GemmNN(c.floats(), a.floats(), b.floats(), size, size, size, operands); }),
          .amount = ProductFlop(size, size, size),
          .unit = "flop"};
}

void SayProducts(Gpu& gpu, int64_t size) {
  const double peak = FmaPeakOn(gpu.stream());
  GpuFigure exact = Product("exact product, fp32", gpu, size, Operands::kFp32);
  exact.bound = "fp32 fmas in registers";
  exact.bound_rate = peak;
  exact.goal = 0.7;
  Say(exact);
  try {
    Gpu fast(engine::Math::kFast);
    GpuFigure bf16 = Product("product by cuBLAS, bf16", fast, size, Operands::kBf16);
    bf16.bound = "exact product, fp32";
    bf16.bound_rate = exact.rate();
    Say(bf16);
  } catch (const engine::Unimplemented& missing) {
    SayNotRun("product by cuBLAS, bf16", missing.what());
  }
}

double StepSeconds(const Workload& workload, int ranks, int64_t steps, std::vector<double>& all) {
  const std::vector<double> seconds = MeasureTraining("threads", workload, ranks, steps).seconds;
  all.insert(all.end(), seconds.begin(), seconds.end());
  return MedianOf(all);
}

/// The stages take turns.
void SayStages(const Options& options) {
  for (const int ranks : {2, 4}) {
    std::vector<double> seconds[4];
    for (int round = 0; round < options.rounds; ++round) {
      for (int stage = 0; stage <= 3; ++stage) {
        StepSeconds({.model = "small",
                     .stage = stage,
                     .computes = true,
                     .overlap = true,
                     .batch = options.batch,
                     .device = "cuda"},
                    ranks, options.steps, seconds[stage]);
      }
    }
    for (int stage = 1; stage <= 3; ++stage) {
      Say(Overhead(fmt::format("step of stage {}, {} ranks", stage, ranks), MedianOf(seconds[stage]), "stage 0",
                   MedianOf(seconds[0])));
    }
  }
}

void SayTraining(const Options& options) {
  const Workload workload{.model = "gpt2-124m",
                          .precision = Precision::kBf16,
                          .stage = 0,
                          .computes = true,
                          .batch = options.batch,
                          .device = "cuda",
                          .math = engine::Math::kFast};
  const std::string name =
      fmt::format("training of gpt2-124m in bf16, products by cuBLAS, {} sequences", options.batch);
  try {
    Gpu fast(engine::Math::kFast);
    std::vector<double> seconds;
    const double median = StepSeconds(workload, 1, options.steps, seconds);
    Say({.name = name,
         .seconds = median,
         .amount = static_cast<double>(options.batch * GptSize(workload.model).context),
         .unit = "token"});
  } catch (const engine::Unimplemented& missing) {
    SayNotRun(name, missing.what());
  }
}

std::string WhyNoGpu() {
  try {
    Gpu gpu(engine::Math::kExact);
    return "";
  } catch (const engine::Unimplemented& missing) {
    return missing.what();
  }
}

int Measure(const Options& options) {
  if (const std::string missing = WhyNoGpu(); !missing.empty()) {
    fmt::print("not run: {}\n", missing);
    return kExitNothingApplicable;
  }
  Gpu gpu(engine::Math::kExact);
  const auto wanted = [&](const char* part) { return std::ranges::find(options.parts, part) != options.parts.end(); };
  if (wanted("memory")) MemoryFigures(gpu, options.numel).SayAll();
  if (wanted("products")) SayProducts(gpu, options.size);
  if (wanted("zero")) SayStages(options);
  if (wanted("training")) SayTraining(options);
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App program("Speed on one GPU, each figure beside its bound.", "cuda_speed");
  Options options;
  program.add_option("--only", options.parts, "memory, products, zero, training, with commas between")
      ->delimiter(',')
      ->check(CLI::IsMember({"memory", "products", "zero", "training"}));
  program.add_option("--numel", options.numel, "Of the arrays of memory")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 32))
      ->capture_default_str();
  program.add_option("--size", options.size, "Rows and columns of products")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  program.add_option("--batch", options.batch, "Sequences per micro-batch")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  program.add_option("--steps", options.steps, "Of training that are measured, after one that is not")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  program.add_option("--rounds", options.rounds, "Turns of the stages")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  return RunProgram(program, argc, argv, [&] { return Measure(options); });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
