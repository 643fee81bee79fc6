// A stranger that connects to the socket of a group changes nothing, and is counted.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <memory>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "conformance/host/conductor/group_socket.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/system/steady_time.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;

/// What stands after `name=` in the environment of a process.
std::string VariableOf(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return "";
}

/// A connection to the socket of a group that says `bytes` and nothing more.
int ConnectWithBytes(const std::string& address, const std::string& bytes) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  address.substr(std::string("ipc://").size()).copy(where.sun_path, sizeof(where.sun_path) - 1);
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(connect(file, reinterpret_cast<const sockaddr*>(&where), sizeof(where)), 0);
  EXPECT_EQ(send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  return file;
}

class Strangers : public testing::Test {
 protected:
  void SetUp() override {
    settings_.session_dir = folder_.path();
    group_ = std::make_unique<RankGroup>(FakeRank("good"), LauncherKind::kLocal, kWorldSize, settings_);
    address_ = VariableOf(group_->rank_pids()[0], kConductorVariable);
    secret_ = VariableOf(group_->rank_pids()[0], kGroupSecretVariable);
    ASSERT_EQ(secret_.size(), 32u);
  }

  /// Comes under this name and says that rank 0 has crashed, or that it is done for.
  void Knock(const std::string& name, const std::string& secret, const std::string& routing_id) {
    zmq::socket_t& socket = sockets_.emplace_back(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    const std::string endpoint = "inproc://refusals-" + std::to_string(refusals_.size());
    zmq_socket_monitor(socket.handle(), endpoint.c_str(), ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED);
    refusals_.emplace_back(context_, zmq::socket_type::pair).connect(endpoint);
    socket.set(zmq::sockopt::routing_id, routing_id);
    socket.set(zmq::sockopt::plain_username, name);
    socket.set(zmq::sockopt::plain_password, secret);
    socket.connect(address_);
    SendFrames(socket, Encode(EndedMessage{0, EndKind::kSignaled, SIGSEGV, ""}));
    SendFrames(socket, Encode(FailedMessage{"a stranger"}));
  }

  void KnockWithBytes(const std::string& bytes) { files_.push_back(ConnectWithBytes(address_, bytes)); }

  /// Have all who knocked been refused or cut off, and those who came with bytes been greeted or cut off?
  bool AreAllSeen() {
    for (const int file : files_) {
      pollfd event{file, POLLIN, 0};
      if (poll(&event, 1, 0) != 1) return false;
    }
    std::erase_if(refusals_, [](zmq::socket_t& events) {
      zmq::message_t event;
      return events.recv(event, zmq::recv_flags::dontwait).has_value();
    });
    return refusals_.empty();
  }

  /// The group works as before, while the strangers come and after it; returns how many came.
  int64_t CountedWhileItWorks() {
    const int64_t before = StrangersTurnedAway();
    const SteadyTime begin = std::chrono::steady_clock::now();
    const auto lasts = [&](auto time) { return std::chrono::steady_clock::now() < begin + time; };
    while (lasts(300ms) || (!AreAllSeen() && lasts(20s))) {
      const RunResult result = group_->Run(TinyCase());
      EXPECT_EQ(result.ending, Ending::kObserved) << result.message;
      if (group_->spent()) break;
    }
    group_.reset();
    return StrangersTurnedAway() - before;
  }

  void TearDown() override {
    for (const int file : files_) close(file);
  }

  SessionFolder folder_;
  HostSettings settings_;
  std::unique_ptr<RankGroup> group_;
  std::string address_, secret_;
  zmq::context_t context_;
  std::vector<zmq::socket_t> sockets_, refusals_;  // the latter: events of those
  std::vector<int> files_;
};

TEST_F(Strangers, AreNoneAmongItsOwn) { EXPECT_EQ(CountedWhileItWorks(), 0); }

TEST_F(Strangers, WithoutTheSecret) {
  Knock("shim-0", "guessed", "shim-0");
  Knock("shim-0", secret_, "shim-0");  // a rank's is not a shim's
  Knock("rank-0", "x", "rank-0");
  EXPECT_EQ(CountedWhileItWorks(), 3);
}

TEST_F(Strangers, UnderNamesThatNobodyHas) {
  for (const char* name : {"shim-00", "rank-+1", "rank-3", "cook-1", "rank-0 "}) Knock(name, secret_, name);
  EXPECT_EQ(CountedWhileItWorks(), 5);
}

TEST_F(Strangers, UnderANameThatIsTaken) {
  Knock("rank-1", secret_, "rank-1");
  Knock("rank-1", secret_, "rank-0");
  EXPECT_EQ(CountedWhileItWorks(), 2);
}

TEST_F(Strangers, OfAnotherLanguage) {
  // ZMTP 3.0, and the mechanism NULL in place of PLAIN. A socket of libzmq would leave, and be taken for a peer that
  // did.
  const std::string signature("\xff\0\0\0\0\0\0\0\0\x7f", 10), version("\3\0", 2), mechanism("NULL");
  std::string greeting = signature + version + mechanism;
  greeting.resize(64, '\0');
  KnockWithBytes(greeting);
  EXPECT_EQ(CountedWhileItWorks(), 1);
}

TEST_F(Strangers, WithNoise) {
  std::string noise(500, '\0');
  for (size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * 37 + 11);
  KnockWithBytes(noise);
  KnockWithBytes(std::string(500, '\0'));
  KnockWithBytes(std::string(500, '\xff'));
  KnockWithBytes("");
  EXPECT_EQ(CountedWhileItWorks(), 4);
}

/// What a rank looks like that a group ends while it starts.
TEST(StrangersOfASocket, AreNotThePeersThatHaveNotProvenThemselvesYet) {
  const SessionFolder folder;
  const int64_t before = StrangersTurnedAway();
  {
    const std::string address = "ipc://" + folder.path() + "/group";
    GroupSocket socket(address, 1, 1);
    const int left = ConnectWithBytes(address, "");
    const int waiting = ConnectWithBytes(address, "");
    socket.Receive(std::chrono::steady_clock::now() + 100ms);
    close(left);
    socket.Receive(std::chrono::steady_clock::now() + 100ms);
    close(waiting);
  }
  EXPECT_EQ(StrangersTurnedAway(), before);
}

}  // namespace
}  // namespace zerocts
