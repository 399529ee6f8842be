#include "dragoman/distributed/mpi_watch.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace dragoman {

namespace {

using namespace std::chrono_literals;

constexpr int notice_tag = 0;

void write_notice(MpiNotice& notice, int exit_code, const std::string& text) {
  notice.exit_code = exit_code;
  std::snprintf(notice.text, sizeof notice.text, "%s", text.c_str());
}

}  // namespace

MpiWatch::MpiWatch(MPI_Comm group, double timeout, std::vector<std::string> names)
    : group_(group),
      timeout_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout))),
      interval_(std::min<Clock::duration>(timeout_ / 10, 2s)),
      names_(std::move(names)),
      looked_(Clock::now()),
      spoke_(looked_) {
  int own = 0;
  MPI_Comm_rank(group, &own);
  for (int rank = 0; rank < static_cast<int>(names_.size()); ++rank)
    if (rank != own)
      peers_.push_back({.rank = rank, .heard = looked_, .said = {}, .heard_notice = {}});
  for (auto& peer : peers_) listen(peer);
}

void MpiWatch::listen(Peer& peer) {
  MPI_Irecv(&peer.heard_notice, sizeof peer.heard_notice, MPI_BYTE, peer.rank, notice_tag, group_,
            &peer.listening);
}

void MpiWatch::look() {
  const auto now = Clock::now();
  if (now - looked_ < interval_ / 10) return;
  // If this process itself was stopped, the silence is no one else's fault.
  const auto absence = now - looked_ - interval_;
  if (absence > Clock::duration::zero())
    for (auto& peer : peers_) peer.heard = std::min(now, peer.heard + absence);
  looked_ = now;
  for (auto& peer : peers_) hear(peer, now);
  if (now - spoke_ >= interval_) {
    send(0, "");
    spoke_ = now;
  }
  end_if_lost(now);
}

void MpiWatch::hear(Peer& peer, Clock::time_point now) {
  for (;;) {
    int arrived = 0;
    MPI_Test(&peer.listening, &arrived, MPI_STATUS_IGNORE);
    if (arrived == 0) return;
    peer.heard = now;
    const auto& notice = peer.heard_notice;
    if (notice.exit_code != 0)
      end(notice.exit_code, concat(names_[static_cast<std::size_t>(peer.rank)],
                                   " ended: ", notice.text, "; this process ends too"));
    listen(peer);
  }
}

void MpiWatch::send(int exit_code, const std::string& text) {
  for (auto& peer : peers_) {
    int sent = 0;
    MPI_Test(&peer.sending, &sent, MPI_STATUS_IGNORE);
    if (sent == 0) continue;  // the last notice is still being sent
    write_notice(peer.said, exit_code, text);
    MPI_Isend(&peer.said, sizeof peer.said, MPI_BYTE, peer.rank, notice_tag, group_, &peer.sending);
  }
}

void MpiWatch::end_if_lost(Clock::time_point now) {
  std::string lost;
  for (const auto& peer : peers_)
    if (now - peer.heard > timeout_)
      lost += concat(lost.empty() ? "" : " and ", names_[static_cast<std::size_t>(peer.rank)]);
  if (lost.empty()) return;
  const std::string text = concat(lost, " sent no heartbeat for ",
                                  std::chrono::duration<double>(timeout_).count(), " s");
  tell(static_cast<int>(ExitCode::data), text);
  std::this_thread::sleep_for(1s);  // the launcher ends the others with this process: let them
                                    // report first
  end(static_cast<int>(ExitCode::data),
      text + "; this process ends too; restart all to resume from the last checkpoint");
}

void MpiWatch::tell(int exit_code, const std::string& text) {
  wait_until_sent();
  send(exit_code, text);
  wait_until_sent();
}

void MpiWatch::wait_until_sent() {
  const auto until = Clock::now() + 1s;
  while (!sent() && Clock::now() < until) std::this_thread::sleep_for(1ms);
}

bool MpiWatch::sent() {
  bool all = true;
  for (auto& peer : peers_) {
    int done = 0;
    MPI_Test(&peer.sending, &done, MPI_STATUS_IGNORE);
    all = all && done != 0;
  }
  return all;
}

void MpiWatch::stop() {
  wait_until_sent();
  MPI_Barrier(group_);
  for (auto& peer : peers_) {
    MPI_Cancel(&peer.listening);
    MPI_Wait(&peer.listening, MPI_STATUS_IGNORE);
  }
}

void MpiWatch::end(int exit_code, const std::string& reason) {
  log(LogLevel::error, reason);
  // Nothing is awaited, since MPI itself may hang. The launcher ends what is left.
  std::_Exit(exit_code);
}

}  // namespace dragoman
