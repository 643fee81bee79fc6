// Ranks are processes of one host. They share one anonymous memory file, which grows with each collective allocation:
// it has no name that could be left over, the kernel frees it with the last process that holds it, and the size of
// /dev/shm does not limit it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

#include "impl/comm/backends.hpp"
#include "impl/comm/direct/shm_communicator.hpp"
#include "impl/comm/huge_pages.hpp"
#include "impl/comm/store.hpp"

namespace zerocts::engine {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct BlockAddress {
  int64_t pid, fd;
  uint64_t nonce;
};

int64_t Rounded(int64_t bytes, int64_t page) { return (bytes + page - 1) / page * page; }
int64_t RoundedToPages(int64_t bytes) { return Rounded(bytes, sysconf(_SC_PAGESIZE)); }

class ShmCommunicator : public DirectCommunicator {
 public:
  explicit ShmCommunicator(const CommunicatorSettings& settings)
      : DirectCommunicator("shm", settings), end_(RoundedToPages(SharedBlock::BytesFor(world_size()))) {
    Join(FindBlock());
  }

 protected:
  std::vector<std::byte*> Map(int64_t bytes, MemoryKind, const std::function<void()>& barrier) override {
    block().slot(rank()).allocation_bytes = bytes;
    barrier();  // every wish is written
    std::vector<int64_t> size_of;
    for (int peer = 0; peer < world_size(); ++peer) size_of.push_back(block().slot(peer).allocation_bytes);
    // Large memory begins with a huge page; what that leaves out of the file takes no memory.
    const bool large = *std::max_element(size_of.begin(), size_of.end()) >= kHugePage;
    const int64_t page = large ? kHugePage : sysconf(_SC_PAGESIZE);
    std::vector<int64_t> begin_of = {0};
    for (int64_t wish : size_of) begin_of.push_back(begin_of.back() + Rounded(std::max<int64_t>(wish, 1), page));
    const int64_t begin = Rounded(end_, page);
    const int64_t size = begin_of.back();
    if (rank() == 0) Grow(begin + size);
    barrier();  // the file is long enough

    std::byte* base = MapFile(begin, size, page);
    end_ = begin + size;
    std::vector<std::byte*> of_rank;
    for (int peer = 0; peer < world_size(); ++peer) of_rank.push_back(base + begin_of[peer]);
    mappings_[of_rank[rank()]] = {base, size, begin_of[rank() + 1] - begin_of[rank()]};
    return of_rank;
  }

  void Unmap(std::byte* own) override {
    const auto entry = mappings_.find(own);
    const Mapping& mapping = entry->second;
    madvise(own, mapping.own_size, MADV_REMOVE);  // this rank's part of the file is empty again; peers read it no more
    munmap(mapping.base, mapping.size);
    mappings_.erase(entry);
  }

 private:
  struct Mapping {
    std::byte* base;
    int64_t size, own_size;
  };

  [[noreturn]] void Fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("comm shm, rank {}: {}: {}", settings().rank, what, std::strerror(errno)));
  }

  std::shared_ptr<SharedBlock> FindBlock() {
    const std::string key = group().Key("shm");
    const int64_t size = end_;
    const auto unmap = [size](SharedBlock* block) { munmap(block, size); };

    if (rank() == 0) {
      file_ = FileDescriptor(memfd_create("zerocts", MFD_CLOEXEC));
      if (file_.get() < 0) Fail("memfd_create");
      Grow(size);
      const uint64_t nonce = RandomNonce();
      std::shared_ptr<SharedBlock> block(SharedBlock::In(MapFile(0, size), world_size(), nonce), unmap);
      SetValue(settings().store, key, BlockAddress{getpid(), file_.get(), nonce});
      return block;
    }

    const auto address = GetValue<BlockAddress>(settings().store, key);
    const std::string path = fmt::format("/proc/{}/fd/{}", address.pid, address.fd);
    file_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file_.get() < 0) {
      Fail(fmt::format("{} of rank {} (expected ranks that are processes of one user on one host)", path,
                       group().members[0]));
    }
    struct stat status;
    if (fstat(file_.get(), &status) != 0) Fail("fstat");
    if (status.st_size >= size) {
      std::shared_ptr<SharedBlock> block(reinterpret_cast<SharedBlock*>(MapFile(0, size)), unmap);
      if (block->nonce == address.nonce) return block;
    }
    throw std::invalid_argument(
        fmt::format("comm shm, rank {}: {} is not the memory of rank {}; expected ranks that are processes of one host",
                    settings().rank, path, group().members[0]));
  }

  void Grow(int64_t size) {
    if (ftruncate(file_.get(), size) != 0) Fail(fmt::format("growing the shared memory to {} bytes", size));
  }

  /// At an address that is a multiple of `page`.
  std::byte* MapFile(int64_t offset, int64_t size, int64_t page = 1) const {
    void* reserved = mmap(nullptr, size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(reserved);
    auto* const base = first + (page - reinterpret_cast<uintptr_t>(first) % page) % page;
    const int64_t in_front = base - first;
    if (in_front > 0) munmap(first, in_front);
    if (page > in_front) munmap(base + size, page - in_front);
    if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.get(), offset) == MAP_FAILED) {
      munmap(base, size);
      throw std::bad_alloc();
    }
    return base;
  }

  FileDescriptor file_;
  int64_t end_;                             // of the file, the same on all ranks
  std::map<std::byte*, Mapping> mappings_;  // by this rank's memory
};

}  // namespace

std::unique_ptr<DirectCommunicator> MakeSharedMemory(const CommunicatorSettings& settings) {
  return std::make_unique<ShmCommunicator>(settings);
}

std::unique_ptr<Communicator> MakeShmCommunicator(const CommunicatorSettings& settings) {
  return MakeSharedMemory(settings);
}

}  // namespace zerocts::engine
