// Components in the plane of two columns: rows coloured by their component, ellipses that hold 39 % and 86 % of each component
// (one and two standard deviations); of one column the densities above a histogram.
const most_drawn = 60;
const used = (component) => component.weight > 1e-3;

function ellipse(component, i, j, radius) {
  const [a, b, d] = [component.covariance[i][i], component.covariance[i][j], component.covariance[j][j]];
  const middle = (a + d) / 2, spread = Math.hypot((a - d) / 2, b);
  const [long, short] = [Math.sqrt(middle + spread), Math.sqrt(Math.max(0, middle - spread))];
  const angle = Math.atan2(2 * b, a - d) / 2;
  return d3.range(0, 2 * Math.PI + 0.01, Math.PI / 36).map((t) => {
    const [x, y] = [radius * long * Math.cos(t), radius * short * Math.sin(t)];
    return {x: component.mean[i] + x * Math.cos(angle) - y * Math.sin(angle), y: component.mean[j] + x * Math.sin(angle) + y * Math.cos(angle)};
  });
}

// How far apart the components lie along a column, in units of their spread.
function separation(components, c) {
  const mean = d3.sum(components, (k) => k.weight * k.mean[c]) / d3.sum(components, (k) => k.weight);
  const between = d3.sum(components, (k) => k.weight * (k.mean[c] - mean) ** 2);
  return between / (d3.sum(components, (k) => k.weight * k.covariance[c][c]) || 1);
}

function plane(width, data, drawn, i, j) {
  const colour = (name) => kb.colour.chain(Number(name) - 1);
  const sample = data.sample;
  const rows = sample ? d3.range(sample.columns[0].length) : [];
  return Plot.plot({
    ...kb.axes, width, height: Math.min(width * 0.7, 480), marginLeft: 48, marginBottom: 36,
    x: {label: data.columns[i], labelArrow: "none"}, y: {label: data.columns[j], labelArrow: "none"},
    marks: [
      Plot.dot(rows, {x: (r) => sample.columns[i][r], y: (r) => sample.columns[j][r], r: 1.8, fill: (r) => colour(sample.component[r] ?? 1), fillOpacity: 0.6}),
      ...drawn.flatMap((component) => [1, 2].map((radius) =>
        Plot.line(ellipse(component, i, j, radius), {x: "x", y: "y", stroke: colour(component.name), strokeWidth: 3 - radius, strokeOpacity: 0.9}))),
      Plot.text(drawn, {x: (k) => k.mean[i], y: (k) => k.mean[j], text: "name", fontWeight: 700, stroke: "var(--paper)", fill: "currentColor", strokeWidth: 3}),
    ],
  });
}

function along(width, data, drawn, i) {
  const values = data.sample ? data.sample.columns[i].filter((x) => x !== null) : [];
  const reach = drawn.flatMap((k) => [-3, 3].map((s) => k.mean[i] + s * Math.sqrt(k.covariance[i][i])));
  const [low, high] = d3.extent([...reach, ...values]);
  const xs = d3.range(201).map((t) => low + (t * (high - low)) / 200);
  const density = (k, x) => k.weight * Math.exp(-0.5 * (x - k.mean[i]) ** 2 / k.covariance[i][i]) / Math.sqrt(2 * Math.PI * k.covariance[i][i]);
  const bins = d3.bin().thresholds(30).domain([low, high])(values);
  const bars = bins.map((b) => ({x1: b.x0, x2: b.x1, y: b.x1 > b.x0 ? b.length / values.length / (b.x1 - b.x0) : 0}));
  return Plot.plot({
    ...kb.axes, width, height: 260, marginLeft: 20, marginBottom: 36, x: {label: data.columns[i], labelArrow: "none"}, y: {axis: null},
    marks: [
      Plot.rectY(bars, {x1: "x1", x2: "x2", y: "y", fill: "var(--rule)"}),
      ...drawn.map((k) => Plot.lineY(xs, {x: (x) => x, y: (x) => density(k, x), stroke: kb.colour.chain(Number(k.name) - 1), strokeWidth: 2})),
      Plot.lineY(xs, {x: (x) => x, y: (x) => d3.sum(drawn, (k) => density(k, x)), stroke: "currentColor", strokeDasharray: "4 3"}),
    ],
  });
}

function weights(width, components) {
  return Plot.plot({
    ...kb.axes, width, height: 26 * components.length + 40, marginLeft: 60,
    x: {label: "weight", labelArrow: "none", domain: [0, d3.max(components, (k) => k.weight)]}, y: {label: null, domain: components.map((k) => k.name)},
    marks: [Plot.barX(components, {x: "weight", y: "name", fill: (k) => kb.colour.chain(Number(k.name) - 1)})],
  });
}

function chooser(label, columns, chosen, on) {
  const select = kb.el("select", {"aria-label": label, style: "max-width:14rem", onchange: () => on(Number(select.value))},
    columns.map((name, i) => kb.el("option", {value: i, selected: i === chosen}, name)));
  return kb.el("label", {}, `${label} `, select);
}

function drawGaussians(place, data, drawn) {
  const best = d3.sort(d3.range(data.columns.length), (c) => -separation(drawn, c));
  let [i, j] = [best[0], best[1] ?? best[0]];
  const is_line = data.columns.length === 1;
  const picture = is_line
    ? `Of ${data.columns[0]}: the densities of the components, their sum (broken) and the rows (grey).`
    : "Rows (dots) in the colour of their component; ellipses of one and two standard deviations around each mean.";
  const controls = kb.el("p", {class: "bar controls"});
  place.append(is_line ? "" : controls);
  const figure = kb.figure(place, {name: "components", title: "The components", alt: picture,
    draw: (width) => (is_line ? along(width, data, drawn, 0) : plane(width, data, drawn, i, j))});
  controls.append(chooser("across", data.columns, i, (c) => { i = c; figure.redraw(); }), " ", chooser("up", data.columns, j, (c) => { j = c; figure.redraw(); }));
  if (data.all_columns > data.columns.length) place.append(kb.words(`The first ${data.columns.length} of ${data.all_columns} columns can be chosen.`));
  if (!data.sample) place.append(kb.words("The rows are not drawn: the fit kept none of them (--no-units)."));
}

function levels(width, data, drawn) {
  const cells = data.levels.flatMap((level) => drawn.map((k) => ({level: level.name, component: k.name, p: level.probabilities[Number(k.name) - 1]})));
  return Plot.plot({
    ...kb.axes, width, height: 18 * data.levels.length + 50, marginLeft: 160, marginTop: 30, x: {label: "component", labelArrow: "none", axis: "top", domain: drawn.map((k) => k.name)},
    y: {label: null, domain: data.levels.map((level) => level.name)},
    marks: [Plot.cell(cells, {x: "component", y: "level", fill: kb.colour.accent, fillOpacity: {value: "p", scale: null}, inset: 0.5}), Plot.text(cells, {x: "component", y: "level", text: (c) => (c.p >= 0.05 ? kb.number(c.p, 2) : ""), fontSize: 9, fill: "currentColor", stroke: "var(--paper)", strokeWidth: 2})],
  });
}

kullback.section("components", {
  draw(place, data) {
    const inUse = data.components.filter(used);
    const drawn = d3.sort(inUse, (k) => -k.weight).slice(0, most_drawn);
    place.append(kb.words(`${kb.count(inUse.length, "component")} of ${data.components.length} have a weight above 0.1 %.`));
    if (data.components[0]?.mean && data.components[0]?.covariance) drawGaussians(place, data, drawn);
    if (data.levels) kb.figure(place, {name: "levels", title: "Probability of each level", alt: "A column for each component, a row for each level; the darker, the more probable.", draw: (width) => levels(width, data, drawn)});
    kb.figure(place, {name: "weights", title: "Weights", alt: `The largest component has weight ${kb.number(d3.max(drawn, (k) => k.weight))}.`, draw: (width) => weights(width, drawn)});
    const columns = data.table_columns.map((title, c) => ({title, number: c > 0, value: (r) => Number(data.table[r][c]), cell: (r) => (c === 0 ? data.table[r][c] : kb.number(data.table[r][c], 4))}));
    kb.table(place, {name: "components", label: "components", columns, rows: data.table.length, search: (r) => data.table[r].join(" ")});
  },
});
