// Layout of one statement: text with places where a line may break, in groups. A group that fits on the
// rest of its line is printed on it; otherwise it is broken, with its lines hanging from where it begins.
// The pieces are a flat list and rendering is a loop: neither depth nor length of an expression matters.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kullback::lang::layout {

inline constexpr int kLineWidth = 80;
inline constexpr int kUnlimited = 1 << 30;

enum class Breaks : std::uint8_t {
  fill,  // a broken group puts as much on a line as fits
  all,   // a broken group breaks at every line()
};

class Doc final {
 public:
  // Views must live until the last render().
  void text(std::string_view text);
  void own(std::string text);  // the same, kept here
  void line();                 // a space, or a new line
  void hard();                 // always a new line, unless one has just begun
  // Set off by a space from what stands before it. `column` is where it stood in its source: the other
  // lines of a block comment move with the first.
  void comment(std::string_view text, int column);
  // The same, but on the line of the text before it, whatever place to break stands between; then hard().
  void trailing_comment(std::string_view text, int column, bool more_follow);
  void open(Breaks breaks = Breaks::fill);
  void open_value();  // a group that goes to a line of its own before anything in front of it is broken
  void close();

  bool empty() const { return pieces_.empty(); }

  // `column` is where the text begins, `indent` what further lines outside any group begin with.
  std::string render(int column, int indent, int width = kLineWidth) const;

 private:
  enum class Kind : std::uint8_t { text, line, hard, comment, open, close };
  struct Piece {
    Kind kind;
    Breaks breaks = Breaks::fill;
    bool is_value = false;
    std::string_view text = {};
    int column = 0;
  };
  class Renderer;

  std::vector<Piece> pieces_;
  std::deque<std::string> owned_;
};

// Characters, not bytes.
int display_width(std::string_view text);

// The lines of a block comment that stood at column `from`, for a first line at column `to`; without
// trailing blanks. Lines that all begin with '*' are aligned below the first star.
std::vector<std::string> reindent_comment(std::string_view text, int from, int to);

}  // namespace kullback::lang::layout
