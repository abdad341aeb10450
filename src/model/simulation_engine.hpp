// Runs the statements of a program in an order in which everything is drawn before it is read.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/generative.hpp"
#include "model/prepared.hpp"
#include "model/random_variable.hpp"
#include "model/variate_draws.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

class SimulationEngine final : public tape::StatementHook {
 public:
  explicit SimulationEngine(const Prepared& prepared);

  // Draws parameters and data, and computes transformed parameters; begins again where a draw is excluded.
  void draw(Random& random);
  const std::vector<RandomVariable>& variables() const { return variables_; }
  tape::Tracer& tracer() { return tracer_; }
  const tape::Tracer& tracer() const { return tracer_; }
  const tape::Builder& builder() const { return builder_; }

  bool take(const lang::Stmt& stmt) override;

 private:
  // A statement reads what is not drawn yet.
  struct NotReady {
    const lang::Variable* variable;
    Span span;
  };
  // The draw is outside of what is declared: the next one begins at the first statement.
  struct Excluded {
    std::string why;
  };
  enum class Mode { find_distributions, draw };
  // Of a declaration; empty: none.
  struct Bounds {
    std::vector<double> lower;
    std::vector<double> upper;
    bool fixed = true;  // the same for all draws

    bool contain(double x, std::size_t position) const;
  };
  struct Log {  // a number that was drawn
    std::size_t variable;
    std::size_t position;
  };
  struct Task;  // one sampling, evaluated

  // what is random and by which statement
  void collect();
  void check_constraint(const Sampling& sampling) const;
  void find_distributions();
  bool try_to_find(const std::vector<double>& theta, std::string& why);
  void note(const Sampling& sampling);
  void check_defaults() const;

  // the order
  void begin_draw();
  void run_all(std::vector<const lang::Stmt*>& statements);
  bool attempt(const lang::Stmt& stmt, NotReady& why);
  const Uses& uses(const lang::Stmt& stmt);
  bool may_reorder(const lang::Stmt& stmt);
  void require_ready(const lang::Expr& expr);
  void require_ready(const lang::Stmt& stmt);
  RandomVariable* find(const lang::Variable& variable);
  const std::vector<RandomVariable*>& random_in(const lang::Expr& expr);
  tape::Value choose(RandomVariable& variable, const lang::Expr& expr);
  bool is_fixed(const lang::Expr& expr) const;

  // one statement
  void draw_default(RandomVariable& variable);
  void draw_sampling(const Sampling& sampling);
  void draw_items(Task& task);
  void sort_items(Task& task) const;
  void store(Task& task);
  Bounds bounds_of(const RandomVariable& variable);
  void check_order(const RandomVariable& variable);

  const Prepared& prepared_;
  tape::Builder builder_;
  tape::Tracer tracer_;
  std::size_t constants_ = 0;
  Random* random_ = nullptr;
  Mode mode_ = Mode::find_distributions;
  std::vector<RandomVariable> variables_;
  std::unordered_map<const lang::Variable*, std::size_t> places_;
  std::unordered_map<const lang::Stmt*, std::vector<Sampling>> samplings_;
  std::unordered_map<const lang::Stmt*, Uses> uses_;
  std::unordered_map<const lang::Stmt*, bool> may_reorder_;
  std::unordered_map<const lang::Expr*, std::vector<RandomVariable*>> random_in_;
  std::vector<const lang::Stmt*> order_;  // statements of both blocks, as the last draw ran them
  std::vector<Log> log_;
};

}  // namespace kullback::model
