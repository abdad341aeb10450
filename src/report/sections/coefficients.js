// Coefficients with their 95 % intervals, in units of how many standard deviations they lie from 0; what the fit says of some rows.
const most_drawn = 40;

function intervals(width, shown, selection) {
  const left = Math.min(180, 20 + 7 * d3.max(shown, (c) => c.name.length));
  return Plot.plot({
    ...kb.axes, width, height: 22 * shown.length + 46, marginLeft: left, marginRight: 20,
    x: {label: "coefficient over its standard deviation", labelArrow: "none"}, y: {label: null, domain: shown.map((c) => c.name)},
    marks: [
      Plot.ruleX([0], {stroke: "var(--soft)"}),
      Plot.link(shown, {x1: (c) => c.lower / c.sd, x2: (c) => c.upper / c.sd, y: "name", stroke: kb.colour.accent, strokeWidth: 2, strokeOpacity: {value: (c) => (selection ? Math.max(0.15, c.selected) : 1), scale: null}}),
      Plot.dot(shown, {x: (c) => c.mean / c.sd, y: "name", r: 4, fill: kb.colour.accent, fillOpacity: {value: (c) => (selection ? Math.max(0.15, c.selected) : 1), scale: null}}),
    ],
  });
}

function inclusion(width, shown, selection) {
  const left = Math.min(180, 20 + 7 * d3.max(shown, (c) => c.name.length));
  return Plot.plot({
    ...kb.axes, width, height: 22 * shown.length + 46, marginLeft: left, marginRight: 20, x: {label: selection, labelArrow: "none", domain: [0, 1]}, y: {label: null, domain: shown.map((c) => c.name)},
    marks: [Plot.barX(shown, {x: "selected", y: "name", fill: kb.colour.accent, insetTop: 3, insetBottom: 3}), Plot.ruleX([0, 0.5], {stroke: "var(--rule)"})],
  });
}

function fitted(width, data) {
  const {target, mean, sd} = data.fitted;
  const rows = d3.range(target.length).filter((r) => target[r] !== null);
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 560), height: Math.min(width, 420), marginLeft: 50, marginBottom: 36, x: {label: "said by the fit", labelArrow: "none"}, y: {label: data.target, labelArrow: "none"},
    marks: [Plot.link(rows, {x1: (r) => mean[r], x2: (r) => mean[r], y1: (r) => mean[r] - 2 * sd[r], y2: (r) => mean[r] + 2 * sd[r], stroke: "var(--rule)"}),
      Plot.line(d3.extent(rows, (r) => mean[r]), {x: (v) => v, y: (v) => v, stroke: "var(--soft)", strokeDasharray: "4 3"}),
      Plot.dot(rows, {x: (r) => mean[r], y: (r) => target[r], r: 2, fill: kb.colour.accent, fillOpacity: 0.7})],
  });
}

function probabilities(width, data) {
  const rows = d3.range(data.fitted.target.length).map((r) => ({p: data.fitted.probability[r], target: data.fitted.target[r]})).filter((r) => r.target !== null && r.p !== null);
  return Plot.plot({
    ...kb.axes, width, height: 200, marginLeft: 44, x: {label: "probability of 1, as the fit says", labelArrow: "none", domain: [0, 1]}, y: {label: "rows", labelArrow: "none"},
    marks: [Plot.rectY(rows, Plot.binX({y: "count"}, {x: "p", fill: (r) => kb.colour.chain(r.target ? 0 : 1), thresholds: 20})), Plot.ruleY([0])],
  });
}

kullback.section("coefficients", {
  draw(place, data) {
    const selection = data.selection;
    const real = data.coefficients.filter((c) => c.name !== "(intercept)");
    const sorted = d3.sort(real, (c) => -(selection ? c.selected : Math.abs(c.mean / c.sd)));
    const shown = sorted.slice(0, most_drawn);
    if (selection) place.append(kb.words(`${real.filter((c) => c.selected > 0.5).length} of ${kb.count(real.length, "column")} have ${selection} above one half.`));
    if (shown.length) {
      kb.figure(place, {name: "coefficients", title: "Coefficients", alt: `${shown.length} of ${real.length}, the clearest first: mean and 95 % interval, over the standard deviation.`, draw: (width) => intervals(width, shown, selection)});
      if (selection) kb.figure(place, {name: "inclusion", title: selection === "inclusion" ? "Is the column in?" : "How much the data decide", alt: selection === "inclusion" ? "The probability that each column is in." : "0: the prior alone; 1: the data alone.", draw: (width) => inclusion(width, shown, selection)});
    }
    if (data.fitted?.mean) kb.figure(place, {name: "fitted", title: "Some rows", alt: `${data.target} of some rows above what the fit says of them; bars are two standard deviations to each side.`, draw: (width) => fitted(width, data)});
    if (data.fitted?.probability) kb.figure(place, {name: "fitted", title: "Some rows", alt: "How probable the fit calls a 1; colours are what the rows have.", draw: (width) => probabilities(width, data)});
    const keys = ["mean", "sd", "lower", "upper", ...(selection ? ["selected"] : [])];
    kb.table(place, {name: "coefficients", label: "coefficients", rows: data.coefficients.length, search: (r) => data.coefficients[r].name,
      columns: [{title: "column", value: (r) => data.coefficients[r].name, cell: (r) => data.coefficients[r].name},
        ...keys.map((key) => ({title: key === "selected" ? selection : key, number: true, value: (r) => data.coefficients[r][key], cell: (r) => kb.number(data.coefficients[r][key], 4)}))]});
  },
});
