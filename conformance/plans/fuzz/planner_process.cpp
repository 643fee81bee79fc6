#include "conformance/plans/fuzz/planner_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr size_t kChunk = size_t{1} << 16;

void Close(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

/// Our ends, which do not block. Requests go through a socket, so that one whose reader is gone raises no signal.
class PlannerProcess::Pipes {
 public:
  Pipes() {
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

  void CloseItsEnds() { Close(its_input), Close(its_output); }

  /// Bytes left over from the last answer, or that came without a question.
  bool HasMore() {
    Read();
    return !read_.empty();
  }

  /// The next line. Nothing: it has closed its output. Throws PlannerEnded when the deadline passes, NoAnswer for a
  /// line of more than `most` bytes.
  std::optional<std::string> Exchange(std::string_view request, std::chrono::milliseconds deadline, size_t most) {
    const SteadyTime until = After(deadline);
    size_t searched = 0;
    for (bool open = true; open;) {
      pollfd polled[] = {{answer_, POLLIN, 0}, {request.empty() ? -1 : request_, POLLOUT, 0}};
      const auto left = MillisecondsTo(until);
      if (left.count() == 0)
        throw PlannerEnded(
            fmt::format("did not answer within {} ms{}", deadline.count(), HasHalfALine() ? ": half a line came" : ""),
            true);
      if (poll(polled, 2, static_cast<int>(left.count())) < 0 && errno != EINTR)
        throw HarnessError(fmt::format("cannot wait for the planner: {}", ReasonAndRemedy(errno)));
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

/// The process is not reaped yet, so the group is its own, whether it runs or not.
void PlannerProcess::End() {
  if (child_) kill(-child_->pid(), SIGKILL);
  child_.reset();
}

void PlannerProcess::Start() {
  pipes_ = std::make_unique<Pipes>();
  std::error_code none_yet;
  const uintmax_t bytes = std::filesystem::file_size(settings_.errors, none_yet);
  errors_before_ = none_yet ? 0 : static_cast<int64_t>(bytes);
  child_ = std::make_unique<ChildProcess>(
      ProcessCommand{.argv = settings_.argv,
                     .environment = {{"PYTHONHASHSEED", std::to_string(settings_.hash_seed)}},
                     .output = settings_.errors,
                     .input = pipes_->its_input,
                     .answers = pipes_->its_output});
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
  throw PlannerEnded(fmt::format("{}{} before it answered{}", how, half, LastWords()), false);
}

/// The last line that this process wrote to its standard error.
std::string PlannerProcess::LastWords() const {
  std::ifstream file(settings_.errors, std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto bytes = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(bytes - 400, errors_before_));
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (text.ends_with('\n')) text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  return text.empty() ? "" : fmt::format("; its last words: {}", PrintableLine(text));
}

}  // namespace zerocts
