#include "infer/particles/best_path.hpp"

#include "infer/start.hpp"

namespace kullback::infer {

namespace {

constexpr std::uint64_t kPaths = 4;

}  // namespace

BestPath::BestPath(density::LogDensity& density, const Options& options, const Start& start)
    : density_(density), options_(options), start_(start) {
  begin_path();
}

// None where no start is found.
void BestPath::begin_path() {
  path_.reset();
  if (number_ == kPaths) return;
  const auto number = static_cast<std::uint32_t>(number_);
  std::vector<double> theta = start_.theta;
  if (number_ > 0) {
    FoundStart found = find_start(density_, {.seed = start_.seed, .chain = start_.chain + number});
    if (!found.is_ok) {
      why_not_ = found.message;
      return;
    }
    theta = std::move(found.theta);
  }
  path_.emplace(density_, options_, PathName{start_.seed, start_.chain + number}, std::move(theta));
}

bool BestPath::step() {
  if (number_ == kPaths) return false;
  if (path_ && path_->step()) return true;
  end_path();
  ++number_;
  begin_path();
  return true;
}

void BestPath::end_path() {
  if (!path_) return;
  gradients_ += path_->lbfgs().gradients();
  if (!path_->has_gaussian()) {
    why_not_ = why(path_->lbfgs().stop());
    return;
  }
  if (has_gaussian_ && !(path_->elbo() > elbo_)) return;
  has_gaussian_ = true;
  elbo_ = path_->elbo();
  gaussian_ = path_->gaussian();
  mode_ = path_->lbfgs().theta();
}

void BestPath::archive(Archive& archive) {
  archive.value(number_);
  archive.value(gradients_);
  archive.value(has_gaussian_);
  archive.value(elbo_);
  gaussian_.archive(archive);
  archive.value(mode_);
  archive.value(why_not_);
  if (archive.is_reading()) {
    if (number_ > kPaths) number_ = kPaths;  // the numbers of another algorithm
    begin_path();
  }
  if (path_) path_->archive(archive);
}

}  // namespace kullback::infer
