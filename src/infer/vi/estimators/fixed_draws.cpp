// The same noise at every call: the objective becomes a function of lambda without noise, for optimisers that
// need one (Giordano, Ingram and Broderick 2024). Its maximiser is that of the objective with an error of
// order 1 / sqrt(K), its bias of order 1 / K: consistent. A family with a free covariance and no more draws
// than dimensions can spread without end in a direction in which no draw varies: the bound has no maximum.
#include <fmt/format.h>

#include "infer/vi/estimator.hpp"

namespace kullback::infer {

namespace {

class FixedDraws final : public Estimator {
 public:
  explicit FixedDraws(const EstimatorSetting& setting) : inner_(find_estimator("reparam").make(setting)) {}

  Bias bias() const override { return Bias::consistent; }
  const EvaluatedDraws& draws() const override { return inner_->draws(); }
  void archive(Archive& archive) override { inner_->archive(archive); }
  void estimate(std::span<const double> lambda, std::uint32_t, Estimate& result) override {
    inner_->estimate(lambda, 0, result);
  }

 private:
  std::unique_ptr<Estimator> inner_;
};

std::optional<std::string> refuse(const EstimatorSetting& setting) {
  if (auto reason = find_estimator("reparam").refuse(setting)) return reason;
  const Family& family = *setting.family;
  if (family.factors().count != family.dim() && setting.draws <= family.dim()) {
    return fmt::format(
        "with {} fixed draws in {} dimensions a free covariance spreads without end where no draw varies; "
        "--grad-draws "
        "{} or more, or `--family meanfield`",
        setting.draws, family.dim(), 2 * family.dim());
  }
  return std::nullopt;
}

std::unique_ptr<Estimator> make(const EstimatorSetting& setting) {
  return std::make_unique<FixedDraws>(setting);
}

}  // namespace

const EstimatorRecord& fixed_draws_estimator() {
  static const EstimatorRecord record{
      .name = "fixed",
      .summary = "the same draws at every step: an objective without noise",
      .citation =
          "Giordano, Ingram and Broderick (2024), Black box variational inference with a deterministic "
          "objective, JMLR 25.",
      .options = {},
      .refuse = refuse,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
