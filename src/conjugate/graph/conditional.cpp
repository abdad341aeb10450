// Loops over the elements of a factor, made once for each kernel: no call through a table inside them.
#include "conjugate/graph/conditional.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "conjugate/graph/factor.hpp"
#include "conjugate/graph/kernels.hpp"

namespace kullback::conjugate {
namespace {

constexpr std::size_t kMaxSlots = 2;

// The arguments of one element, gathered in memory that is kept.
class Gathered {
 public:
  explicit Gathered(const Factor& factor) : factor_(factor) {
    for (std::size_t s = 0; s < factor.slots.size(); ++s) scratch_[s].resize(scratch_size(factor.slots[s]));
  }
  const double* const* at(std::size_t c, std::size_t k) {
    for (std::size_t s = 0; s < factor_.slots.size(); ++s)
      parents_[s] = gather(factor_.slots[s], c, k, scratch_[s].data());
    return parents_;
  }

 private:
  const Factor& factor_;
  const double* parents_[kMaxSlots] = {};
  std::vector<double> scratch_[kMaxSlots];
};

template <class Visit>
void for_each_component(const Factor& factor, std::size_t c, Visit&& visit) {
  if (!factor.selector) return visit(0, 1.0);
  const double* weights = factor.selector->moments(c, 0);
  for (std::size_t k = 0; k < factor.components; ++k)
    if (weights[k] != 0) visit(k, weights[k]);
}

template <class Kernel>
class ConditionalOf final : public Conditional {
 public:
  explicit ConditionalOf(Kernel kernel)
      : kernel_(std::move(kernel)), child_(kernel_.child()), slots_(kernel_.slots()) {}

  const FamilyPtr& child() const override { return child_; }
  const std::vector<Slot>& slots() const override { return slots_; }

  void add_natural(Parents parents, double weight, double* natural) const override {
    kernel_.natural(parents.data(), weight, natural);
  }
  double expected_log_partition(Parents parents) const override {
    return kernel_.log_partition(parents.data());
  }
  double expected(const double* x, Parents parents) const override {
    return kernel_.expected(x, parents.data());
  }
  void add_message(std::size_t slot, const double* x, Parents parents, double weight,
                   double* message) const override {
    kernel_.message(slot, x, parents.data(), weight, message);
  }

  void add_naturals(const Factor& factor, std::span<double> natural) const override {
    const NodeData& child = *factor.child;
    const std::size_t dim = child_->dim();
    Gathered gathered(factor);
    for (std::size_t c = 0; c < child.elements; ++c) {
      if (!child.latent(c)) continue;
      for_each_component(factor, c, [&](std::size_t k, double weight) {
        kernel_.natural(gathered.at(c, k), weight, &natural[c * dim]);
      });
    }
  }

  void add_messages(const Factor& factor, std::size_t slot, std::size_t use,
                    std::span<double> natural) const override {
    const SlotWiring& wiring = factor.slots[slot];
    Gathered gathered(factor);
    std::vector<double> message(scratch_size(wiring));
    for_each_relevant(factor, [&](std::size_t c, const double* x) {
      for_each_component(factor, c, [&](std::size_t k, double weight) {
        const double* const* parents = gathered.at(c, k);
        const Wire& wire = wiring.wire;
        if (wiring.kind == SlotWiring::Kind::node) {
          kernel_.message(slot, x, parents, weight, &natural[wire.at(c, k) * wire.node->stride]);
          return;
        }
        std::fill(message.begin(), message.end(), 0.0);
        kernel_.message(slot, x, parents, weight, message.data());
        if (wiring.kind == SlotWiring::Kind::sum) {
          scatter_to_term(wiring, use, c, k, message.data(), natural);
        } else {
          scatter_to_stack(wiring, wire.at(c, k), message, natural);
        }
      });
    });
  }

  void add_selector_messages(const Factor& factor, std::span<double> natural) const override {
    Gathered gathered(factor);
    for_each_relevant(factor, [&](std::size_t c, const double* x) {
      double* to = &natural[factor.selector->at(c, 0) * factor.components];
      for (std::size_t k = 0; k < factor.components; ++k) to[k] += kernel_.expected(x, gathered.at(c, k));
    });
  }

  double total_expected(const Factor& factor) const override {
    double sum = 0;
    Gathered gathered(factor);
    for_each_relevant(factor, [&](std::size_t c, const double* x) {
      for_each_component(factor, c, [&](std::size_t k, double weight) {
        sum += weight * kernel_.expected(x, gathered.at(c, k));
      });
    });
    return sum;
  }

 private:
  template <class Visit>
  static void for_each_relevant(const Factor& factor, Visit&& visit) {
    const NodeData& child = *factor.child;
    for (std::size_t c = 0; c < child.elements; ++c)
      if (child.relevant(c)) visit(c, &child.moments[c * child.stride]);
  }
  static void scatter_to_stack(const SlotWiring& wiring, std::size_t first, std::span<const double> message,
                               std::span<double> natural) {
    const std::size_t stride = wiring.wire.node->stride;
    for (std::size_t i = 0; i < wiring.copies; ++i)
      for (std::size_t j = 0; j < stride; ++j)
        natural[(first + i * wiring.copy_stride) * stride + j] += message[i * stride + j];
  }

  Kernel kernel_;
  FamilyPtr child_;
  std::vector<Slot> slots_;
};

template <class Kernel>
ConditionalPtr make(Kernel kernel) {
  return std::make_shared<const ConditionalOf<Kernel>>(std::move(kernel));
}

}  // namespace

ConditionalPtr gaussian_conditional() { return make(GaussianKernel{}); }
ConditionalPtr gaussian_joint_conditional() { return make(GaussianJointKernel{}); }
ConditionalPtr multivariate_gaussian_conditional(std::size_t d) {
  return make(MultivariateGaussianKernel{d});
}
ConditionalPtr multivariate_gaussian_diagonal_conditional(std::size_t d) {
  return make(MultivariateGaussianDiagonalKernel{d});
}
ConditionalPtr multivariate_gaussian_joint_conditional(std::size_t d) {
  return make(MultivariateGaussianJointKernel{d});
}
ConditionalPtr gamma_conditional(double shape) { return make(GammaKernel{shape}); }
ConditionalPtr bernoulli_conditional() { return make(BernoulliKernel{}); }
ConditionalPtr categorical_conditional(std::size_t k) { return make(CategoricalKernel{k}); }
ConditionalPtr observed_categorical_conditional(std::size_t k) { return make(ObservedCategoricalKernel{k}); }
ConditionalPtr multinomial_conditional(std::size_t k) { return make(MultinomialKernel{{k}}); }
ConditionalPtr poisson_conditional() { return make(PoissonKernel{}); }
ConditionalPtr von_mises_conditional(double kappa) { return make(VonMisesKernel{kappa}); }
ConditionalPtr fixed_conditional(const Distribution& prior) {
  return make(FixedKernel{prior.family_ptr(), prior.natural(), prior.log_partition()});
}

Distribution conjugate_posterior(const Distribution& prior, const Conditional& likelihood,
                                 std::span<const double> x) {
  const auto& slots = likelihood.slots();
  if (slots.size() != 1 || slots[0].family->name() != prior.family().name() || prior.points() != 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("a {} is not the conjugate prior of all that this {} depends on",
                            prior.family().name(), likelihood.child()->name()),
                slots.size() == 1 ? "a prior in the family " + slots[0].family->name() + " is"
                                  : "use a likelihood with one parent, such as gaussian_joint_conditional()");
  }
  const Family& family = *likelihood.child();
  const std::string fault = family.value_fault(x);
  if (!fault.empty()) throw Error(ErrorKind::bad_input, family.name() + ": " + fault);
  std::vector<double> t(family.dim()), message(prior.natural().size(), 0.0);
  const double* const parents[1] = {nullptr};  // messages to the only parent depend on x alone
  for (std::size_t i = 0; i < x.size(); i += family.width()) {
    family.statistics(x.subspan(i, family.width()), t);
    likelihood.add_message(0, t.data(), parents, 1, message.data());
  }
  return prior.updated(message);
}

}  // namespace kullback::conjugate
