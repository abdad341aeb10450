// Sets that parameters and values live in: a name for messages and a test, element by element or event by
// event.
#pragma once

#include <torch/types.h>

#include <string>

namespace kullback::dist {

using at::IntArrayRef;
using at::Tensor;

class Constraint final {
 public:
  enum class Kind {
    real,  // infinities are numbers, NaN is not
    finite,
    boolean,
    nonnegative_integer,
    integer_below,  // 0, ..., upper - 1
    positive,
    nonnegative,
    unit_interval,
    at_least,
    interval,
    simplex,
    one_hot,
    lower_cholesky,
    positive_definite,
  };

  Constraint(Kind kind) : kind_(kind) {}  // NOLINT: a kind without bounds is a constraint
  Constraint(Kind kind, Tensor lower, Tensor upper, std::string name = {})
      : kind_(kind), lower_(std::move(lower)), upper_(std::move(upper)), given_name_(std::move(name)) {}

  // The same test with `dims` more dimensions on the right taken as one event.
  Constraint independent(int64_t dims) const;

  Kind kind() const { return kind_; }
  const Tensor& lower() const { return lower_; }
  const Tensor& upper() const { return upper_; }
  std::string name() const;
  int64_t event_dim() const;  // how many dimensions on the right make one tested thing
  bool is_discrete() const;

  // True where `value` is inside; dimensions of an event are reduced. NaN is outside of everything.
  Tensor check(const Tensor& value) const;

 private:
  Tensor check_elements(const Tensor& value) const;

  Kind kind_;
  Tensor lower_;
  Tensor upper_;
  std::string given_name_;
  int64_t extra_dims_ = 0;
};

namespace constraints {
inline Constraint real() { return Constraint::Kind::real; }
inline Constraint real_vector() { return real().independent(1); }
inline Constraint real_matrix() { return real().independent(2); }
inline Constraint finite() { return Constraint::Kind::finite; }
inline Constraint finite_vector() { return finite().independent(1); }
inline Constraint finite_matrix() { return finite().independent(2); }
inline Constraint boolean() { return Constraint::Kind::boolean; }
inline Constraint nonnegative_integer() { return Constraint::Kind::nonnegative_integer; }
inline Constraint positive() { return Constraint::Kind::positive; }
inline Constraint positive_vector() { return positive().independent(1); }
inline Constraint nonnegative() { return Constraint::Kind::nonnegative; }
inline Constraint unit_interval() { return Constraint::Kind::unit_interval; }
inline Constraint simplex() { return Constraint::Kind::simplex; }
inline Constraint one_hot() { return Constraint::Kind::one_hot; }
inline Constraint lower_cholesky() { return Constraint::Kind::lower_cholesky; }
inline Constraint positive_definite() { return Constraint::Kind::positive_definite; }
Constraint integer_below(int64_t upper);
Constraint at_least(Tensor lower);
Constraint interval(Tensor lower, Tensor upper);
Constraint interval(double lower, double upper);
}  // namespace constraints

}  // namespace kullback::dist
