#include "dragoman/shortlist/bitext.h"

#include <algorithm>

namespace dragoman {

void Bitext::add(Ids source, Ids target) {
  if (source.empty() || target.empty()) return;
  if (std::max(source.size(), target.size()) > longest_side) {
    ++too_long_;
    return;
  }
  if (seen_++ % every_ != 0) return;
  append(source);
  append(target);
  if (most_pairs_ > 0 && size() > most_pairs_) drop_every_second();
}

void Bitext::append(Ids side) {
  ids_.insert(ids_.end(), side.begin(), side.end());
  ends_.push_back(ids_.size());
}

void Bitext::drop_every_second() {
  Bitext kept;
  for (std::size_t i = 0; i < size(); i += 2) {
    kept.append(source(i));
    kept.append(target(i));
  }
  ids_ = std::move(kept.ids_);
  ends_ = std::move(kept.ends_);
  every_ *= 2;
}

}  // namespace dragoman
