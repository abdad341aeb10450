// OpenMPI's C interface: a handle such as MPI_COMM_WORLD is the address of a symbol (ompi_mpi_comm_world), so
// void pointers serve for all of them.
#include "base/ranks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/error.hpp"
#include "base/interrupt.hpp"

namespace kullback {

namespace {

constexpr const char* kLibraries[] = {"libmpi.so.40", "libmpi.so"};
constexpr int kTag = 1;
constexpr int kFunneled = 1;  // MPI_THREAD_FUNNELED: other threads compute, one communicates
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;  // counts are ints

bool is_under_mpirun() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size != nullptr && std::atoi(size) > 1;
}

}  // namespace

struct Ranks::Library {
  Library() {
    for (const char* name : kLibraries) {
      if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    if (handle == nullptr) {
      throw Error(
          ErrorKind::missing_file,
          "this is one of several processes of mpirun, but OpenMPI's library libmpi.so.40 cannot be loaded.",
          "Install OpenMPI, or run kullback without mpirun.");
    }
    find("MPI_Init_thread", init);
    find("MPI_Comm_rank", comm_rank);
    find("MPI_Comm_size", comm_size);
    find("MPI_Send", send);
    find("MPI_Recv", receive);
    find("MPI_Barrier", barrier);
    find("MPI_Finalize", finalize);
    find("MPI_Abort", abort);
    find("ompi_mpi_comm_world", world);
    find("ompi_mpi_byte", byte);
    find("MPI_Allreduce", allreduce);
    find("ompi_mpi_double", real);
    find("ompi_mpi_op_sum", sum);
  }

  template <class T>
  void find(const char* name, T& symbol) {
    symbol = reinterpret_cast<T>(dlsym(handle, name));
    if (symbol == nullptr) {
      throw Error(ErrorKind::missing_file,
                  std::string("the MPI library lacks '") + name + "'; it is not OpenMPI.",
                  "Start the processes with OpenMPI's mpirun.");
    }
  }

  void* handle = nullptr;
  int (*init)(int*, char***, int, int*) = nullptr;
  int (*comm_rank)(void*, int*) = nullptr;
  int (*comm_size)(void*, int*) = nullptr;
  int (*send)(const void*, int, void*, int, int, void*) = nullptr;
  int (*receive)(void*, int, void*, int, int, void*, void*) = nullptr;
  int (*barrier)(void*) = nullptr;
  int (*finalize)() = nullptr;
  int (*abort)(void*, int) = nullptr;
  void* world = nullptr;
  void* byte = nullptr;
  int (*allreduce)(const void*, void*, int, void*, void*, void*) = nullptr;
  void* real = nullptr;
  void* sum = nullptr;
};

Ranks::Ranks() {
  if (!is_under_mpirun()) return;
  library_ = new Library;
  int provided = 0;
  library_->init(nullptr, nullptr, kFunneled, &provided);
  library_->comm_rank(library_->world, &rank_);
  library_->comm_size(library_->world, &size_);
  const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  local_rank_ = local != nullptr ? std::atoi(local) : rank_;
}

Ranks::~Ranks() {
  if (library_ == nullptr) return;
  library_->finalize();
  delete library_;
}

// The others may be at work: who waits for them is not slow (Unhurried).
void Ranks::barrier() const {
  const Unhurried waiting;
  if (library_ != nullptr) library_->barrier(library_->world);
}

void Ranks::send(const std::string& bytes, int to) const {
  const Unhurried waiting;
  const std::uint64_t size = bytes.size();
  library_->send(&size, sizeof size, library_->byte, to, kTag, library_->world);
  for (std::size_t at = 0; at < size; at += kLargestPiece) {
    const auto count = static_cast<int>(std::min<std::size_t>(kLargestPiece, size - at));
    library_->send(bytes.data() + at, count, library_->byte, to, kTag, library_->world);
  }
}

std::string Ranks::receive(int from) const {
  const Unhurried waiting;
  std::uint64_t size = 0;
  library_->receive(&size, sizeof size, library_->byte, from, kTag, library_->world, nullptr);
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size; at += kLargestPiece) {
    const auto count = static_cast<int>(std::min<std::size_t>(kLargestPiece, size - at));
    library_->receive(bytes.data() + at, count, library_->byte, from, kTag, library_->world, nullptr);
  }
  return bytes;
}

std::string Ranks::broadcast(const std::string& bytes) const {
  if (size_ == 1) return bytes;
  if (rank_ != 0) return receive(0);
  for (int other = 1; other < size_; ++other) send(bytes, other);
  return bytes;
}

void Ranks::sum(std::span<double> numbers) const {
  if (library_ == nullptr) return;
  const Unhurried waiting;
  void* const in_place = reinterpret_cast<void*>(std::intptr_t{1});  // MPI_IN_PLACE of OpenMPI
  for (std::size_t at = 0; at < numbers.size(); at += kLargestPiece) {
    const auto count = static_cast<int>(std::min<std::size_t>(kLargestPiece, numbers.size() - at));
    library_->allreduce(in_place, numbers.data() + at, count, library_->real, library_->sum, library_->world);
  }
}

void Ranks::abort(int exit_code) const {
  if (library_ != nullptr) library_->abort(library_->world, exit_code);
}

}  // namespace kullback
