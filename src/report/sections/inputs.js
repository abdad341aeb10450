kullback.section("inputs", {
  draw(place, data) {
    if (data.data.length) {
      const shape = ({dims}) => (dims.length ? dims.map((size) => kb.number(size)).join(" × ") : "one number");
      kb.table(place, {
        name: "data",
        label: "data",
        rows: data.data.length,
        search: (i) => data.data[i].name,
        columns: [
          {title: "data", value: (i) => data.data[i].name, cell: (i) => kb.el("span", {class: "mono"}, data.data[i].name)},
          {title: "type", value: (i) => data.data[i].type, cell: (i) => data.data[i].type},
          {title: "shape", value: (i) => data.data[i].dims.reduce((a, b) => a * b, 1), cell: (i) => shape(data.data[i])},
        ],
      });
      place.append(kb.el("p"));
    }
    place.append(kb.pairs(data.account));
    if (data.facts.length) place.append(kb.el("h4", {class: "small"}, "What the method says of its run"), kb.pairs(data.facts));
    if (data.command)
      place.append(
        kb.words("To repeat it:", "small"),
        kb.el(
          "pre",
          {id: "command", tabindex: "0", "aria-label": "Command that repeats the fit"},
          kb.el("code", {}, data.command),
        ),
      );
    if (data.options.length)
      place.append(kb.el("details", {}, kb.el("summary", {class: "small"}, "All options"), kb.pairs(data.options)));
  },
});
