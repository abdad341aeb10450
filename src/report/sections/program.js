// Stan, coloured: one pass of a tokeniser, each token a text node.
const blocks = /^(functions|data|parameters|model)$/;
const types = new Set(
  "int real complex vector row_vector matrix array tuple void simplex unit_vector ordered positive_ordered sum_to_zero_vector sum_to_zero_matrix stochastic_column_matrix stochastic_row_matrix cov_matrix corr_matrix cholesky_factor_cov cholesky_factor_corr complex_vector complex_row_vector complex_matrix".split(
    " ",
  ),
);
const words = new Set(
  "for in while if else return break continue target lower upper offset multiplier transformed generated quantities profile print reject fatal_error jacobian".split(
    " ",
  ),
);
const token =
  /(\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#include[^\n]*)|("[^"\n]*")|(\b\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?i?\b)|([A-Za-z]\w*)/gm;

function kindOf(text, match, after) {
  if (match[1] !== undefined) return "comment";
  if (match[2] !== undefined) return "string";
  if (match[3] !== undefined) return "number";
  const word = match[4];
  if (
    (blocks.test(word) || word === "quantities" || word === "transformed" || word === "generated") &&
    /^\s*(data|parameters|quantities)?\s*\{/.test(after)
  )
    return "block";
  if (types.has(word)) return "type";
  if (words.has(word)) return "word";
  return /^\s*\(/.test(after) ? "call" : null;
}

function tokensOf(text) {
  const found = [];
  let last = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > last) found.push([text.slice(last, match.index), null]);
    last = match.index + match[0].length;
    found.push([match[0], kindOf(text, match, text.slice(last, last + 40))]);
  }
  found.push([text.slice(last), null]);
  return found;
}

function lines(text) {
  const made = [];
  let line = kb.el("span", {class: "line", "data-line": 1});
  for (const [piece, kind] of tokensOf(text)) {
    piece.split("\n").forEach((part, k) => {
      if (k > 0) {
        made.push(line, "\n");
        line = kb.el("span", {class: "line", "data-line": made.length / 2 + 1});
      }
      if (part) line.append(kind ? kb.el("span", {class: `s-${kind}`}, part) : part);
    });
  }
  made.push(line);
  return made;
}

kullback.section("program", {
  draw(place, data) {
    place.append(
      kb.el("pre", {tabindex: "0", "aria-label": "The Stan program"}, kb.el("code", {}, lines(data.text.replace(/\n$/, "")))),
    );
    if (data.cut)
      place.append(kb.words("The program is longer than what is shown; model.stan of the result has all of it.", "small"));
  },
});
