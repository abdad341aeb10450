#include "lang/print/doc.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

// Rendering follows Oppen and Wadler: `reach_[i]` is the width of pieces 0..i-1 on one line, so that the
// width of any stretch is a difference. A group fits if it, and what follows it up to the next place
// where a line may break, fits. Everything is one pass over the pieces with a stack of open groups.

namespace kullback::lang::layout {

namespace {

// A broken group hangs from where it begins, but not from further right than this.
constexpr int kMaxHang = 50;
constexpr int kContinuation = 4;
constexpr int kTab = 4;

bool ends_open(const std::string& out) {
  if (out.empty()) return true;
  const char last = out.back();
  return last == ' ' || last == '\n' || last == '(' || last == '[' || last == '{';
}

std::string_view trim_right(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\f\v");
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

struct SourceLine {
  int indent = 0;
  std::string_view text;
};

SourceLine measure(std::string_view line) {
  SourceLine result;
  std::size_t i = 0;
  for (; i < line.size() && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'); ++i) {
    result.indent += line[i] == '\t' ? kTab : 1;
  }
  result.text = trim_right(line.substr(i));
  return result;
}

std::vector<SourceLine> split(std::string_view text) {
  std::vector<SourceLine> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(measure(text.substr(0, end)));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

int display_width(std::string_view text) {
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  return static_cast<int>(std::count_if(text.begin(), text.end(), is_first_byte));
}

std::vector<std::string> reindent_comment(std::string_view text, int from, int to) {
  const std::vector<SourceLine> lines = split(text);
  const bool starred = std::all_of(lines.begin() + 1, lines.end(),
                                   [](const SourceLine& line) { return line.text.starts_with('*'); });
  std::vector<std::string> result = {std::string(lines.front().text)};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const int shifted = std::max(0, lines[i].indent + to - from);
    const int indent = starred ? to + 1 : shifted;
    std::string line;
    if (!lines[i].text.empty()) line.assign(static_cast<std::size_t>(indent), ' ').append(lines[i].text);
    result.push_back(std::move(line));
  }
  return result;
}

void Doc::text(std::string_view text) {
  if (!text.empty()) pieces_.push_back({.kind = Kind::text, .text = text});
}
void Doc::own(std::string text) { this->text(owned_.emplace_back(std::move(text))); }
void Doc::line() { pieces_.push_back({.kind = Kind::line}); }
void Doc::hard() { pieces_.push_back({.kind = Kind::hard}); }
void Doc::open(Breaks breaks) { pieces_.push_back({.kind = Kind::open, .breaks = breaks}); }
void Doc::open_value() { pieces_.push_back({.kind = Kind::open, .is_value = true}); }
void Doc::close() { pieces_.push_back({.kind = Kind::close}); }
void Doc::comment(std::string_view text, int column) {
  pieces_.push_back({.kind = Kind::comment, .text = text, .column = column});
}

void Doc::trailing_comment(std::string_view text, int column, bool more_follow) {
  auto at = pieces_.end();
  while (at != pieces_.begin() && std::prev(at)->kind == Kind::open) --at;
  if (at != pieces_.begin() && std::prev(at)->kind == Kind::line) at = pieces_.erase(std::prev(at));
  at = pieces_.insert(at, {.kind = Kind::comment, .text = text, .column = column});
  if (!more_follow) pieces_.insert(std::next(at), {.kind = Kind::hard});
}

class Doc::Renderer final {
 public:
  Renderer(const std::vector<Piece>& pieces, int column, int indent, int width)
      : pieces_(pieces), column_(column), width_(width) {
    groups_.push_back({indent, Breaks::fill});
    measure_reach();
    link_breaks();
    measure_widest();
  }

  std::string run() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) step(i);
    return std::move(out_);
  }

 private:
  struct Group {
    int indent;
    Breaks breaks;
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void measure_reach() {
    reach_.assign(pieces_.size() + 1, 0);
    for (std::size_t i = 0; i < pieces_.size(); ++i) reach_[i + 1] = reach_[i] + flat_width(pieces_[i]);
  }

  static int flat_width(const Piece& piece) {
    switch (piece.kind) {
      case Kind::text: return display_width(piece.text);
      case Kind::line: return 1;
      case Kind::comment: return 1 + display_width(piece.text.substr(0, piece.text.find('\n')));
      default: return 0;
    }
  }

  static bool ends_line(const Piece& piece) {
    return piece.kind == Kind::hard ||
           (piece.kind == Kind::comment && piece.text.find('\n') != std::string_view::npos);
  }

  // What a group cannot break: the widest stretch without a line(), from its first piece to the first line()
  // behind it.
  void measure_widest() {
    const std::size_t n = pieces_.size();
    widest_.assign(n, 0);
    std::vector<int> open = {0};
    for (std::size_t i = n; i-- > 0;) {
      const Kind kind = pieces_[i].kind;
      if (kind == Kind::close) open.push_back(0);
      const int stretch = reach_[next_break_[i + 1]] - reach_[i + 1];
      open.back() = std::max(open.back(), stretch);
      if (kind != Kind::open) continue;
      widest_[i] = open.back();
      open.pop_back();
      open.back() = std::max(open.back(), widest_[i]);
    }
  }

  // From the back: partner_ of an open is its close, of a line the next line of its group or the group's
  // close; next_break_ is the next place where any line may end, next_hard_ where it must.
  void link_breaks() {
    const std::size_t n = pieces_.size();
    partner_.assign(n, n);
    next_break_.assign(n + 1, n);
    next_hard_.assign(n + 1, kNone);
    std::vector<std::size_t> ends = {n};  // for each group open at i: what its next line leads to
    std::vector<std::size_t> closes = {n};
    for (std::size_t i = n; i-- > 0;) {
      const Kind kind = pieces_[i].kind;
      const bool must = ends_line(pieces_[i]);
      next_hard_[i] = must ? i : next_hard_[i + 1];
      next_break_[i] = must || kind == Kind::line || pieces_[i].is_value ? i : next_break_[i + 1];
      if (kind == Kind::close) {
        ends.push_back(i);
        closes.push_back(i);
      } else if (kind == Kind::open) {
        partner_[i] = closes.back();
        ends.pop_back();
        closes.pop_back();
      } else if (kind == Kind::line) {
        partner_[i] = ends.back();
        ends.back() = i;
      }
    }
  }

  bool fits(std::size_t from, std::size_t to) const {
    return static_cast<long>(column_) + reach_[to] - reach_[from] <= width_;
  }

  bool group_fits(std::size_t open) const {
    const std::size_t close = partner_[open];
    const bool must_break = next_hard_[open] != kNone && next_hard_[open] < close;
    return !must_break && fits(open, next_break_[close]);
  }

  // Whether what stands between this line and the next of its group fits behind it.
  bool segment_fits(std::size_t line) const {
    const std::size_t next = partner_[line];
    std::size_t stop = next < pieces_.size() && pieces_[next].kind == Kind::line ? next : next_break_[next];
    if (next_hard_[line] != kNone) stop = std::min(stop, next_hard_[line]);
    return fits(line, stop);
  }

  void step(std::size_t i) {
    const Piece& piece = pieces_[i];
    switch (piece.kind) {
      case Kind::text: write(piece.text); break;
      case Kind::comment: write_comment(piece); break;
      case Kind::hard: new_line(); break;
      case Kind::line: step_line(i); break;
      case Kind::open: step_open(i); break;
      case Kind::close:
        if (flat_ > 0) {
          --flat_;
        } else {
          groups_.pop_back();
        }
        break;
    }
  }

  void step_open(std::size_t i) {
    if (flat_ > 0 || group_fits(i)) {
      ++flat_;
      return;
    }
    const bool outermost = groups_.size() == 1;
    const int continued = groups_.back().indent + (outermost ? 0 : kContinuation);
    const bool too_far = column_ > continued && (column_ > kMaxHang || column_ + widest_[i] > width_);
    groups_.push_back({too_far ? continued : column_, pieces_[i].breaks});
    if (too_far) new_line();
  }

  void step_line(std::size_t i) {
    if (at_line_start_) return;
    if (flat_ > 0 || (groups_.back().breaks == Breaks::fill && segment_fits(i))) {
      write(" ");
    } else {
      new_line();
    }
  }

  void write(std::string_view text) {
    out_.append(text);
    column_ += display_width(text);
    at_line_start_ = false;
  }

  void new_line() {
    if (at_line_start_) return;
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    const int indent = groups_.back().indent;
    out_.push_back('\n');
    out_.append(static_cast<std::size_t>(indent), ' ');
    column_ = indent;
    at_line_start_ = true;
  }

  void write_comment(const Piece& piece) {
    if (!ends_open(out_)) write(" ");
    const std::vector<std::string> lines = reindent_comment(piece.text, piece.column, column_);
    write(lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) {
      out_.push_back('\n');
      column_ = 0;
      write(lines[i]);
    }
  }

  const std::vector<Piece>& pieces_;
  std::vector<int> reach_;
  std::vector<int> widest_;
  std::vector<std::size_t> partner_;
  std::vector<std::size_t> next_break_;
  std::vector<std::size_t> next_hard_;
  std::vector<Group> groups_;
  std::string out_;
  int flat_ = 0;
  int column_;
  int width_;
  bool at_line_start_ = false;
};

std::string Doc::render(int column, int indent, int width) const {
  return Renderer(pieces_, column, indent, width).run();
}

}  // namespace kullback::lang::layout
