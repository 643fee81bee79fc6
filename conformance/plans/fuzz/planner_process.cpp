#include "conformance/plans/fuzz/planner_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>

#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/system/descendant_process.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr size_t kChunk = size_t{1} << 16;
constexpr size_t kTail = 4096;
constexpr auto kKillPatience = std::chrono::seconds(2);

std::set<pid_t> running;  // planners

void Close(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

/// What a planner writes to its standard error: to a file that it cannot fill, and by its end.
class PlannerProcess::Errors {
 public:
  explicit Errors(const std::string& path) : path_(path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw HarnessError(fmt::format("cannot make a pipe: {}", ReasonAndRemedy(errno)));
    read_end_ = ends[0], its_end = ends[1];
    fcntl(read_end_, F_SETFL, O_NONBLOCK);
    file_.open(path, std::ios::binary | std::ios::app);
  }
  ~Errors() { Close(read_end_), Close(its_end); }
  Errors(const Errors&) = delete;
  Errors& operator=(const Errors&) = delete;

  void BeginRequest() { bytes_ = 0; }
  pollfd Polled() const { return {read_end_, POLLIN, 0}; }  // -1 once it is closed, which poll() leaves out

  /// Throws PlannerEnded where the planner says more to one request than ranks may say in a case.
  void Read() {
    char chunk[kChunk];
    const ssize_t got = read(read_end_, chunk, sizeof chunk);
    if (got == 0) Close(read_end_);
    if (got <= 0) return;
    Keep({chunk, static_cast<size_t>(got)});
    bytes_ += static_cast<size_t>(got);
    if (bytes_ > kMostOutputBytes) throw PlannerEnded(SaidTooMuch(bytes_), false);
  }

  /// The last line.
  std::string LastWords() {
    for (size_t before = bytes_ + 1; before != bytes_;) before = bytes_, Read();
    std::string text = tail_;
    while (text.ends_with('\n')) text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    return text.empty() ? "" : fmt::format("; its last words: {}", PrintableLine(text));
  }

  int its_end = -1;

 private:
  void Keep(std::string_view text) {
    if (FileBytes(path_) < kMostOutputBytes) file_ << text << std::flush;
    tail_ += text;
    if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
  }

  const std::string path_;
  std::ofstream file_;
  int read_end_ = -1;
  size_t bytes_ = 0;  // since the request
  std::string tail_;
};

/// Our ends, which do not block. Requests go through a socket, so that one whose reader is gone raises no signal.
class PlannerProcess::Pipes {
 public:
  explicit Pipes(const std::string& errors_path) : errors(errors_path) {
    int requests[2], answers[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests) != 0)
      throw HarnessError(fmt::format("cannot make a socket: {}", ReasonAndRemedy(errno)));
    request_ = requests[0], its_input = requests[1];
    if (pipe2(answers, O_CLOEXEC) != 0)
      throw HarnessError(fmt::format("cannot make a pipe: {}", ReasonAndRemedy(errno)));
    answer_ = answers[0], its_output = answers[1];
    fcntl(request_, F_SETFL, O_NONBLOCK);
    fcntl(answer_, F_SETFL, O_NONBLOCK);
  }
  ~Pipes() {
    for (int* descriptor : {&request_, &answer_, &its_input, &its_output}) Close(*descriptor);
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  void CloseItsEnds() { Close(its_input), Close(its_output), Close(errors.its_end); }

  /// Bytes left over from the last answer, or that came without a question.
  bool HasMore() {
    Read();
    return !read_.empty();
  }

  /// The next line. Nothing: it has closed its output. Throws PlannerEnded when the deadline passes or it says too
  /// much, NoAnswer for a line of more than `most` bytes.
  std::optional<std::string> Exchange(std::string_view request, std::chrono::milliseconds deadline, size_t most) {
    const SteadyTime until = After(deadline);
    size_t searched = 0;
    errors.BeginRequest();
    for (bool open = true; open;) {
      ThrowIfInterrupted();
      pollfd polled[] = {{answer_, POLLIN, 0}, {request.empty() ? -1 : request_, POLLOUT, 0}, errors.Polled()};
      const auto left = MillisecondsTo(until);
      if (left.count() == 0)
        throw PlannerEnded(
            fmt::format("did not answer within {} ms{}", deadline.count(), HasHalfALine() ? ": half a line came" : ""),
            true);
      if (poll(polled, 3, static_cast<int>(left.count())) < 0 && errno != EINTR)
        throw HarnessError(fmt::format("cannot wait for the planner: {}", ReasonAndRemedy(errno)));
      if (polled[2].revents != 0) errors.Read();
      if (polled[1].revents != 0) Write(request);
      if (polled[0].revents != 0) open = Read();
      const size_t end = read_.find('\n', searched);
      if (end != std::string::npos) return Line(end);
      searched = read_.size();
      if (read_.size() > most) throw NoAnswer(fmt::format("answered a line of more than {} bytes", most));
    }
    return std::nullopt;
  }

  bool HasHalfALine() const { return !read_.empty(); }

  int its_input = -1, its_output = -1;
  Errors errors;

 private:
  /// What cannot be written now, or at all, is left for later: the end of the answers tells.
  void Write(std::string_view& request) {
    const ssize_t written = send(request_, request.data(), request.size(), MSG_NOSIGNAL);
    if (written > 0) request.remove_prefix(static_cast<size_t>(written));
    if (written < 0 && errno != EAGAIN && errno != EINTR) request = {};
  }
  /// False: there is no more to come.
  bool Read() {
    char chunk[kChunk];
    const ssize_t got = read(answer_, chunk, sizeof chunk);
    if (got > 0) read_.append(chunk, static_cast<size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }
  std::string Line(size_t end) {
    std::string line = read_.substr(0, end);
    read_.erase(0, end + 1);
    return line;
  }

  int request_ = -1, answer_ = -1;
  std::string read_;
};

PlannerProcess::PlannerProcess(PlannerProcessSettings settings) : settings_(std::move(settings)) {}

PlannerProcess::~PlannerProcess() { End(); }

/// The process is not reaped yet, so the group is its own, whether it runs or not. What has left the group, or lost its
/// parent, is by then a child of this process, the subreaper.
void PlannerProcess::End() {
  if (!child_) return;
  kill(-child_->pid(), SIGKILL);
  running.erase(child_->pid());
  child_.reset();
  KillChildren(running, After(kKillPatience));
}

void PlannerProcess::Start() {
  pipes_ = std::make_unique<Pipes>(settings_.errors);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  child_ = std::make_unique<ChildProcess>(
      ProcessCommand{.argv = settings_.argv,
                     .environment = {{"PYTHONHASHSEED", std::to_string(settings_.hash_seed)}},
                     .output = {},
                     .input = pipes_->its_input,
                     .answers = pipes_->its_output,
                     .errors = pipes_->errors.its_end});
  running.insert(child_->pid());
  pipes_->CloseItsEnds();
}

std::string PlannerProcess::Answer(const std::string& request) {
  if (!child_) Start();
  try {
    if (pipes_->HasMore()) throw NoAnswer("wrote something that was not asked for: expected one line per request");
    std::optional<std::string> line = pipes_->Exchange(request + "\n", settings_.deadline, settings_.most_bytes);
    if (!line) ThrowEnded();
    return *std::move(line);
  } catch (...) {
    End();
    throw;
  }
}

/// It has closed its output; it may still run, or its children may.
void PlannerProcess::ThrowEnded() {
  siginfo_t end{};
  const SteadyTime until = After(std::chrono::seconds(10));
  while (end.si_pid == 0 && std::chrono::steady_clock::now() < until) {
    waitid(P_PID, static_cast<id_t>(child_->pid()), &end, WEXITED | WNOHANG | WNOWAIT);
    if (end.si_pid == 0) usleep(1000);
  }
  const char* half = pipes_->HasHalfALine() ? " in the middle of a line" : "";
  if (end.si_pid == 0) throw PlannerEnded(fmt::format("closed its output{} before it answered", half), false);
  const std::string how = end.si_code == CLD_EXITED ? fmt::format("exited with {}", end.si_status)
                                                    : "was killed by " + SignalText(end.si_status);
  throw PlannerEnded(fmt::format("{}{} before it answered{}", how, half, pipes_->errors.LastWords()), false);
}

}  // namespace zerocts
