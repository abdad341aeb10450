#include "deep/train/members_over_ranks.hpp"

#include <cmath>
#include <cstring>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

std::string bytes_of(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

}  // namespace

NetPart MembersOverRanks::part_of(int rank) const {
  const std::int64_t first = members_ * rank / ranks_.size();
  return {.first = first, .count = members_ * (rank + 1) / ranks_.size() - first, .all = members_};
}

std::vector<torch::Tensor> MembersOverRanks::gather(const std::vector<torch::Tensor>& here) const {
  std::vector<torch::Tensor> all;
  for (const torch::Tensor& tensor : here) {
    const torch::Tensor mine = tensor.detach().cpu().contiguous();
    if (!mine.is_floating_point()) {
      if (ranks_.is_first()) all.push_back(mine.clone());
    } else if (!ranks_.is_first()) {
      ranks_.send(bytes_of(mine), 0);
    } else {
      std::vector<torch::Tensor> parts = {mine};
      std::vector<std::int64_t> shape = mine.sizes().vec();
      for (int rank = 1; rank < ranks_.size(); ++rank) {
        const std::string bytes = ranks_.receive(rank);
        shape[0] = part_of(rank).count;
        torch::Tensor part = torch::empty(shape, mine.options());
        if (part.nbytes() != bytes.size())
          throw Error(ErrorKind::internal, "members on several processes have states of different sizes.");
        std::memcpy(part.data_ptr(), bytes.data(), bytes.size());
        parts.push_back(std::move(part));
      }
      all.push_back(at::cat(parts, 0));
    }
  }
  return all;
}

torch::Tensor MembersOverRanks::own_part(const torch::Tensor& whole) const {
  if (!whole.is_floating_point()) return whole;
  const NetPart own = part();
  return whole.narrow(0, own.first, own.count).contiguous();
}

double MembersOverRanks::mean(double here) const {
  const NetPart own = part();
  double sum = here * static_cast<double>(own.count) / static_cast<double>(own.all);
  ranks_.sum({&sum, 1});
  return sum;
}

torch::Tensor MembersOverRanks::log_mean_exp(const torch::Tensor& here) const {
  const NetPart own = part();
  torch::Tensor of_ranks = torch::zeros({ranks_.size(), here.size(0)}, torch::kFloat64);
  of_ranks[ranks_.rank()].copy_(here +
                                std::log(static_cast<double>(own.count) / static_cast<double>(own.all)));
  ranks_.sum({of_ranks.data_ptr<double>(), static_cast<std::size_t>(of_ranks.numel())});
  return at::logsumexp(of_ranks, 0);
}

std::string MembersOverRanks::first_text(const std::string& here) const {
  if (!ranks_.is_first()) {
    ranks_.send(here, 0);
    return here;
  }
  std::string found = here;
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    const std::string text = ranks_.receive(rank);
    if (found.empty()) found = text;
  }
  return found;
}

bool MembersOverRanks::decided(bool by_first) const {
  double says = ranks_.is_first() && by_first ? 1 : 0;
  ranks_.sum({&says, 1});
  return says > 0;
}

}  // namespace kullback::deep
