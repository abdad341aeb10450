const meaning = {
  met: "Every mean and standard deviation is within the tolerance, as far as the witnesses can tell.",
  "not met": "Some mean or standard deviation is further from the posterior's than the tolerance.",
  "cannot tell": "The witnesses cannot tell whether the errors are within the tolerance.",
};
const witnessNames = {importance: "importance weights", chains: "chains"};

// One line for each moment of each parameter by each witness.
function intervals(data) {
  return data.parameters.flatMap((parameter) =>
    ["location", "scale"].flatMap((moment) =>
      ["importance", "chains"].flatMap((witness) => {
        const error = parameter[`${moment}_${witness}`];
        return error
          ? [
              {
                name: parameter.name,
                moment: moment === "location" ? "error of the mean, in sd" : "error of the sd, log scale",
                witness,
                ...error,
              },
            ]
          : [];
      }),
    ),
  );
}

function draw(width, data, rows) {
  const names = data.parameters.map(({name}) => name);
  const both = new Set(rows.map(({witness}) => witness)).size > 1;
  const reach =
    1.15 *
    Math.max(
      data.tolerance,
      d3.max(rows, (row) => Math.max(Math.abs(row.low), Math.abs(row.high))),
    );
  const colour = (row) =>
    Math.min(Math.abs(row.low), Math.abs(row.high)) > data.tolerance && row.low * row.high > 0
      ? kb.colour.bad
      : kb.colour.chain(both && row.witness === "chains" ? 1 : 0);
  const shift = (witness) => (both ? (witness === "chains" ? 3.5 : -3.5) : 0);
  const label = (row) =>
    `${row.name}, ${witnessNames[row.witness]}: ${kb.number(row.estimate)} (${kb.number(row.low)} to ${kb.number(row.high)})`;
  return Plot.plot({
    ...kb.axes,
    width,
    height: 60 + names.length * (both ? 22 : 18),
    marginLeft: Math.min(150, 20 + 7 * d3.max(names, (name) => name.length)),
    marginRight: 12,
    marginTop: 24,
    marginBottom: 30,
    fx: {label: null, padding: 0.08},
    x: {label: null, domain: [-reach, reach], ticks: 5},
    y: {label: null, domain: names},
    marks: [
      Plot.rect([{}], {x1: -data.tolerance, x2: data.tolerance, fill: kb.colour.good, fillOpacity: 0.1}),
      Plot.ruleX([-data.tolerance, data.tolerance], {stroke: kb.colour.good, strokeOpacity: 0.6, strokeDasharray: "3 3"}),
      Plot.ruleX([0], {stroke: kb.colour.rule}),
      ...["importance", "chains"].flatMap((witness) => {
        const own = rows.filter((row) => row.witness === witness);
        return [
          Plot.ruleY(own, {fx: "moment", y: "name", x1: "low", x2: "high", stroke: colour, strokeWidth: 2.2, dy: shift(witness)}),
          Plot.dot(own, {fx: "moment", y: "name", x: "estimate", r: 2.6, fill: colour, dy: shift(witness), title: label}),
        ];
      }),
    ],
  });
}

function picture(place, data, rows) {
  const worst = rows.reduce((a, b) =>
    Math.max(Math.abs(b.low), Math.abs(b.high)) > Math.max(Math.abs(a.low), Math.abs(a.high)) ? b : a,
  );
  const witnesses = [...new Set(rows.map(({witness}) => witness))];
  const left = data.judged - data.parameters.length;
  if (witnesses.length > 1)
    place.append(
      kb.legend(
        witnesses.map((witness) => ({label: witnessNames[witness], colour: kb.colour.chain(witness === "chains" ? 1 : 0)})),
      ),
    );
  kb.figure(place, {
    name: "errors",
    title: "Errors, given minus true",
    alt:
      `Estimated errors with their intervals; the band is the tolerance of ${kb.number(data.tolerance)}. The widest interval is that of ${worst.name}: ${worst.moment}, ${kb.number(worst.low)} to ${kb.number(worst.high)}.` +
      (left > 0 ? ` The ${data.parameters.length} parameters with the largest errors, of ${kb.number(data.judged)}.` : ""),
    draw: (width) => draw(width, data, rows),
  });
}

kullback.section("certificate", {
  draw(place, data) {
    if (data.verdict === "none") {
      place.append(
        kb.el("div", {class: "card is-plain"}, kb.words(data.why), data.advice ? kb.words(data.advice, "todo") : null),
      );
      return;
    }
    const level = kb.verdictLevel[data.verdict] ?? "plain";
    const of = data.certified === "chains" ? "the chains" : `${data.certified} draws`;
    const card = kb.el(
      "div",
      {class: `card is-${level}`, "data-verdict": data.verdict},
      kb.el("h4", {}, kb.verdict(level, `Tolerance ${kb.number(data.tolerance)}: ${data.verdict}`)),
      kb.words(`${meaning[data.verdict] ?? ""} Judged were ${kb.count(data.judged, "parameter")} of ${of}.`),
      data.reasons.map((reason) => kb.words(reason)),
      data.advice ? kb.words(data.advice, "todo") : null,
    );
    place.append(card);
    const rows = intervals(data).filter((row) => row.low !== null && row.high !== null);
    if (rows.length) picture(card, data, rows);
    for (const note of data.notes) card.append(kb.words(note, "small"));
    card.append(kb.words(data.not_proved, "small"));
  },
});
