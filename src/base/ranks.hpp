// The processes of one run under `mpirun`; alone there is one rank, and MPI is not even loaded (that takes
// 400 ms). Messages are whole byte strings. The library is OpenMPI, loaded at first use: nothing of it is
// needed to build.
#pragma once

#include <span>
#include <string>

namespace kullback {

class Ranks final {
 public:
  // Starts MPI where the environment says that this process is one of several. Throws Error where that fails.
  Ranks();
  // One process, whatever the environment says: for a library inside a program that has started MPI itself.
  struct Alone {};
  explicit Ranks(Alone) {}
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  // Among the processes on this machine.
  int local_rank() const { return local_rank_; }

  void barrier() const;
  void send(const std::string& bytes, int to) const;
  std::string receive(int from) const;
  // What rank 0 has, everywhere.
  std::string broadcast(const std::string& bytes) const;
  // The sums over all ranks, number by number, on each of them.
  void sum(std::span<double> numbers) const;
  // Ends all processes: one that fails alone would leave the others waiting. Returns where there is only one.
  void abort(int exit_code) const;

 private:
  struct Library;
  Library* library_ = nullptr;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
};

}  // namespace kullback
