// What every rank holds and moves, to the byte, against the paper's formulas; and what it holds against readings from
// outside. Exit code 1 when a figure is not equal, or a reading is more than 5 % away.
//   per rank    bytes held by kind and bytes moved in one step: the formula for the layout, padding named
//               (comparison.hpp)
//   all ranks   the sums, against closed formulas in Psi and W alone
//   stages      stage 3 moves exactly one all-gather more than stage 2
//   outside     ranks that are threads against the growth of the heap (mallinfo2), ranks that are processes against the
//               growth of their proportional set size
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bench/engine/comparison.hpp"
#include "bench/engine/engine_rank.hpp"
#include "bench/engine/program.hpp"
#include "bench/engine/workload.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {
namespace {

constexpr double kOutsideTolerance = 0.05;
constexpr int64_t kLeastForOutside = int64_t{64} << 20;  // below, stacks and rounding to pages count for too much

/// What every figure of one table was.
class Verdict {
 public:
  explicit Verdict(bool prints_ranks) : prints_ranks_(prints_ranks) {}

  /// What is not equal is printed in any case.
  void OfRank(const std::string& where, const ComparedFigure& f) {
    if (f.equal() && !prints_ranks_) {
      ++compared_;
    } else {
      Print(where, f);
    }
  }
  void Print(const std::string& where, const ComparedFigure& f) {
    ++compared_;
    fmt::print("{:<22} {:<26} {:>16} {:>14} {:>16}  {}\n", where, f.what, f.formula, f.padding, f.counted,
               f.equal() ? "equal" : fmt::format("NOT EQUAL: expected {}", f.formula + f.padding));
    if (!f.equal()) ++unequal_;
  }
  void PrintOutside(const std::string& where, const char* what, int64_t held, int64_t read) {
    const double off = static_cast<double>(read - held) / static_cast<double>(held);
    const bool judged = held >= kLeastForOutside, far = judged && std::abs(off) > kOutsideTolerance;
    fmt::print("{:<22} {:<26} {:>16} {:>14} {:>16}  {:+.2f} %{}\n", where, what, held, "", read, 100 * off,
               far      ? ": TOO FAR, expected at most 5 %"
               : judged ? ""
                        : ", too small to be judged");
    if (far) ++unequal_;
  }
  bool good() const { return unequal_ == 0; }
  std::string Text() const {
    return good() ? fmt::format("all {} figures are equal", compared_)
                  : fmt::format("{} figures are NOT equal or too far away", unequal_);
  }

 private:
  const bool prints_ranks_;
  int compared_ = 0, unequal_ = 0;
};

nlohmann::json ToJson(const std::vector<ComparedFigure>& figures) {
  nlohmann::json json;
  for (const ComparedFigure& f : figures) json.push_back({f.what, f.formula, f.padding, f.counted});
  return json;
}

/// One step of an engine with a model; figures, and its heap or process as seen from outside.
nlohmann::json MeasureRank(const std::string& transport, const Workload& workload, engine::TestRank& self) {
  const engine::EngineSettings settings = SettingsOf(workload);
  const TensorValues values(settings, 1);
  const TokenBatch tokens = TokensOf(workload, static_cast<uint64_t>(self.rank));
  const auto read = [&] { return transport == "threads" ? static_cast<int64_t>(HeapBytes()) : HeldBytes(); };
  const auto meet = engine::MakeCommunicator(transport, [&] {
    engine::CommunicatorSettings apart = self.settings;
    apart.group = "readings";
    return apart;
  }());
  meet->Barrier("before");
  const int64_t before = read();
  meet->Barrier("read");
  EngineRank rank(transport, self, workload, settings, values.initial());
  meet->Barrier("made");
  const int64_t outside = read() - before;
  meet->Barrier("read");

  const engine::Traffic made = rank.comm().traffic();
  rank.engine().ForwardBackward(0, 0, tokens.inputs.data(), tokens.targets.data(), workload.batch,
                                ContextOf(*settings.model));
  rank.engine().Step(0);
  rank.comm().Barrier("moved");
  const engine::Traffic moved = Difference(rank.comm().traffic(), made);
  const engine::Layout& layout = rank.engine().layout();
  std::vector<ComparedFigure> figures = CompareHeld(settings, layout, self.rank, rank.engine().memory());
  for (const ComparedFigure& f : CompareMoved(settings, layout, self.rank, moved)) figures.push_back(f);
  return {{"figures", ToJson(figures)},
          {"held", rank.engine().memory().total() + rank.comm().staging_bytes()},
          {"outside", outside}};
}

/// Formulas of the whole world: Psi elements, W ranks.
std::map<std::string, int64_t> ClosedFormulas(const Workload& workload, int64_t psi, int64_t W) {
  const int stage = workload.stage;
  const int64_t parameter = engine::ElementBytes(workload.precision), fp32 = 4;
  const int64_t state = workload.precision == Precision::kBf16 ? 12 : 8;
  const int64_t reduced = (W - 1) * psi * fp32;
  const int64_t gathered = (W - 1) * psi * (stage == 0 ? fp32 : stage == 3 ? 2 * parameter : parameter);
  return {{"parameters held", (stage >= 3 ? 1 : W) * psi * parameter},
          {"gradients held", (stage >= 2 ? 1 : W) * psi * fp32},
          {"optimizer state held", (stage >= 1 ? 1 : W) * psi * state},
          {"reduce-scatter sent", reduced},
          {"reduce-scatter received", reduced},
          {"all-gather sent", gathered},
          {"all-gather received", gathered}};
}

/// By name: sums over ranks of padding and of what was counted.
std::map<std::string, ComparedFigure> PrintRanks(const std::string& where, const std::vector<nlohmann::json>& ranks,
                                                 Verdict& verdict) {
  std::map<std::string, ComparedFigure> sums;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const nlohmann::json& json : ranks[rank].at("figures")) {
      const ComparedFigure figure{json[0], json[1], json[2], json[3]};
      verdict.OfRank(fmt::format("{} rank {}", where, rank), figure);
      sums[figure.what].padding += figure.padding;
      sums[figure.what].counted += figure.counted;
    }
  }
  return sums;
}

void Account(const ProgramOptions& options, const Workload& workload, std::map<int, int64_t>& gathered,
             Verdict& verdict, Figures& figures) {
  const std::string where = fmt::format("{} stage {}", ToString(workload.precision), workload.stage);
  const auto measure = [&](const char* transport) {
    return OnRanks(transport, options.ranks,
                   [&](engine::TestRank& self) { return MeasureRank(transport, workload, self); });
  };
  const auto threads = measure("threads"), processes = measure("shm");
  auto sums = PrintRanks(where, threads, verdict);
  for (const auto& [what, formula] : ClosedFormulas(workload, NumelOf(SettingsOf(workload)), options.ranks)) {
    const ComparedFigure sum{what, formula, sums[what].padding, sums[what].counted};
    verdict.Print(where + " all ranks", sum);
    Parameters parameters = ParametersOf(options, workload);
    parameters["what"] = what;
    figures.AddCount("bytes_of_all_ranks", parameters, "byte", sum.counted).bound =
        RecordedBound{"formula and padding", static_cast<double>(formula + sum.padding)};
  }
  gathered[workload.stage] = sums["all-gather received"].counted;
  int64_t held = 0;
  for (const nlohmann::json& rank : threads) held += rank.at("held").get<int64_t>();
  verdict.PrintOutside(where + " all ranks", "heap (mallinfo2)", held, threads.front().at("outside"));
  for (int rank = 0; rank < options.ranks; ++rank) {
    verdict.PrintOutside(fmt::format("{} rank {}", where, rank), "process (/proc, PSS)", processes[rank].at("held"),
                         processes[rank].at("outside"));
  }
}

int Main(int argc, char** argv) {
  CLI::App program(
      "Bytes held and moved by every rank against the paper's formulas; exit code 1 when one is not equal.",
      "account_bench");
  ProgramOptions options{.model = "tiny", .ranks = 3, .precisions = {"fp32", "bf16"}};
  AddOptions(program, options);
  program.remove_option(program.get_option("--steps"));
  bool prints_ranks = false;
  program.add_flag("--each-rank", prints_ranks, "Print the figures of each rank too; they are compared in any case");
  return RunProgram(program, argc, argv, [&] {
    Verdict verdict(prints_ranks);
    Figures figures;
    fmt::print("{}, plan {}, {} ranks, one step of {} sequences per rank\n\n{:<22} {:<26} {:>16} {:>14} {:>16}\n",
               options.model, options.plan, options.ranks, UsualBatch(options.model), "bytes", "", "formula", "padding",
               "counted");
    for (const Precision precision : options.AllPrecisions()) {
      std::map<int, int64_t> gathered;  // by stage
      for (const int stage : options.stages) {
        const Workload workload{.model = options.model,
                                .precision = precision,
                                .stage = stage,
                                .plan = options.plan,
                                .computes = true,
                                .batch = UsualBatch(options.model)};
        figures.Try("bytes_of_all_ranks", ParametersOf(options, workload),
                    [&] { Account(options, workload, gathered, verdict, figures); });
      }
      if (gathered.contains(2) && gathered.contains(3)) {
        verdict.Print(ToString(precision) + " stage 3 - stage 2",
                      {"one all-gather", gathered[2], 0, gathered[3] - gathered[2]});
      }
    }
    fmt::print("\n{}\n", verdict.Text());
    const int written = WriteRecords(options, figures);
    return verdict.good() ? written : kExitNotConformant;
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
