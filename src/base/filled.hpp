// Sentences with gaps: filled("{} has {} columns", name, 3). For the modules that need nothing but the
// standard library; the others have fmt.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace kullback {

// The fewest digits that read back to the same number, as fmt and Python write them: 1e+20, 0.1, 100000;
// "inf", "nan".
std::string number_text(double number);
// As printf's %.*g, %.*f and %.*e, whatever the locale.
std::string number_with_digits(double number, int digits);
std::string number_with_decimals(double number, int decimals);
std::string number_with_exponent(double number, int decimals);

// The text of what goes into a gap.
inline std::string_view piece_text(std::string_view text) { return text; }
inline std::string piece_text(double number) { return number_text(number); }
inline std::string piece_text(char letter) { return std::string(1, letter); }
template <std::integral Number>
  requires(!std::same_as<Number, bool>)
std::string piece_text(Number number) {
  return std::to_string(number);
}
template <std::same_as<bool> Bool>
void piece_text(Bool) = delete;

// A literal with as many gaps {} as there are pieces; {{ and }} are braces. Others do not compile.
template <std::size_t gaps>
class GappedText final {
 public:
  template <class Literal>
    requires std::convertible_to<const Literal&, std::string_view>
  consteval GappedText(const Literal& literal) : text_(literal) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '{' && text_[i] != '}') continue;
      if (i + 1 == text_.size()) throw "a brace without its partner";
      if (text_[i] == '{' && text_[i + 1] == '}')
        ++found;
      else if (text_[i] != text_[i + 1])
        throw "a brace without its partner";
      ++i;
    }
    if (found != gaps) throw "as many pieces are needed as there are gaps";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

std::string fill_gaps(std::string_view pattern, const std::string_view* pieces);

template <class... Pieces>
std::string filled(GappedText<sizeof...(Pieces)> pattern, const Pieces&... pieces) {
  const auto fill_with = [&](const auto&... texts) {
    const std::string_view views[] = {std::string_view(texts)..., std::string_view()};
    return fill_gaps(pattern.text(), views);
  };
  return fill_with(piece_text(pieces)...);
}

}  // namespace kullback
