// Shared by the tests of the checker: a row is a program and what is said about it, as "code@line" in order.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "base/source.hpp"
#include "lang/check.hpp"
#include "lang/parse.hpp"

namespace kullback::lang::testing {

struct CheckedText {
  SourceMap sources;
  Parsed parsed;
  Checked checked;

  std::string codes() const {
    std::string text;
    for (const Diagnostics* list : {&parsed.diagnostics, &checked.diagnostics}) {
      for (const Diagnostic& d : *list) {
        const Position p = sources.position(d.span.file, d.span.begin);
        text += (text.empty() ? "" : " ") + d.code + "@" + std::to_string(p.line);
      }
    }
    return text;
  }

  const Diagnostic* find(std::string_view code) const {
    for (const Diagnostic& d : checked.diagnostics) {
      if (d.code == code) return &d;
    }
    return nullptr;
  }
};

inline CheckedText check_text(const std::string& text, const CheckOptions& options = {}) {
  CheckedText result;
  const FileId file = result.sources.add("test.stan", text);
  result.parsed = parse(result.sources, file);
  if (!has_errors(result.parsed.diagnostics)) result.checked = check(result.parsed.tree, options);
  return result;
}

struct Row {
  const char* text;
  const char* codes;
};

// Line 1 of a wrapped row: something of every kind. The row begins on line 2.
inline const std::string kNames =
    "data { int n; array[3] int is; real r; vector[3] v; row_vector[3] rv; matrix[3, 3] m; array[3] real ra; "
    "array[2] vector[3] va; array[2, 2] real raa; complex z; tuple(int, real) t; array[2] tuple(int, "
    "vector[3]) ta; }";
inline const std::string kParameters = " parameters { real p; vector[3] pv; matrix[3, 3] pm; }";

inline std::string in_model(const std::string& body) {
  return kNames + kParameters + " model {\n" + body + "\n}";
}
inline std::string in_transformed_data(const std::string& body) {
  return kNames + " transformed data {\n" + body + "\n}";
}
inline std::string as_is(const std::string& text) { return text; }

inline void expect_rows(std::span<const Row> rows, std::string (*wrap)(const std::string&)) {
  for (const Row& row : rows) {
    const CheckedText result = check_text(wrap(row.text));
    std::string said;
    for (const Diagnostic& d : result.checked.diagnostics) said += d.message + " (" + d.hint + ")\n";
    EXPECT_EQ(result.codes(), row.codes) << row.text << "\n" << said;
    const bool failed = has_errors(result.parsed.diagnostics) || has_errors(result.checked.diagnostics);
    EXPECT_EQ(result.checked.program == nullptr, failed) << row.text;
  }
}

}  // namespace kullback::lang::testing
