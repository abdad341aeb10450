// A Gaussian with any covariance within each parameter of the program, independent between them: the product
// of the full-rank families of the blocks, lambda theirs one after another.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/lower_factor.hpp"

namespace kullback::infer {

const FamilyRecord& full_rank_family();

namespace {

// Coordinates [first, first + size) and parameters [lambda, lambda + parameters) of a part. The numbers of
// its coordinates are contiguous, lanes and all.
struct Part {
  std::size_t first = 0;
  std::size_t lambda = 0;
  std::unique_ptr<Family> family;
};

class BlockFamily final : public Family {
 public:
  explicit BlockFamily(std::span<const density::Block> blocks) {
    for (const density::Block& block : blocks) {
      if (block.size == 0) continue;
      parts_.push_back({dim_, parameters_, full_rank_family().make({.dim = block.size})});
      dim_ += block.size;
      parameters_ += parts_.back().family->parameters();
    }
  }

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return parameters_; }
  std::size_t noise() const override { return dim_; }
  Abilities abilities() const override { return {.entropy = true, .moments = true, .is_gaussian = true}; }

  void begin(const GaussianGuess& guess, std::uint64_t, std::span<double> lambda) const override {
    set_gaussian(guess, lambda);
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    for (const Part& part : parts_) part.family->units(of(part, lambda), of(part, result));
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    const std::size_t lanes = lanes_ = batch.lanes;
    std::vector<double> one(batch.log_q == nullptr ? 0 : lanes);
    std::fill(batch.log_q, batch.log_q + one.size(), 0.0);
    for (const Part& part : parts_) {
      const std::size_t place = part.first * lanes;
      part.family->draw(of(part, lambda), {lanes, batch.noise + place, batch.theta + place,
                                           batch.log_q == nullptr ? nullptr : one.data()});
      for (std::size_t k = 0; k < one.size(); ++k) batch.log_q[k] += one[k];
    }
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    for (const Part& part : parts_) {
      part.family->pull_back(of(part, lambda),
                             {adjoint.lanes, adjoint.theta + part.first * adjoint.lanes, adjoint.log_q},
                             of(part, lambda_adjoint));
    }
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    for (const Part& part : parts_)
      part.family->slopes_of_draws(of(part, lambda), slopes + part.first * lanes_);
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    std::vector<double> one(batch.lanes);
    std::fill(batch.log_q, batch.log_q + batch.lanes, 0.0);
    for (const Part& part : parts_) {
      const std::size_t place = part.first * batch.lanes;
      part.family->evaluate(of(part, lambda), {batch.lanes, batch.theta + place, one.data(),
                                               batch.slopes == nullptr ? nullptr : batch.slopes + place});
      for (std::size_t k = 0; k < batch.lanes; ++k) batch.log_q[k] += one[k];
    }
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    for (const Part& part : parts_) {
      part.family->score(of(part, lambda), {batch.lanes, batch.theta + part.first * batch.lanes}, weights,
                         of(part, lambda_adjoint));
    }
  }

  Factors factors() const override {
    Factors result{parts_.size(), std::vector<std::uint32_t>(dim_), std::vector<std::uint32_t>(parameters_)};
    for (std::uint32_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      std::fill_n(result.of_coordinate.data() + part.first, part.family->dim(), p);
      std::fill_n(result.of_parameter.data() + part.lambda, part.family->parameters(), p);
    }
    return result;
  }

  void factor_log_q(std::span<const double> lambda, const PointBatch& batch, double* result) override {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      part.family->evaluate(of(part, lambda), {batch.lanes, batch.theta + part.first * batch.lanes,
                                               result + p * batch.lanes, nullptr});
    }
  }

  double entropy(std::span<const double> lambda, double scale,
                 std::span<double> lambda_adjoint) const override {
    double sum = 0;
    for (const Part& part : parts_) {
      sum += part.family->entropy(of(part, lambda), scale,
                                  lambda_adjoint.empty() ? lambda_adjoint : of(part, lambda_adjoint));
    }
    return sum;
  }

  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override {
    for (const Part& part : parts_) {
      const std::size_t size = part.family->dim();
      part.family->moments(of(part, lambda), mean.subspan(part.first, size), sd.subspan(part.first, size));
    }
  }

  GaussianGuess gaussian_of(std::span<const double> lambda) const override {
    GaussianGuess result{std::vector<double>(dim_), std::vector<double>(dim_),
                         std::vector<double>(dim_ * dim_)};
    moments(lambda, result.mean, result.sd);
    for (const Part& part : parts_) {
      const std::size_t size = part.family->dim();
      const std::vector<double> lower = part.family->gaussian_of(of(part, lambda)).lower;
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t i = j; i < size; ++i)
          result.lower[(part.first + j) * dim_ + part.first + i] = lower[j * size + i];
      }
    }
    return result;
  }

  // The least KL(q || g) has the blocks of the precision of g.
  void set_gaussian(const GaussianGuess& gaussian, std::span<double> lambda) const override {
    for (const Part& part : parts_) {
      const std::size_t size = part.family->dim();
      const auto begin = static_cast<std::ptrdiff_t>(part.first);
      const auto end = begin + static_cast<std::ptrdiff_t>(size);
      GaussianGuess own{{gaussian.mean.begin() + begin, gaussian.mean.begin() + end}, {}, {}};
      if (gaussian.lower.empty())
        own.sd.assign(gaussian.sd.begin() + begin, gaussian.sd.begin() + end);
      else
        own.lower = conditional_lower(gaussian.lower, dim_, part.first, size);
      part.family->set_gaussian(own, of(part, lambda));
    }
  }

 private:
  template <class Number>
  static std::span<Number> of(const Part& part, std::span<Number> lambda) {
    return lambda.subspan(part.lambda, part.family->parameters());
  }

  std::size_t dim_ = 0;
  std::size_t parameters_ = 0;
  std::size_t lanes_ = 1;  // of the draws last made
  std::vector<Part> parts_;
};

std::unique_ptr<Family> make(const FamilySetting& setting) {
  std::size_t covered = 0;
  for (const density::Block& block : setting.blocks) {
    if (block.size > 0 && block.first != covered)
      throw Error(ErrorKind::internal,
                  fmt::format("block '{}' begins at {}, not {}.", block.name, block.first, covered));
    covered += block.size;
  }
  if (covered != setting.dim) {
    throw Error(
        ErrorKind::usage,
        fmt::format("`--family block`: the model names blocks for {} of its {} coordinates; the family is "
                    "made of named parameters.",
                    covered, setting.dim),
        "`--family fullrank` or lowrank need no names.");
  }
  return std::make_unique<BlockFamily>(setting.blocks);
}

}  // namespace

const FamilyRecord& block_family() {
  static const FamilyRecord record{
      .name = "block",
      .summary = "normal, any covariance within each parameter of the program, none between",
      .citation =
          "Hoffman and Blei (2015), Structured stochastic variational inference, AISTATS; the mean field of "
          "Saul and Jordan (1996), Exploiting tractable substructures in intractable networks, NeurIPS.",
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
