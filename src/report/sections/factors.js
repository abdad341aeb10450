// Factors: what each explains, its loadings, and where rows lie on two of them.
function explained(width, factors) {
  return Plot.plot({
    ...kb.axes, width, height: 22 * factors.length + 46, marginLeft: 60, x: {label: "explained part of the variance", labelArrow: "none", tickFormat: "%"}, y: {label: "factor", labelArrow: "none", domain: factors.map((f) => f.name)},
    marks: [Plot.barX(factors, {x: "fraction", y: "name", fill: (f) => (f.in_use ? kb.colour.accent : "var(--rule)"), title: (f) => `precision ${kb.number(f.precision)}`}), Plot.ruleX([0])],
  });
}

// Loadings of a column over the largest loading of the factor: a factor has its own scale.
function loadings(width, data, shown) {
  const cells = data.loadings.flatMap((row) => shown.map((k) => ({column: row.name, factor: data.factors[k].name, loading: row.mean[k], sd: row.sd[k]})));
  const largest = d3.rollup(cells, (all) => d3.max(all, (c) => Math.abs(c.loading)), (c) => c.factor);
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 170 + 70 * shown.length), height: 18 * data.loadings.length + 50, marginLeft: 130, marginTop: 34,
    x: {label: "factor", labelArrow: "none", axis: "top", domain: shown.map((k) => data.factors[k].name)}, y: {label: null, domain: data.loadings.map((row) => row.name)},
    marks: [Plot.cell(cells, {x: "factor", y: "column", fill: (c) => kb.colour.chain(c.loading < 0 ? 1 : 0), fillOpacity: {value: (c) => 0.9 * Math.abs(c.loading) / (largest.get(c.factor) || 1), scale: null}, inset: 0.5}),
      Plot.text(cells, {x: "factor", y: "column", text: (c) => kb.number(c.loading, 2), fontSize: 9, fill: "currentColor", stroke: "var(--paper)", strokeWidth: 2, opacity: {value: (c) => (Math.abs(c.loading) > 2 * c.sd ? 1 : 0.45), scale: null}})],
  });
}

function scores(width, data, i, j) {
  const rows = d3.range(data.scores[i].length);
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 560), height: Math.min(width, 460), marginLeft: 44, marginBottom: 36, x: {label: `factor ${data.factors[i].name}`, labelArrow: "none"}, y: {label: `factor ${data.factors[j].name}`, labelArrow: "none"},
    marks: [Plot.dot(rows, {x: (r) => data.scores[i][r], y: (r) => data.scores[j][r], r: 1.8, fill: kb.colour.accent, fillOpacity: 0.5})],
  });
}

kullback.section("factors", {
  draw(place, data) {
    const inUse = d3.range(data.factors.length).filter((k) => data.factors[k].in_use);
    place.append(kb.words(`${inUse.length} of ${kb.count(data.factors.length, "factor")} ${inUse.length === 1 ? "is" : "are"} in use; the others were shut by the data.`));
    kb.figure(place, {name: "explained", title: "What each factor explains", alt: "The part of all variance that each factor explains; grey ones are not in use.", draw: (width) => explained(width, data.factors)});
    const shown = inUse.length ? inUse.slice(0, 12) : [0];
    if (data.loadings.length)
      kb.figure(place, {name: "loadings", title: "Loadings", alt: "How much of a factor is in each column; pale numbers are within two standard deviations of 0.", draw: (width) => loadings(width, data, shown)});
    if (data.loadings.length < data.columns_in_all) place.append(kb.words(`The first ${data.loadings.length} of ${data.columns_in_all} columns.`));
    if (data.scores?.length >= 2 && shown.length >= 2)
      kb.figure(place, {name: "scores", title: "Rows on the first two factors", alt: "The posterior mean of each row's factors.", draw: (width) => scores(width, data, shown[0], shown[1])});
  },
});
