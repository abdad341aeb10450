// Hidden states: how they follow each other, what they emit, and which is likely at the first rows.
const column = (table, name) => table.columns.indexOf(name);

function transitions(width, data) {
  const cells = data.transitions.flatMap((row, from) => row.map((p, to) => ({from: data.names[from], to: data.names[to], p, sd: data.transition_sds[from]?.[to]})));
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 110 + 70 * data.names.length), height: 70 + 36 * data.names.length, marginLeft: 60, marginTop: 36,
    x: {label: "to", labelArrow: "none", axis: "top", domain: data.names}, y: {label: "from", labelArrow: "none", domain: data.names},
    marks: [Plot.cell(cells, {x: "to", y: "from", fill: kb.colour.accent, fillOpacity: {value: "p", scale: null}, inset: 0.5}),
      Plot.text(cells, {x: "to", y: "from", text: (c) => (c.p >= 0.005 ? kb.number(c.p, 2) : ""), fontSize: 10, fill: "currentColor", stroke: "var(--paper)", strokeWidth: 3})],
  });
}

function path(width, data) {
  const rows = data.path.state.length;
  const points = data.path.probabilities.flatMap((values, s) => values.map((p, row) => ({row: row + 1, p, state: s})));
  const states = d3.range(data.names.length);
  return Plot.plot({
    ...kb.axes, width, height: 200, marginLeft: 40, marginBottom: 34, x: {label: "row", labelArrow: "none", domain: [1, rows]},
    y: {label: "probability", labelArrow: "none", domain: [0, 1], ticks: 3},
    marks: [Plot.areaY(points, {x: "row", y: "p", z: "state", fill: (p) => kb.colour.chain(p.state), fillOpacity: 0.85, order: states, curve: "step"}), Plot.ruleY([0])],
  });
}

// A row for each column of the data, a dot for each state.
function means(width, table, names) {
  const columns = table.columns.slice(1).filter((name) => !name.endsWith("_sd") && !name.startsWith("sd_"));
  const points = table.rows.flatMap((row, s) => columns.map((name) => ({state: s, name, value: Number(row[column(table, name)])})));
  return Plot.plot({
    ...kb.axes, width, height: 60 * columns.length + 30, marginLeft: 90, marginRight: 20, fy: {label: null, domain: columns}, x: {axis: null, domain: [-0.1, 1.1]}, y: {axis: null},
    marks: columns.flatMap((name) => {
      const own = points.filter((p) => p.name === name);
      const [low, high] = d3.extent(own, (p) => p.value);
      const place = (p) => (high > low ? (p.value - low) / (high - low) : 0.5);
      return [Plot.ruleY([0], {fy: () => name, stroke: "var(--rule)"}),
        Plot.dot(own, {fy: "name", x: place, y: () => 0, r: 6, fill: (p) => kb.colour.chain(p.state)}),
        Plot.text(own, {fy: "name", x: place, y: () => 0, dy: -14, text: (p) => `${names[p.state]}: ${kb.number(p.value)}`, fontSize: 10})];
    }),
  });
}

function wordTable(place, name, label, table) {
  kb.table(place, {name, label, rows: table.rows.length, search: (r) => table.rows[r].join(" "),
    columns: table.columns.map((title, c) => ({title, number: c > 0, value: (r) => (c > 0 ? Number(table.rows[r][c]) : table.rows[r][c]), cell: (r) => (c > 0 ? kb.number(table.rows[r][c], 4) : table.rows[r][c])}))});
}

kullback.section("states", {
  draw(place, data) {
    place.append(kb.words(`${kb.count(data.names.length, "hidden state")}.`), kb.legend(data.names.map((name, s) => ({label: `state ${name}`, colour: kb.colour.chain(s)}))));
    if (data.path) kb.figure(place, {name: "path", title: "Which state, row by row", alt: `The probability of each state at the first ${data.path.state.length} rows, given all of their sequence.`, draw: (width) => path(width, data)});
    kb.figure(place, {name: "transitions", title: "How states follow each other", alt: "The probability to go from the state of a row to that of a column.", draw: (width) => transitions(width, data)});
    if (data.emissions && data.emitted !== "emissions" && data.emissions.columns.length <= 21)
      kb.figure(place, {name: "emitted", title: data.emitted === "rates" ? "Mean rates" : "Means", alt: "What each state emits on average; each column of the data has its own scale.", draw: (width) => means(width, data.emissions, data.names)});
    else if (data.emissions) wordTable(place, "emissions", "what states emit", data.emissions);
    wordTable(place, "states", "states", data.summary);
  },
});
