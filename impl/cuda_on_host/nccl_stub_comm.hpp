// A communicator of the stub: what it was asked for, and how that happens.
#pragma once
#include <nccl.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "impl/cuda_on_host/nccl_stub.hpp"
#include "impl/cuda_on_host/nccl_stub_mail.hpp"

inline zerocts::engine::NcclStubFaults faults;
inline zerocts::engine::NcclStubSeen seen;

/// The memory of a device that the host cannot touch, opened for the stub, which plays the GPU.
struct MemoryIsOpen {
  MemoryIsOpen() { Open(true); }
  ~MemoryIsOpen() { Open(false); }
  static void Open(bool open) {
    if (seen.open_memory) seen.open_memory(open);
  }
};

/// Bytes from or to one rank, in the order in which both name each other.
struct Message {
  int peer;
  std::byte* at;
  size_t bytes, done = 0;
  bool finished() const { return done == bytes; }
};

/// One function that was called, or the calls of one group: all of its messages move at once.
struct Task {
  std::vector<Message> sends, receives;
  std::vector<std::function<void()>> afterwards;
  std::deque<std::vector<std::byte>> kept;  // memory of its own

  bool finished() const {
    const auto done = [](const Message& message) { return message.finished(); };
    return std::all_of(sends.begin(), sends.end(), done) && std::all_of(receives.begin(), receives.end(), done);
  }
};

struct ncclComm {
  int rank, size;
  zerocts::engine::StubMail* mail;
  std::deque<Task> tasks;
  bool asked = false;  // for something
  int splits = 0;
  ncclComm_t* to_be_split = nullptr;  // where the communicator goes that this rank has asked for

  bool faulty() const { return faults.rank == rank; }
  bool Initialized() const { return mail->joined.load() >= size; }

  void MoveOn() {
    if (!Initialized() || (faulty() && faults.stalls)) return;
    SplitIfAllHaveAsked();
    if (tasks.empty()) return;
    const MemoryIsOpen open;
    while (!tasks.empty()) {
      Task& task = tasks.front();
      Move(task.sends, [&](Message& m) { return mail->pipes[rank][m.peer].Write(m.at + m.done, m.bytes - m.done); });
      Move(task.receives, [&](Message& m) { return mail->pipes[m.peer][rank].Read(m.at + m.done, m.bytes - m.done); });
      if (!task.finished()) return;
      for (const auto& work : task.afterwards) work();
      tasks.pop_front();
    }
  }

 private:
  /// The new communicator is written down only then, as NCCL does it.
  void SplitIfAllHaveAsked() {
    if (!to_be_split) return;
    const auto member = zerocts::engine::MemberOfSplit(mail->splits[splits], size, rank);
    if (!member) return;
    ++splits;
    ncclComm_t* child = std::exchange(to_be_split, nullptr);
    if (faulty() && faults.loses_child) return;
    ++member->mail->joined;
    *child = new ncclComm{member->rank, member->size, member->mail, {}};
  }
  /// The first unfinished message of each peer.
  template <class Transfer>
  void Move(std::vector<Message>& messages, const Transfer& transfer) {
    std::vector<bool> busy(static_cast<size_t>(size), false);
    for (Message& message : messages) {
      if (message.finished() || busy[message.peer]) continue;
      message.done += transfer(message);
      busy[message.peer] = !message.finished();
    }
  }
};
