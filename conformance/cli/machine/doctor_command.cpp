// zerocts doctor: what this machine has and what is missing, for the main job and for each part, and what mends it.
// Every question is put to those who know the answer in a run: launchers, limits, folders, and the subject itself.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cli/check/plain_run.hpp"
#include "conformance/cli/check/preflight.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/machine/gpus.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/held_process.hpp"
#include "conformance/host/system/machine_name.hpp"
#include "conformance/host/system/own_words.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

struct Examined {
  std::string what;  // "mpirun"
  bool there = false;
  std::string found;       // what is there, or why it is not
  std::string needed_for;  // "the main job", "--device cuda"
  std::string remedy;      // a command, or what else helps; "" where `found` says it
  bool for_main_job = false;
};

constexpr const char* kMainJob = "the main job: zerocts check --subject native --launcher local,mpirun";
constexpr int kTrialRanks = 2;
constexpr int64_t kSharedMemory = int64_t{64}
                                  << 20;  // bytes: what containers have by default, too few for NCCL and gloo

/// Nothing when `action` throws nothing, else what it says.
std::string ComplaintOf(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const std::exception& error) {
    return SentenceOf(error);
  }
}

Examined MainJob(const std::string& what, const std::string& complaint, const std::string& found,
                 const std::string& remedy) {
  return {what, complaint.empty(), complaint.empty() ? found : complaint, kMainJob, remedy, true};
}

Examined Subject() {
  const std::vector<std::string> known = KnownSubjects();
  const bool there = std::ranges::find(known, "native") != known.end();
  return MainJob("subject native", there ? "" : "is not built", fmt::format("of {}", fmt::join(known, ", ")),
                 "scripts/run, which builds it");
}

Examined Mpirun() {
  return MainJob("mpirun", LauncherOf(LauncherKind::kMpirun).Missing().empty() ? "" : "is not on the PATH",
                 "is on the PATH", "apt-get install openmpi-bin libopenmpi-dev, then scripts/run");
}

Examined Limits() {
  return MainJob("limits of this process", ComplaintOf([] { RequireLimits(); }),
                 "open files, sizes of files and of memory, threads suffice", "");
}

Examined Folder() {
  std::string path;
  const std::string complaint = ComplaintOf([&] { path = SessionFolder().path(); });
  return MainJob("temporary folder", complaint, fmt::format("{} has room", path.substr(0, path.rfind('/'))),
                 "export TMPDIR=/a/short/path/with/room");
}

Examined Memory() {
  const auto require = [] { RequireMemory(SessionSettings{}.world_sizes, {LauncherKind::kLocal}); };
  return MainJob("memory", ComplaintOf(require), "suffices for four ranks", "close other programs");
}

/// The native subject with some options, for real.
class Trials {
 public:
  Trials() : folder_(), subject_(ResolveSubject("native")) {
    host_.session_dir = folder_.path();
    host_.start_deadline = host_.case_deadline = std::chrono::seconds(30);
    settings_.subject = subject_;
    settings_.info = AskSubject(subject_, host_);
  }

  /// "" when all went well.
  std::string Complaint(LauncherKind launcher, const std::vector<std::pair<std::string, std::string>>& options) const {
    SubjectSpec subject = subject_;
    subject.options = options;
    std::string message;
    const std::string thrown = ComplaintOf([&] {
      const RunResult result = RunPlainCase(subject, launcher, PlainCase(settings_, kTrialRanks).value(), host_);
      if (result.ending != Ending::kObserved) message = result.message;
    });
    return thrown.empty() ? message : thrown;
  }

 private:
  SessionFolder folder_;
  SubjectSpec subject_;
  HostSettings host_;
  SessionSettings settings_;
};

Examined Ranks(const Trials& trials, LauncherKind launcher) {
  return MainJob(fmt::format("ranks under {}", ToString(launcher)), trials.Complaint(launcher, {}),
                 fmt::format("{} ranks of native ran a case", kTrialRanks), "");
}

Examined Part(const Trials& trials, const std::vector<std::pair<std::string, std::string>>& options,
              const std::string& remedy) {
  std::vector<std::string> words;
  for (const auto& [key, value] : options) words.push_back(key + "=" + value);
  const std::string complaint = trials.Complaint(LauncherKind::kLocal, options);
  return {fmt::format("native with {}", fmt::join(words, " ")), complaint.empty(),
          complaint.empty() ? "ran a case" : complaint, fmt::format("--option {}", fmt::join(words, " --option ")),
          remedy};
}

Examined Gpus() {
  const GpuSurvey survey = SurveyGpus();
  std::vector<std::string> names;
  for (const Gpu& gpu : survey.gpus) names.push_back(fmt::format("{} (driver {})", gpu.name, gpu.driver));
  return {"NVIDIA GPUs", !names.empty(), names.empty() ? survey.why_none : fmt::format("{}", fmt::join(names, ", ")),
          "--device cuda, and what scripts/gpu_check measures", "a machine with one, and NVIDIA's driver"};
}

Examined NameOfMachine() {
  const std::string name = MachineName(), complaint = LookUpComplaint(name);
  return {"name of this machine", complaint.empty(), complaint.empty() ? name + " has an address" : complaint,
          "quick starts under mpirun: every rank looks it up in MPI_Init",
          fmt::format("echo \"127.0.1.1 {}\" >> /etc/hosts", name)};
}

Examined SharedMemory() {
  const std::string missing = MissingRoom("/dev/shm", kSharedMemory);
  return {"/dev/shm", missing.empty(), missing.empty() ? "has room" : missing, "frameworks and NCCL on several ranks",
          "mount -o remount,size=1g /dev/shm, or docker run --shm-size 1g"};
}

Examined ProcessDescriptors() {
  const bool there = HeldProcess(getpid()).Exists();
  return {"pidfd_open", there, there ? "works" : "is refused", "ranks that are ended by what they are, not by a number",
          "Linux 5.3 or newer, and a container that lets it through (docker's default profile does)"};
}

/// The last line that `python3 -c CODE` prints, and whether it went well.
std::pair<bool, std::string> AskPython3(const std::string& code) {
  FILE* python = popen(fmt::format("timeout 30 python3 -c '{}' 2>&1", code).c_str(), "r");
  if (!python) return {false, "python3 cannot be started"};
  std::string said;
  for (int c; (c = std::fgetc(python)) != EOF;) said += static_cast<char>(c);
  const bool well = pclose(python) == 0;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return {well, said.substr(said.rfind('\n') + 1)};
}

/// Debian's packages are for Debian's Python alone. `wheels`: "" for what no other Python lacks.
std::string RemedyForPython(const std::string& path, const std::string& packages, const std::string& wheels) {
  const std::string debian = "apt-get install " + packages;
  if (path.empty() || path.starts_with("/usr/bin/") || wheels.empty()) return debian;
  return fmt::format("{} -m pip install {}; or start ranks by /usr/bin/python3 (exec:\"/usr/bin/python3 ..\"), {}",
                     path, wheels, debian);
}

Examined PythonModules(const char* what, const char* code, const char* needed_for, const std::string& packages,
                       const std::string& wheels) {
  const auto [there, said] = AskPython3(code);
  const auto [found, path] = AskPython3("import sys; print(sys.executable)");
  return {what, there, found ? fmt::format("{}, says {}", said, path) : said, needed_for,
          RemedyForPython(found ? path : "", packages, wheels)};
}

/// Each once, with the first subject that needs it.
std::vector<Examined> Frameworks() {
  std::vector<Examined> all;
  std::map<std::string, std::string> ready;
  const std::string complaint = ComplaintOf([&] { ready = ReadyFrameworks(); });
  for (const FrameworkSubject& subject : FrameworkSubjects()) {
    const std::string name = fmt::format("{} {}", subject.framework, subject.version);
    if (std::ranges::find(all, name, &Examined::what) != all.end()) continue;
    const bool there = ready.contains(subject.framework);
    const std::string missing = complaint.empty() ? "is not installed" : complaint;
    all.push_back({name, there, there ? "is installed in the cache of zerocts" : missing,
                   fmt::format("--subject {} and its like", subject.name),
                   fmt::format("zerocts check --subject {}, which installs it once", subject.name)});
  }
  return all;
}

Examined Mutants() {
  const size_t count = InstalledMutants().size();
  return {"mutants", count > 0, count > 0 ? fmt::format("{} are built", count) : "are not built", "zerocts mutants",
          "scripts/run mutants --list, which builds them"};
}

bool CanStart(const std::vector<Examined>& examined) {
  return std::ranges::all_of(examined, [](const Examined& e) { return e.there || e.what == "mpirun"; });
}

void AddTrials(std::vector<Examined>& all) {
  std::optional<Trials> trials;
  const std::string complaint = ComplaintOf([&] { trials.emplace(); });
  if (!trials) {
    all.push_back(MainJob("ranks", complaint, "", ""));
    return;
  }
  all.push_back(Ranks(*trials, LauncherKind::kLocal));
  if (LauncherOf(LauncherKind::kMpirun).Missing().empty()) all.push_back(Ranks(*trials, LauncherKind::kMpirun));
  all.push_back(Part(*trials, {{"comm", "shm"}}, "a container in which processes may open each other's /proc/PID/fd"));
  all.push_back(Part(*trials, {{"device", "cuda"}}, "a build with CUDA on a machine with an NVIDIA GPU"));
  if (!all.back().there) return;
  all.push_back(Part(*trials, {{"comm", "nccl"}, {"device", "cuda"}}, "a build with NCCL"));
}

/// In the order in which one needs it. Starts ranks of the native subject, and ends them.
std::vector<Examined> ExamineMachine() {
  std::vector<Examined> all = {Subject(), Mpirun(), Limits(), Folder(), Memory()};
  if (CanStart(all)) AddTrials(all);
  all.push_back(Gpus());
  all.push_back(NameOfMachine());
  all.push_back(SharedMemory());
  all.push_back(ProcessDescriptors());
  all.push_back(PythonModules("numpy and pyzmq", "import numpy, zmq; print(numpy.__version__, zmq.__version__)",
                              "ranks in Python of your own, under python3", "python3-numpy python3-zmq",
                              "numpy pyzmq"));
  all.push_back(PythonModules(
      "jsonschema", R"(import jsonschema; from importlib.metadata import version; print(version("jsonschema")))",
      "zerocts bench history, pictures and export", "python3-jsonschema", "jsonschema"));
  all.push_back(PythonModules("venv", "import ensurepip, venv, sys; print(sys.version.split()[0])",
                              "environments that zerocts makes for frameworks", "python3-venv", ""));
  for (const Examined& framework : Frameworks()) all.push_back(framework);
  all.push_back(Mutants());
  return all;
}

constexpr int kIndent = 8;

/// A missing optional dependency is not an error.
std::string Line(const Examined& e, const Painter& paint) {
  const Result color = e.there ? Result::kPass : e.for_main_job ? Result::kFail : Result::kTooFew;
  const char* word = e.there ? "ok" : e.for_main_job ? "MISSING" : "missing";
  const std::string text = Wrap(Printable(fmt::format("{}: {}", e.what, e.found)), kColumns, kIndent);
  std::string out = paint.As(color, fmt::format("{:<{}}", word, kIndent)) + text.substr(kIndent);
  if (e.there) return out;
  out += Wrap(Printable("needed for " + e.needed_for), kColumns, kIndent);
  return e.remedy.empty() ? out : out + Wrap(Printable("mend it: " + e.remedy), kColumns, kIndent);
}

int Doctor() {
  const Painter paint(StandardOutputHasColor());
  const std::vector<Examined> all = ExamineMachine();
  for (const Examined& examined : all) fmt::print("{}", Line(examined, paint));
  const auto missing = std::ranges::count_if(all, [](const Examined& e) { return e.for_main_job && !e.there; });
  if (missing == 0) {
    fmt::print("\n{}\n", paint.As(Result::kPass, "The main job can run here."));
    return 0;
  }
  fmt::print("\n{}\n",
             paint.As(Result::kFail, fmt::format("The main job cannot run here: {} missing.",
                                                 missing == 1 ? "1 thing is" : fmt::format("{} things are", missing))));
  return kExitHarnessError;
}

}  // namespace

void AddDoctorCommand(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("doctor",
                                             "What this machine has and what is missing, for which part, and what "
                                             "mends it; exit code 3 when the main job cannot run");
  command->callback([&exit_code] { exit_code = Doctor(); });
}

}  // namespace zerocts
