const {plots} = kb;
const mostRows = 60;

// "theta[3]" is of "theta"; in the order of the table.
function groupsOf(names) {
  const groups = new Map();
  names.forEach((name, i) => {
    const group = name.replace(/\[.*$/, "");
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(i);
  });
  return groups;
}

// The largest that can be seen at a glance: most often what the program is about.
function firstGroup(groups) {
  const candidates = [...groups].filter(([name, rows]) => rows.length > 1 && !/^(log_lik|z|.*_raw|.*_std|lp__)$/.test(name));
  return (candidates.find(([, rows]) => rows.length <= mostRows) ??
    candidates[0] ??
    [...groups].find(([, rows]) => rows.length > 1))?.[0];
}

function forest(width, table, curves, rows) {
  const step = rows.length > 30 ? 20 : 30;
  const quantile = (key, i) => (table.columns[key][i] === null ? NaN : Number(table.columns[key][i]));
  const names = rows.map((i) => table.names[i]);
  const intervals = rows
    .map((i, k) => ({name: names[k], k, q5: quantile("q5", i), q50: quantile("q50", i), q95: quantile("q95", i)}))
    .filter(({q5, q95}) => Number.isFinite(q5) && Number.isFinite(q95));
  const shapes = rows.flatMap((i, k) => (plots.curveOf(curves, i) ?? []).map(({x, y}) => ({k, x, y: k - 0.72 * y})));
  const [low, high] = [d3.min(intervals, (d) => d.q5), d3.max(intervals, (d) => d.q95)];
  const margin = 0.25 * (high - low);
  return Plot.plot({
    ...kb.axes,
    width,
    height: 40 + step * rows.length,
    marginLeft: Math.min(180, 24 + 6.6 * d3.max(names, (name) => name.length)),
    marginRight: 12,
    marginTop: 16,
    marginBottom: 26,
    x: {label: null, domain: [low - margin, high + margin], ticks: Math.floor(width / 90), grid: true, tickFormat: plots.short},
    y: {
      domain: [-0.8, rows.length - 0.6],
      reverse: true,
      label: null,
      ticks: d3.range(rows.length),
      tickFormat: (k) => names[k] ?? "",
      tickSize: 0,
    },
    marks: [
      low < 0 && high > 0 ? Plot.ruleX([0], {stroke: kb.colour.soft, strokeOpacity: 0.5}) : null,
      Plot.areaY(shapes, {x: "x", y1: (d) => d.k, y2: "y", z: "k", fill: kb.colour.accent, fillOpacity: 0.16, clip: true}),
      Plot.ruleY(intervals, {y: "k", x1: "q5", x2: "q95", stroke: kb.colour.accent, strokeWidth: 1.8}),
      Plot.dot(intervals, {
        y: "k",
        x: "q50",
        r: 3,
        fill: kb.colour.accent,
        title: (d) => `${d.name}: ${kb.number(d.q50)} (${kb.number(d.q5)} to ${kb.number(d.q95)})`,
      }),
    ],
  });
}

function drawForest(place, table, curves) {
  const groups = groupsOf(table.names);
  const names = [...groups].filter(([, rows]) => rows.length > 1).map(([name]) => name);
  if (names.length === 0) return;
  const body = kb.el("div");
  const show = (group) => {
    const rows = groups.get(group).slice(0, mostRows);
    const left = groups.get(group).length - rows.length;
    body.replaceChildren();
    kb.figure(body, {
      name: "intervals",
      title: `${group}: medians and 90 % intervals`,
      alt:
        `A line is the 90 % interval of an element of ${group}, a dot its median, the shade its density.` +
        (left > 0 ? ` The first ${rows.length} of ${kb.number(rows.length + left)}.` : ""),
      draw: (width) => forest(width, table, curves, rows),
    });
  };
  const first = firstGroup(groups) ?? names[0];
  const select = kb.el(
    "select",
    {onchange: () => show(select.value)},
    names.map((name) => kb.el("option", {value: name, selected: name === first}, name)),
  );
  if (names.length > 1) place.append(kb.el("div", {class: "bar controls"}, kb.el("label", {}, "All elements of", select)));
  place.append(body);
  show(first);
}

kullback.section("marginals", {
  draw(place, data, page) {
    const table = page.of("parameters");
    if (!table?.columns.q5) return;
    kb.selectionBar(place, page);
    const grid = kb.el("div", {class: "grid"});
    place.append(grid);
    const show = () => {
      grid.replaceChildren();
      for (const name of page.selection.names) {
        const i = table.names.indexOf(name);
        const points = i < 0 ? null : plots.curveOf(data, i);
        if (!points) continue;
        const quantile = (key) => Number(table.columns[key][i]);
        kb.figure(grid, {
          name: `density-${i}`,
          title: name,
          alt: `${name}: median ${table.columns.q50[i]}, 90 % between ${table.columns.q5[i]} and ${table.columns.q95[i]}.`.replaceAll(
            " -",
            " −",
          ),
          draw: (width) => plots.density(width, points, {q5: quantile("q5"), q50: quantile("q50"), q95: quantile("q95")}),
        });
      }
    };
    show();
    page.selection.on(show);
    drawForest(place, table, data);
    if (data.weighted) place.append(kb.words("The draws have weights; densities and intervals use them.", "small"));
  },
});
