// A group: W rank processes (or threads of one) that run cases one after the other for one subject.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/cases/capabilities.hpp"
#include "conformance/cases/case.hpp"
#include "conformance/cases/observation.hpp"

namespace zerocts {

/// A failure of the harness itself, never of a subject: exit code 3, never a failed property.
struct HarnessError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Bad input by the user: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class LauncherKind { kLocal, kThreads, kMpirun, kCommand };
std::string ToString(LauncherKind kind);
LauncherKind LauncherKindFromString(const std::string& name);  // throws UsageError listing the names

/// Which release of a framework, in which Python, for which device.
struct SubjectChoice {
  std::string version;  // --version; "": the one that zerocts names
  std::string python;   // --python: the user's own; "": an environment that zerocts makes
  std::string device;   // --device, which the framework must be built for; "": CPUs
};

/// What is judged: "native", another name of `zerocts subjects`, "plugin:PATH" or "exec:CMD".
struct SubjectSpec {
  std::string text;       // as typed
  std::string plugin;     // absolute path of the shared library, or ""
  std::string command;    // exec: of a rank or of all ranks, with placeholders, or ""
  std::string framework;  // what the command drives when the subject is a framework's, "torch", or ""
  std::string python;     // that runs it then
  SubjectChoice choice;
  std::vector<std::pair<std::string, std::string>> options;  // --option key=value

  /// {world_size} without {rank} in the command: it starts all ranks itself.
  bool StartsAllRanks() const;
};
/// Throws UsageError: unknown subject (with the known ones), plugin missing, no such release, no environment for it.
SubjectSpec ResolveSubject(const std::string& text, const SubjectChoice& choice = {});

struct SubjectInfo {
  std::string name, version, description;
  Capabilities capabilities;
  std::string capabilities_text;
  std::vector<std::string> notes;  // what loading it changed
};
struct HostSettings {
  std::chrono::milliseconds case_deadline{20000};      // one case on one group
  std::chrono::milliseconds start_deadline{120000};    // start of a group: ranks may import a framework on shared cores
  std::chrono::milliseconds shutdown_deadline{10000};  // from stop to the end of the last rank
  std::chrono::milliseconds notice_every{10000};       // of a wait: what it waits for, on stderr
  std::string session_dir;  // sockets, pages, rank output; made and removed by the caller (see SessionFolder)
  bool verbose = false;
};

/// Starts one rank (or as many as its command starts), asks, ends it, in a session folder of its own. Throws
/// UsageError: not a plugin, wrong ABI major, bad capabilities; StartEnded (start_ended.hpp): it crashed or hung.
SubjectInfo AskSubject(const SubjectSpec& subject, const HostSettings& settings = {},
                       LauncherKind launcher = LauncherKind::kLocal, int world_size = 1);

/// What went wrong with a group outside of its cases: before the first, or after the last.
struct GroupEnd {
  LauncherKind launcher = LauncherKind::kLocal;
  int world_size = 1;
  RunResult result;
};

class Group {
 public:
  /// Starts the ranks and waits for their hello. Throws StartEnded (start_ended.hpp) when they do not come up,
  /// UsageError without mpirun, else HarnessError.
  static std::unique_ptr<Group> Start(const SubjectSpec& subject, LauncherKind launcher, int world_size,
                                      const HostSettings& settings);
  virtual ~Group() = default;  // ends every process of the group

  /// Runs one case; never throws for what the subject does. After anything but kObserved, kUnsupported and kRefused the
  /// group is spent. `checkpoint_folder`: where the case's checkpoint stands that another run shares; "": in a folder
  /// of this run's own.
  virtual RunResult Run(const Case& c, const std::string& checkpoint_folder = "") = 0;
  /// Ranks of several groups go side by side when all are told first.
  virtual void TellToStop() = 0;
  /// Waits until the ranks have ended and ends what is left. A crash or a hang on the way is the result; kObserved when
  /// they ended as they should, or the group was spent. Afterwards it is.
  virtual RunResult Stop() = 0;
  virtual bool spent() const = 0;
  virtual int world_size() const = 0;
  virtual std::vector<int> rank_pids() const = 0;  // for fault tests
};

/// Groups kept over cases: started when first needed, replaced when spent, capped by the number of processes. Several
/// threads may ask.
class GroupPool {
 public:
  /// A group that nobody else has for as long as this lives.
  class Lease {
   public:
    Lease(Lease&&) noexcept;
    ~Lease();
    Group* operator->() const;

   private:
    friend class GroupPool;
    struct Place;
    explicit Lease(std::unique_ptr<Place> place);
    std::unique_ptr<Place> place_;
  };

  GroupPool(SubjectSpec subject, HostSettings settings, int max_processes = 64);
  ~GroupPool();
  /// Waits while other threads have all the processes there may be.
  Lease Acquire(LauncherKind launcher, int world_size);
  /// On a group of the case's world size; a case whose checkpoint others load is run on both groups, one after the
  /// other, and ends as the first of them that does not end with observations. Ranks that do not start end the case as
  /// they end.
  RunResult Run(LauncherKind launcher, const Case& c);
  /// Stops the groups; no case is running. What crashed or hung then, or when a group had to make room before.
  std::vector<GroupEnd> Stop();

 private:
  RunResult RunOnGroups(LauncherKind launcher, const Case& c);

  struct State;
  std::unique_ptr<State> state_;
};

/// A folder of its own for one run, removed with everything in it at the end (also after a signal); Open MPI's session
/// and shared-memory backing folders are pointed into it.
class SessionFolder {
 public:
  SessionFolder();
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  class Janitor;
  std::string path_;
  std::unique_ptr<Janitor> janitor_;
};

}  // namespace zerocts
