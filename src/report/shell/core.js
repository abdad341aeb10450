// Elements, words and numbers; the list of sections. Text of a result only ever becomes a text node.
const known = new Map();

function element(space, tag, attributes, children) {
  const made = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

const marks = {good: "✓", caution: "!", bad: "✗", plain: "–"};
const levelNames = {good: "passed", caution: "caution", bad: "problem", plain: "note"};

// Three significant digits, more where asked; thousands apart; small and large ones with an exponent.
function number(value, digits = 3) {
  if (value === null || value === undefined || value === "" || Number.isNaN(Number(value))) return "–";
  const x = Number(value);
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x !== 0 && (Math.abs(x) >= 1e7 || Math.abs(x) < 1e-4))
    return x
      .toExponential(digits - 1)
      .replace("-", "−")
      .replace("e+", "e");
  if (Number.isInteger(x)) return x.toLocaleString("en-US").replace("-", "−");
  const rounded = Number(x.toPrecision(digits));
  return rounded.toLocaleString("en-US", {maximumFractionDigits: 10, minimumFractionDigits: 0}).replace("-", "−");
}

globalThis.kb = {
  el: (tag, attributes, ...children) => element(null, tag, attributes, children),
  svg: (tag, attributes, ...children) => element("http://www.w3.org/2000/svg", tag, attributes, children),
  words: (text, kind) => element(null, "p", {class: kind}, [text]),
  number,
  count: (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`,
  verdict: (level, text) =>
    element(null, "span", {class: `verdict ${level}`, "data-mark": marks[level], "data-level": level}, [text]),
  levelName: (level) => levelNames[level],
  colour: {
    chain: (i) => `var(--chain-${(i % 8) + 1})`,
    good: "var(--good)",
    caution: "var(--caution)",
    bad: "var(--bad)",
    accent: "var(--accent)",
    soft: "var(--soft)",
    rule: "var(--rule)",
  },
  // For {...kb.axes} in Plot.plot.
  axes: {style: {background: "none", color: "currentColor", fontFamily: "inherit", fontSize: "11px", overflow: "visible"}},
  pairs(items) {
    return element(
      null,
      "dl",
      {class: "pairs"},
      items.flatMap(({name, value}) => [element(null, "dt", {}, [name]), element(null, "dd", {}, [value])]),
    );
  },
  legend(items) {
    return element(
      null,
      "ul",
      {class: "legend"},
      items.map(({label, colour}) =>
        element(null, "li", {}, [element(null, "i", {style: `background:${colour}`, "aria-hidden": "true"}, []), label]),
      ),
    );
  },
};

// What is done before printing and after it, until the page is made anew.
const printing = {before: [], after: []};
kb.onPrint = (before, after) => {
  printing.before.push(before);
  if (after) printing.after.push(after);
};
kb.forgetPrinting = () => {
  printing.before = [];
  printing.after = [];
};
globalThis.addEventListener("beforeprint", () => printing.before.forEach((call) => call()));
globalThis.addEventListener("afterprint", () => printing.after.forEach((call) => call()));

globalThis.kullback = {
  section(name, parts) {
    known.set(name, parts);
  },
  find: (name) => known.get(name),
};
