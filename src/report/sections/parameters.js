const titles = {
  value: "value",
  mean: "mean",
  sd: "sd",
  q5: "5 %",
  q50: "50 %",
  q95: "95 %",
  ess_bulk: "ESS bulk",
  ess_tail: "ESS tail",
  rhat: "R-hat",
};
const help = {
  ess_bulk: "independent draws that the chains are worth, for means",
  ess_tail: "the same for the 5 % and 95 % quantiles",
  rhat: "up to 1.01 the chains agree",
  q5: "a twentieth of the draws is below",
  q95: "a twentieth of the draws is above",
};

function levelOf(key, value) {
  if (key === "rhat") return value > 1.05 ? "bad" : value > 1.01 ? "caution" : null;
  if (key.startsWith("ess")) return value < 100 ? "bad" : value < 400 ? "caution" : null;
  return null;
}

// A density as large as a word.
function spark(page, i) {
  const points = kb.plots.curveOf(page.of("marginals"), i);
  if (!points) return "";
  const [low, high] = [points[0].x, points[points.length - 1].x];
  const path = points
    .map(({x, y}, k) => `${k ? "L" : "M"}${((100 * (x - low)) / (high - low)).toFixed(1)},${(22 - 20 * y).toFixed(1)}`)
    .join("");
  return kb.svg(
    "svg",
    {class: "spark", viewBox: "0 0 100 23", preserveAspectRatio: "none", "aria-hidden": "true"},
    kb.svg("path", {d: `${path}L100,22L0,22Z`, fill: "var(--accent)", "fill-opacity": "0.18"}),
    kb.svg("path", {
      d: path,
      fill: "none",
      stroke: "var(--accent)",
      "stroke-width": "1.2",
      "vector-effect": "non-scaling-stroke",
    }),
  );
}

kullback.section("parameters", {
  draw(place, data, page) {
    const canChoose = page.draws !== null && page.draws.total > 1;
    const choose = (i, adds) => (adds ? page.selection.toggle(data.names[i]) : page.selection.set([data.names[i]]));
    const name = (i) =>
      canChoose
        ? kb.el("button", {type: "button", class: "name", "aria-label": `Show ${data.names[i]}`}, data.names[i])
        : kb.el("span", {class: "mono"}, data.names[i]);
    const tick = (i) =>
      kb.el("input", {
        type: "checkbox",
        "aria-label": `Show ${data.names[i]} with the others`,
        onchange: () => page.selection.toggle(data.names[i]),
      });
    const columns = [
      canChoose ? {title: "", className: "tick", cell: tick} : null,
      {title: "name", value: (i) => data.names[i], cell: name},
      page.of("marginals") ? {title: "density", cell: (i) => spark(page, i)} : null,
      ...Object.keys(data.columns).map((key) => ({
        title: titles[key],
        help: help[key],
        number: true,
        key,
        value: (i) => (data.columns[key][i] === null ? NaN : Number(data.columns[key][i])),
        cell: (i) => (data.columns[key][i] ?? "–").replace("-", "−"),
        level: (i) => levelOf(key, Number(data.columns[key][i])),
      })),
    ].filter(Boolean);
    if (canChoose)
      place.append(kb.words("Choose a row, and the plots below show it; tick up to four to see them together.", "small"));
    const table = kb.table(place, {
      name: "parameters",
      label: "parameters",
      columns,
      rows: data.names.length,
      search: (i) => data.names[i],
      chosen: canChoose ? (i) => page.selection.has(data.names[i]) : null,
      choose: canChoose ? choose : null,
    });
    page.selection.on(table.mark);
    if (data.columns.q5)
      place.append(
        kb.words(
          "Between 5 % and 95 % lie 90 % of the draws. Digits are those that the Monte Carlo error of the mean justifies.",
          "small",
        ),
      );
  },
});
