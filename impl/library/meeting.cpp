#include "impl/library/meeting.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace zerocts::library {
namespace {

constexpr std::chrono::milliseconds kPause{1};

[[noreturn]] void NobodyPut(const std::string& key, std::chrono::milliseconds deadline) {
  throw engine::CollectiveTimeout(fmt::format("{}: waited {} ms for the rank that begins it", key, deadline.count()));
}

struct ValuesOfProcess {
  std::mutex mutex;
  std::condition_variable put;
  std::map<std::string, std::string> of_key;
};

}  // namespace

engine::Rendezvous MeetInProcess(std::chrono::milliseconds deadline) {
  const auto values = std::make_shared<ValuesOfProcess>();
  engine::Rendezvous rendezvous;
  rendezvous.put = [values](const std::string& key, const std::string& value) {
    const std::lock_guard lock(values->mutex);
    values->of_key[key] = value;
    values->put.notify_all();
  };
  rendezvous.get = [values, deadline](const std::string& key, size_t) {
    std::unique_lock lock(values->mutex);
    if (!values->put.wait_for(lock, deadline, [&] { return values->of_key.contains(key); })) NobodyPut(key, deadline);
    return values->of_key[key];
  };
  return rendezvous;
}

engine::Rendezvous MeetInFolder(const std::string& folder, std::chrono::milliseconds deadline) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) {
    throw std::invalid_argument(fmt::format("{}: expected an empty folder where the ranks meet", folder));
  }
  engine::Rendezvous rendezvous;
  rendezvous.put = [folder](const std::string& key, const std::string& value) {
    const fs::path file = fs::path(folder) / key;
    if (fs::exists(file)) {
      throw std::invalid_argument(
          fmt::format("{}: expected that no earlier ranks have met in this folder", file.string()));
    }
    const fs::path written = file.string() + fmt::format(".{}", getpid());
    std::ofstream(written, std::ios::binary) << value;
    fs::rename(written, file);  // others see all of it or nothing
  };
  rendezvous.get = [folder, deadline](const std::string& key, size_t bytes) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    const fs::path file = fs::path(folder) / key;
    while (!fs::exists(file)) {
      if (std::chrono::steady_clock::now() > end) NobodyPut(file.string(), deadline);
      std::this_thread::sleep_for(kPause);
    }
    std::ifstream in(file, std::ios::binary);
    std::string value{std::istreambuf_iterator<char>(in), {}};
    if (value.size() == bytes) return value;
    throw std::runtime_error(fmt::format("{}: expected {} bytes, got {}", file.string(), bytes, value.size()));
  };
  return rendezvous;
}

engine::Rendezvous Named(const std::string& name, const engine::Rendezvous& rendezvous) {
  return {[=, put = rendezvous.put](const std::string& key, const std::string& value) { put(name + key, value); },
          [=, get = rendezvous.get](const std::string& key, size_t bytes) { return get(name + key, bytes); }};
}

}  // namespace zerocts::library
