#pragma once

#include <mpi.h>

#include <chrono>
#include <string>
#include <vector>

namespace dragoman {

/// What one rank sends another besides numbers: that it is alive, or that it ends.
struct MpiNotice {
  int exit_code = 0;  ///< 0 = a heartbeat
  char text[252] = {};
};

/// Exchanges heartbeats with all other ranks, and ends this process with a message when a rank
/// reports a failure or has been silent for too long. Used on the MPI thread.
class MpiWatch {
 public:
  /// \param timeout seconds of silence after which a rank counts as lost
  /// \param names human-readable, one per rank
  MpiWatch(MPI_Comm group, double timeout, std::vector<std::string> names);

  /// Checks for and sends heartbeats when due; to be called often.
  void look();

  /// Tells all ranks that this one fails, and waits until they have received it, two seconds at
  /// most.
  void tell(int exit_code, const std::string& text);

  /// Stops sending and receiving, together with all other ranks.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  struct Peer {
    int rank;
    Clock::time_point heard;
    MpiNotice said, heard_notice;
    MPI_Request sending = MPI_REQUEST_NULL;
    MPI_Request listening = MPI_REQUEST_NULL;
  };

  void listen(Peer& peer);
  void hear(Peer& peer, Clock::time_point now);
  /// To every rank that has received the last notice. \param exit_code 0 = a heartbeat
  void send(int exit_code, const std::string& text);
  void wait_until_sent();  ///< a second at most
  void end_if_lost(Clock::time_point now);
  bool sent();
  [[noreturn]] void end(int exit_code, const std::string& reason);

  MPI_Comm group_;
  Clock::duration timeout_, interval_;
  std::vector<std::string> names_;
  std::vector<Peer> peers_;
  Clock::time_point looked_, spoke_;
};

}  // namespace dragoman
