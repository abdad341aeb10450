#include "model/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/arena.hpp"
#include "base/error.hpp"
#include "lang/check/suggest.hpp"

namespace kullback::model {

using lang::Expr;
using math::Kind;
using math::Type;

namespace {

constexpr std::uint32_t kPlaces = 32;  // variables for the arguments of one operation
constexpr double kTrialWidth = 4;

thread_local Recording* active_recording = nullptr;

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Models may be built inside of a model's function: the outer one continues afterwards.
class Activation final {
 public:
  explicit Activation(Recording& recording) : outer_(active_recording) { active_recording = &recording; }
  ~Activation() { active_recording = outer_; }
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

 private:
  Recording* outer_;
};

bool is_data(const tape::Value& value) {
  return !value.ids || std::all_of(value.ids->begin(), value.ids->end(), tape::is_constant);
}

std::vector<math::Argument> types_of(std::span<const Argument> arguments) {
  std::vector<math::Argument> types;
  for (const Argument& argument : arguments)
    types.push_back({argument.quantity.value().type, is_data(argument.quantity.value())});
  return types;
}

std::string types_text(std::span<const math::Argument> arguments) {
  std::string text = "(";
  for (const math::Argument& argument : arguments)
    text += (text.size() > 1 ? ", " : "") + math::to_string(argument.type);
  return text + ")";
}

[[noreturn]] void refuse_call(const std::string& where, std::string_view name,
                              std::span<const math::Argument> arguments, const math::Resolution& resolution) {
  if (resolution.outcome == math::Resolution::Outcome::unknown_name) {
    const std::vector<std::string_view> names = math::builtin_names();
    const std::string_view nearest = lang::nearest_name(name, names);
    throw Error(ErrorKind::bad_input, fmt::format("{}: Stan has no function '{}'.", where, name),
                nearest.empty() ? "Functions and distributions have Stan's names, such as \"normal_lpdf\"."
                                : fmt::format("Did you mean '{}'?", nearest));
  }
  std::string hint = "It takes";
  for (const math::Signature& candidate : resolution.candidates)
    hint += (hint.size() > 8 ? ", or " : " ") + math::to_string(candidate);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: '{}' does not take {}.", where, name, types_text(arguments)), hint + ".");
}

}  // namespace

Recording::Recording(std::vector<double> theta, bool jacobian)
    : number_(next_number()), theta_(std::move(theta)) {
  sources_.add("C++ model", "");
  program_.arena = std::make_unique<Arena>();
  program_.variable_count = kPlaces;
  for (const double number : theta_) free_.push_back(builder_.add_parameter(number));
  tracer_.emplace(program_, sources_, builder_, tape::TraceOptions{false, jacobian});
}

Recording::Recording(std::uint64_t trial) : Recording(std::vector<double>{}, true) {
  counting_ = true;
  if (trial > 0) draws_.emplace(trial);
}

void Recording::run(const CppModel::Function& function) {
  const Activation activation(*this);
  Joint joint(*this);
  function(joint);
}

Recording& Recording::active() {
  if (active_recording == nullptr) {
    throw Error(ErrorKind::bad_input, "C++ model: a Quantity is made outside of a model's function.",
                "Keep data in std::vector and turn them into quantities inside.");
  }
  return *active_recording;
}

const tape::Value& Recording::unwrap(const Quantity& quantity) const {
  if (quantity.recording() != number_) {
    throw Error(ErrorKind::bad_input,
                "C++ model: a Quantity is used that was made in another run of the model's function.",
                "Make quantities inside of the function, and let none of them outlive it.");
  }
  return quantity.value();
}

const Type* Recording::keep(const Type& type) {
  for (const Type& known : types_) {
    if (known == type) return &known;
  }
  return &types_.emplace_back(type);
}

const Expr* Recording::constant(std::size_t number) {
  return program_.arena->make(
      Expr{{}, keep(Type{Kind::int_}), true, lang::IntConstant{static_cast<std::int32_t>(number)}});
}

const Expr* Recording::make_argument(const Argument& argument, std::uint32_t place, const Type& wanted) {
  const Type* type = keep(argument.quantity.value().type);
  const bool data_only = is_data(argument.quantity.value());
  lang::Variable variable;
  variable.name = "argument";
  variable.type = type;
  variable.data_only = data_only;
  variable.role = lang::Variable::Role::global;
  variable.block = argument.is_data ? lang::BlockKind::data : lang::BlockKind::model;
  variable.id = place;
  Arena& arena = *program_.arena;
  const Expr* reference = arena.make(Expr{{}, type, data_only, lang::VariableRef{arena.make(variable)}});
  if (*type == wanted) return reference;
  return arena.make(Expr{{}, keep(wanted), data_only, lang::Promote{reference}});
}

const Expr* Recording::make_node(const Type& type, decltype(Expr::node) node) {
  return program_.arena->make(Expr{{}, keep(type), false, node});
}

const Expr* Recording::argument(const Quantity& quantity, const Type& wanted) {
  lang::Variable place;
  place.id = next_place_++;
  tracer_->set(place, unwrap(quantity));
  return make_argument(quantity, place.id, wanted);
}

// One expression serves all calls with the same types: a loop over observations makes it once.
template <class Make>
Quantity Recording::evaluate(std::string_view name, std::span<const Argument> arguments, Make make) {
  if (arguments.size() > kPlaces) {
    throw Error(ErrorKind::bad_input,
                fmt::format("C++ model: '{}' is given {} arguments.", name, arguments.size()));
  }
  std::string key(name);
  for (const Argument& a : arguments) {
    const Type& type = unwrap(a.quantity).type;
    key += type.kind == Kind::tuple ? math::to_string(type) : std::string(1, static_cast<char>(type.kind));
    key +=
        static_cast<char>(4 * type.array_rank + (a.is_data ? 2 : 0) + (is_data(a.quantity.value()) ? 1 : 0));
  }
  auto known = expressions_.find(key);
  if (known == expressions_.end()) known = expressions_.emplace(std::move(key), make()).first;
  lang::Variable place;
  for (const Argument& a : arguments) {
    tracer_->set(place, a.quantity.value());
    ++place.id;
  }
  return wrap(tracer_->eval(*known->second));
}

std::vector<const Expr*> Recording::make_arguments(std::span<const Argument> arguments,
                                                   const math::Signature& signature) {
  std::vector<const Expr*> made;
  for (std::uint32_t i = 0; i < arguments.size(); ++i)
    made.push_back(make_argument(arguments[i], i, signature.arguments[i].type));
  return made;
}

Quantity Recording::call(std::string_view name, std::span<const Argument> arguments, Here here) {
  return evaluate(name, arguments, [&] {
    std::string plain(name);
    const bool drop = name.ends_with("_lupdf") || name.ends_with("_lupmf");
    if (drop) plain.erase(plain.size() - 4, 1);  // "_lupdf" -> "_lpdf"
    const std::string where = fmt::format("{}:{}", here.file_name(), here.line());
    const std::vector<math::Argument> types = types_of(arguments);
    const math::Resolution found = math::resolve(plain, types);
    if (found.outcome != math::Resolution::Outcome::unique) refuse_call(where, name, types, found);
    if (!tape::is_supported(plain)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: '{}' is not supported by this version's engine.", where, name));
    }
    lang::Call node;
    node.name = program_.arena->copy(std::string_view(plain));
    node.arguments = program_.arena->copy(make_arguments(arguments, found.signature));
    node.drop_constants = drop;
    return make_node(found.signature.result, node);
  });
}

Quantity Recording::apply(lang::Op op, std::initializer_list<Quantity> list) {
  const std::vector<Argument> arguments(list.begin(), list.end());
  const std::string name = fmt::format("operator {}", lang::to_string(op));
  return evaluate(name, arguments, [&] {
    const std::vector<math::Argument> types = types_of(arguments);
    const math::Resolution found = math::resolve_operator(lang::to_string(op), types);
    if (found.outcome != math::Resolution::Outcome::unique) refuse_call("C++ model", name, types, found);
    const std::vector<const Expr*> made = make_arguments(arguments, found.signature);
    if (made.size() == 1) return make_node(found.signature.result, lang::Unary{op, made[0]});
    return make_node(found.signature.result, lang::Binary{op, made[0], made[1]});
  });
}

Quantity Recording::index(std::initializer_list<Quantity> base_and_indices) {
  const std::vector<Argument> arguments(base_and_indices.begin(), base_and_indices.end());
  return evaluate("operator []", arguments, [&] {
    Type type = arguments[0].quantity.value().type;
    const Expr* base = make_argument(arguments[0], 0, type);
    std::vector<lang::Index> indices;
    for (std::uint32_t i = 1; i < arguments.size(); ++i) {
      const Type& at = arguments[i].quantity.value().type;
      indices.push_back({lang::ast::Index::Kind::single, make_argument(arguments[i], i, at), nullptr});
      if (at.is_array()) continue;  // several elements: of the same type together
      if (type.is_array()) {
        type = math::element_of(type);
      } else {
        type.kind = type.kind == Kind::matrix ? Kind::row_vector : Kind::real;
      }
    }
    return make_node(type, lang::Indexed{base, program_.arena->copy(indices)});
  });
}

tape::Ids Recording::take_free(std::size_t count) {
  if (counting_) {
    for (std::size_t i = 0; i < count; ++i) {
      theta_.push_back(draws_ ? kTrialWidth * (draws_->uniform() - 0.5) : 0.0);
      free_.push_back(builder_.constant(theta_.back()));
    }
  }
  if (used_ + count > free_.size()) {
    throw Error(ErrorKind::bad_input,
                "C++ model: the function declares more parameters than when it ran first.",
                "Declare the same parameters in every run, also where branches depend on parameters.");
  }
  const auto first = free_.begin() + static_cast<std::ptrdiff_t>(used_);
  used_ += count;
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

Quantity Recording::declare(std::string_view name, const Declaration& declaration) {
  Arena& arena = *program_.arena;
  for (const density::Block& block : layout_.blocks) {
    if (block.name == name)
      throw Error(ErrorKind::bad_input,
                  fmt::format("C++ model: the parameter '{}' is declared twice.", name));
  }
  next_place_ = 0;
  lang::SizedType sized;
  sized.type = keep(Type{declaration.kind});
  std::vector<const Expr*> sizes;
  for (const std::size_t size : declaration.sizes) sizes.push_back(constant(size));
  sized.sizes = arena.copy(sizes);
  sized.constraint = declaration.constraint;
  const auto bound = [&](const std::optional<Quantity>& quantity, const Expr*& place,
                         lang::Constraint constraint) {
    if (!quantity) return;
    sized.constraint = constraint;
    Type wanted = unwrap(*quantity).type;
    if (wanted.is_int()) wanted.kind = Kind::real;
    place = argument(*quantity, wanted);
  };
  bound(declaration.bounds.lower, sized.lower, lang::Constraint::bounds);
  bound(declaration.bounds.upper, sized.upper, lang::Constraint::bounds);
  bound(declaration.bounds.offset, sized.offset, lang::Constraint::offset_multiplier);
  bound(declaration.bounds.multiplier, sized.multiplier, lang::Constraint::offset_multiplier);
  lang::Variable variable;
  variable.name = arena.copy(name);
  variable.type = sized.type;
  variable.declared = arena.make(sized);
  variable.block = lang::BlockKind::parameters;
  variable.role = lang::Variable::Role::global;
  variable.id = next_place_++;
  const lang::Variable* kept = arena.make(variable);
  program_.blocks[static_cast<int>(lang::BlockKind::parameters)] = {
      arena.make(lang::Stmt{{}, lang::Declare{kept, nullptr}})};
  append(tracer_->free_blocks().front(), layout_);
  tracer_->declare_parameters(take_free(tracer_->count_free_parameters()));
  return wrap(tracer_->get(*kept));
}

void Recording::add_to_target(const Quantity& log_density) {
  for (const tape::Id id : tracer_->reals(unwrap(log_density))) builder_.add_target(id);
}

}  // namespace kullback::model
