// Rows of slots, conflicts, and the classes of rows. Two rows are of one class where they have the same
// operations in the same order, on operands of the same kinds: constants, slots of the row itself, slots from
// outside.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "tape/passes/passes.hpp"
#include "tape/record/operation_name.hpp"
#include "tape/rows/rows.hpp"

namespace kullback::tape {

namespace {

RowTag tag_of(const RowTrace& rows, const std::vector<RowTag>& tags, Id id) {
  return is_constant(id) ? rows.constants[id & ~kConstantBit] : tags[id];
}

}  // namespace

RowTrace copy_row_trace(const Builder& builder, std::span<const RowTag> parameter_tags) {
  RowTrace rows;
  rows.trace = make_trace(builder);
  drop_unused(rows.trace);
  rows.row_count = builder.row_count();
  rows.constants = builder.constant_tags();
  rows.pinned = builder.pinned_tags();
  rows.target_spans = builder.target_spans();
  std::copy(parameter_tags.begin(), parameter_tags.end(), rows.pinned.begin());
  return rows;
}

std::vector<RowTag> find_tags(const RowTrace& rows) {
  std::vector<RowTag> tags = rows.pinned;
  for (const RawInstruction& r : rows.trace.instructions) {
    const bool elements = r.kind == OpKind::elementwise;
    RowTag all;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = rows.trace.operand(r, j);
      for (std::size_t e = 0; e < ids.size(); ++e) {
        const RowTag own = tag_of(rows, tags, ids[e]);
        if (!elements || ids.size() == 1) {
          all = join(all, own);
        } else {
          tags[r.result + e] = join(tags[r.result + e], own);
        }
      }
    }
    for (std::uint32_t k = 0; k < r.result_size; ++k) tags[r.result + k] = join(tags[r.result + k], all);
  }
  return tags;
}

std::optional<RowConflict> find_conflict(const RowTrace& rows) {
  const std::vector<RowTag> tags = find_tags(rows);
  const Trace& trace = rows.trace;
  const Uses uses = find_uses(trace);
  // Back to where several rows came together.
  const auto origin = [&](Id id, Span span) {
    RowConflict conflict{span, tag_of(rows, tags, id), "in the data it is computed from"};
    while (!is_constant(id) && uses.producer[id] != Uses::kNone) {
      const RawInstruction& r = trace.instructions[uses.producer[id]];
      conflict = {r.span, tags[id], fmt::format("in '{}'", operation_name(r.kind, r.definition))};
      Id deeper = id;
      for (std::uint32_t j = 0; j < r.operand_count && deeper == id; ++j) {
        for (const Id operand : trace.operand(r, j)) {
          if (!is_constant(operand) && tags[operand].several()) deeper = operand;
        }
      }
      if (deeper == id) break;
      id = deeper;
    }
    return conflict;
  };
  for (std::size_t t = 0; t < trace.target.size(); ++t) {
    const Id id = trace.target[t].id;
    if (!is_constant(id) && tags[id].several()) return origin(id, rows.target_spans[t]);
  }
  for (const Guard& guard : trace.guards) {
    const RowTag both = join(tag_of(rows, tags, guard.left), tag_of(rows, tags, guard.right));
    if (!both.several()) continue;
    const Id id = is_constant(guard.left) ? guard.right : guard.left;
    RowConflict conflict = origin(id, {});
    conflict.rows = both;
    conflict.what = "in a comparison";
    return conflict;
  }
  return std::nullopt;
}

bool meets_rows(const RowTrace& rows, std::size_t first, std::size_t size) {
  const Trace& trace = rows.trace;
  enum : unsigned char { kParameter = 1, kRow = 2 };
  std::vector<unsigned char> flags(trace.slot_count, 0);
  for (std::size_t s = 0; s < trace.slot_count; ++s) {
    if (s >= first && s < first + size) {
      flags[s] = kParameter;
    } else if (s >= trace.parameter_count && !rows.pinned[s].none()) {
      flags[s] = kRow;
    }
  }
  const auto flag = [&](Id id) -> unsigned char {
    if (!is_constant(id)) return flags[id];
    return rows.constants[id & ~kConstantBit].none() ? 0 : kRow;
  };
  for (const RawInstruction& r : trace.instructions) {
    for (std::uint32_t k = 0; k < r.result_size; ++k) {
      unsigned char all = flags[r.result + k];
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const std::span<const Id> ids = trace.operand(r, j);
        if (r.kind == OpKind::elementwise) {
          all |= flag(ids[ids.size() == 1 ? 0 : k]);
        } else {
          for (const Id id : ids) all |= flag(id);
        }
      }
      if (all == (kParameter | kRow)) return true;
      flags[r.result + k] = all;
    }
  }
  return false;
}

namespace {

constexpr std::uint32_t kGlobal = 0xFFFF'FFFFU;

class ProgramMaker final {
 public:
  explicit ProgramMaker(const RowTrace& rows)
      : rows_(rows), trace_(rows.trace), tags_(find_tags(rows)), uses_(find_uses(rows.trace)) {}

  RowProgram run() {
    program_.row_count = rows_.row_count;
    program_.row_constants.assign(rows_.row_count, 0);
    program_.class_of.resize(rows_.row_count);
    program_.line_of.resize(rows_.row_count);
    share_terms();
    find_owners();
    make_global();
    make_classes();
    find_varying();
    return std::move(program_);
  }

 private:
  const RowTrace& rows_;
  const Trace& trace_;
  std::vector<RowTag> tags_;
  Uses uses_;
  RowProgram program_;
  std::vector<std::uint32_t> owner_;  // by instruction: row or kGlobal
  std::vector<Id> compact_;           // slots of the trace -> of the global trace
  struct OwnTerm {
    Id id;
    double weight;
  };
  std::vector<std::vector<OwnTerm>> terms_;               // by row
  std::vector<std::vector<std::uint32_t>> instructions_;  // by row
  std::vector<std::vector<const Guard*>> guards_;         // by row
  std::vector<TargetTerm> global_terms_;

  RowTag tag(Id id) const { return tag_of(rows_, tags_, id); }

  void share_terms() {
    terms_.resize(rows_.row_count);
    guards_.resize(rows_.row_count);
    std::map<std::pair<std::uint32_t, std::uint32_t>, StatementTerms> statements;
    for (std::size_t t = 0; t < trace_.target.size(); ++t) {
      const TargetTerm& term = trace_.target[t];
      const Span span = rows_.target_spans[t];
      const RowTag row = tag(term.id);
      StatementTerms& statement = statements[{span.file, span.begin}];
      statement.span = span;
      ++(row.single() ? statement.of_rows : statement.global);
      if (is_constant(term.id)) {
        (row.single() ? program_.row_constants[row.low] : program_.global_constant) +=
            term.weight * trace_.constant(term.id);
      } else if (row.single()) {
        terms_[row.low].push_back({term.id, term.weight});
      } else {
        global_terms_.push_back(term);
      }
    }
    for (const auto& [place, statement] : statements) program_.statements.push_back(statement);
    for (const Guard& guard : trace_.guards) {
      const RowTag row = join(tag(guard.left), tag(guard.right));
      if (row.single()) guards_[row.low].push_back(&guard);
    }
  }

  // An instruction of no row that one row alone reads is that row's; but where others like it are read by
  // several, all stay global, so that rows look alike.
  void find_owners() {
    std::set<Likeness> shared;
    for (bool again = true; again;) {
      find_owners_unless(shared);
      again = false;
      std::set<Likeness> adopted;
      for (std::uint32_t i = 0; i < owner_.size(); ++i) {
        if (owner_[i] != kGlobal && own_tag(trace_.instructions[i]).none())
          adopted.insert(likeness(trace_.instructions[i]));
      }
      for (std::uint32_t i = 0; i < owner_.size(); ++i) {
        const Likeness like = likeness(trace_.instructions[i]);
        if (owner_[i] == kGlobal && adopted.count(like) > 0) again |= shared.insert(like).second;
      }
    }
    instructions_.resize(rows_.row_count);
    for (std::uint32_t i = 0; i < owner_.size(); ++i) {
      if (owner_[i] != kGlobal) instructions_[owner_[i]].push_back(i);
    }
  }

  // The same function in the same statement.
  using Likeness = std::tuple<std::uint32_t, std::uint32_t, const void*>;
  static Likeness likeness(const RawInstruction& r) { return {r.span.file, r.span.begin, r.definition}; }

  RowTag own_tag(const RawInstruction& r) const {
    RowTag own;
    for (std::uint32_t k = 0; k < r.result_size; ++k) own = join(own, tags_[r.result + k]);
    return own;
  }

  void find_owners_unless(const std::set<Likeness>& shared) {
    owner_.assign(trace_.instructions.size(), kGlobal);
    constexpr std::uint32_t kNobody = 0xFFFF'FFFEU;
    std::vector<std::uint32_t> reader(trace_.slot_count, kNobody);
    const auto read = [&](Id id, std::uint32_t by) {
      if (is_constant(id)) return;
      reader[id] = reader[id] == kNobody || reader[id] == by ? by : kGlobal;
    };
    for (const TargetTerm& term : global_terms_) read(term.id, kGlobal);
    for (std::uint32_t row = 0; row < terms_.size(); ++row) {
      for (const OwnTerm& term : terms_[row]) read(term.id, row);
    }
    for (const Guard& guard : trace_.guards) {
      const RowTag row = join(tag(guard.left), tag(guard.right));
      read(guard.left, row.single() ? row.low : kGlobal);
      read(guard.right, row.single() ? row.low : kGlobal);
    }
    for (auto i = static_cast<std::uint32_t>(owner_.size()); i-- > 0;) {
      const RawInstruction& r = trace_.instructions[i];
      const RowTag own = own_tag(r);
      std::uint32_t by = kNobody;
      for (std::uint32_t k = 0; k < r.result_size; ++k) {
        const std::uint32_t one = reader[r.result + k];
        if (one != kNobody) by = by == kNobody || by == one ? one : kGlobal;
      }
      const bool adopted = own.none() && by != kNobody && shared.count(likeness(r)) == 0;
      owner_[i] = own.single() ? own.low : adopted ? by : kGlobal;
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        for (const Id id : trace_.operand(r, j)) read(id, owner_[i]);
      }
    }
  }

  void make_global() {
    Trace& out = program_.global;
    out.parameter_count = trace_.parameter_count;
    out.solvers = trace_.solvers;  // of the rows' own instructions too
    out.slot_count = static_cast<std::uint32_t>(trace_.parameter_count);
    compact_.resize(trace_.slot_count, kGlobal);
    for (Id p = 0; p < trace_.parameter_count; ++p) compact_[p] = p;
    const auto moved = [&](Id id) {
      return is_constant(id) ? out.new_constant(trace_.constant(id)) : compact_[id];
    };
    for (std::uint32_t i = 0; i < owner_.size(); ++i) {
      if (owner_[i] != kGlobal) continue;
      RawInstruction r = trace_.instructions[i];
      const RawInstruction& from = trace_.instructions[i];
      r.first_operand = static_cast<std::uint32_t>(out.operands.size());
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const std::span<const Id> ids = trace_.operand(from, j);
        out.operands.push_back(
            {static_cast<std::uint32_t>(out.pool.size()), static_cast<std::uint32_t>(ids.size())});
        for (const Id id : ids) out.pool.push_back(moved(id));
      }
      r.first_shape = static_cast<std::uint32_t>(out.shapes.size());
      for (std::size_t s = 0; s < shape_count(r); ++s)
        out.shapes.push_back(trace_.shapes[from.first_shape + s]);
      r.result = out.new_slots(r.result_size);
      for (std::uint32_t k = 0; k < r.result_size; ++k) compact_[from.result + k] = r.result + k;
      out.instructions.push_back(r);
    }
    for (const TargetTerm& term : global_terms_) out.target.push_back({compact_[term.id], term.weight});
    for (Guard guard : trace_.guards) {
      if (join(tag(guard.left), tag(guard.right)).single()) continue;
      guard.left = moved(guard.left);
      guard.right = moved(guard.right);
      out.guards.push_back(guard);
    }
  }

  static std::size_t shape_count(const RawInstruction& r) {
    return r.kind == OpKind::array ? r.operand_count : r.kind == OpKind::transform ? 1 : 0;
  }

  // One row, while its form is written down.
  struct Form {
    RowClass as_class;
    std::string key;
    std::unordered_map<Id, std::uint32_t> local;

    template <class T>
    void add(const T& value) {
      key.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  };

  RowReference reference(Form& form, Id id) {
    RowReference ref;
    if (is_constant(id)) {
      ref = {RowReference::Kind::constant, static_cast<std::uint32_t>(form.as_class.constants.size())};
      form.as_class.constants.push_back(trace_.constant(id));
    } else if (const auto at = form.local.find(id); at != form.local.end()) {
      ref = {RowReference::Kind::local, at->second};
    } else {
      ref = {RowReference::Kind::external, static_cast<std::uint32_t>(form.as_class.externals.size())};
      form.as_class.externals.push_back(compact_[id]);
    }
    form.add(ref.kind);
    form.add(ref.at);
    return ref;
  }

  // Ints of functions that are no densities may be sizes or powers, which decide how much memory the function
  // needs: rows of one form have the same.
  static bool shapes_result(const RawInstruction& r, std::uint32_t j) {
    if (r.kind != OpKind::array) return false;
    const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
    return f.parameter_types[j].is_int() && !f.name.ends_with("_lpmf") && !f.name.ends_with("_lpdf");
  }

  Form form_of(std::uint32_t row) {
    Form form;
    for (const std::uint32_t i : instructions_[row]) {
      const RawInstruction& r = trace_.instructions[i];
      RowInstruction out;
      out.raw = r;
      form.add(r.kind);
      form.add(r.definition);
      form.add(r.terms.normalized);
      form.add(r.terms.varying);
      form.add(r.count);
      form.add(r.result_size);
      form.add(r.span.begin);
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const std::span<const Id> ids = trace_.operand(r, j);
        out.operand_sizes.push_back(static_cast<std::uint32_t>(ids.size()));
        form.add(out.operand_sizes.back());
        for (const Id id : ids) {
          out.references.push_back(reference(form, id));
          if (is_constant(id) && shapes_result(r, j)) form.add(trace_.constant(id));
        }
      }
      for (std::size_t s = 0; s < shape_count(r); ++s) {
        out.shapes.push_back(trace_.shapes[r.first_shape + s]);
        form.add(out.shapes.back());
      }
      out.result = form.as_class.local_count;
      for (std::uint32_t k = 0; k < r.result_size; ++k)
        form.local[r.result + k] = form.as_class.local_count++;
      form.as_class.instructions.push_back(std::move(out));
    }
    for (const OwnTerm& term : terms_[row]) {
      form.add(term.weight);
      form.as_class.terms.push_back({reference(form, term.id), term.weight});
    }
    for (const Guard* guard : guards_[row]) {
      form.add(guard->relation);
      form.add(guard->outcome);
      const RowReference left = reference(form, guard->left);
      form.as_class.guards.push_back({guard->relation, guard->outcome, left, reference(form, guard->right)});
    }
    return form;
  }

  void make_classes() {
    std::unordered_map<std::string, std::uint32_t> known;
    for (std::uint32_t row = 0; row < rows_.row_count; ++row) {
      Form form = form_of(row);
      const auto [at, is_new] =
          known.try_emplace(std::move(form.key), static_cast<std::uint32_t>(program_.classes.size()));
      if (is_new) {
        program_.classes.push_back(std::move(form.as_class));
      } else {
        RowClass& into = program_.classes[at->second];
        into.constants.insert(into.constants.end(), form.as_class.constants.begin(),
                              form.as_class.constants.end());
        into.externals.insert(into.externals.end(), form.as_class.externals.begin(),
                              form.as_class.externals.end());
      }
      RowClass& own = program_.classes[at->second];
      program_.class_of[row] = at->second;
      program_.line_of[row] = static_cast<std::uint32_t>(own.rows.size());
      own.rows.push_back(row);
    }
  }

  template <class T, class Same>
  static std::vector<bool> varying(const std::vector<T>& lines, std::size_t rows, Same same) {
    const std::size_t width = rows == 0 ? 0 : lines.size() / rows;
    std::vector<bool> varies(width, false);
    for (std::size_t at = width; at < lines.size(); ++at) {
      if (!same(lines[at], lines[at % width])) varies[at % width] = true;
    }
    return varies;
  }

  void find_varying() {
    for (RowClass& c : program_.classes) {
      c.constant_varies = varying(c.constants, c.rows.size(), [](double a, double b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
      });
      c.external_varies = varying(c.externals, c.rows.size(), [](Id a, Id b) { return a == b; });
    }
  }
};

}  // namespace

RowProgram make_row_program(const RowTrace& trace) { return ProgramMaker(trace).run(); }

}  // namespace kullback::tape
