// A table that sorts, searches and pages, so that ten thousand rows are as quick as ten.
// {name, columns: [{title, key, number, value(i), cell(i)}], rows, search(i), chosen(i), choose(i), label}. `rows` is their
// number; `value` sorts, `cell` shows (a node or text), `search` is the text that a search looks at.
kb.table = (place, {name, columns, rows, search, chosen, choose, label, pageSize = 25}) => {
  let order = Array.from({length: rows}, (_, i) => i);
  let shown = order;
  let sorted = null;
  let falling = false;
  let first = 0;
  let size = pageSize;

  const body = kb.el("tbody");
  const heads = columns.map((column, c) =>
    kb.el(
      "th",
      {
        scope: "col",
        class: [column.number ? "number" : null, column.className].filter(Boolean).join(" ") || null,
        "aria-sort": column.value ? "none" : null,
      },
      column.value ? kb.el("button", {type: "button", title: column.help, onclick: () => sortBy(c)}, column.title) : column.title,
    ),
  );
  const table = kb.el("table", {"data-table": name, "aria-label": label}, kb.el("thead", {}, kb.el("tr", {}, heads)), body);
  const status = kb.el("span", {role: "status", "aria-live": "polite"});
  const back = kb.el("button", {type: "button", onclick: () => turn(-1)}, "← Previous");
  const on = kb.el("button", {type: "button", onclick: () => turn(1)}, "Next →");
  const field = kb.el("input", {
    type: "search",
    placeholder: "search",
    "aria-label": `Search ${label}`,
    oninput: () => find(field.value),
  });

  const row = (i) => {
    const cells = columns.map((column) =>
      kb.el(
        "td",
        {
          class:
            [column.number ? "number" : null, column.className, column.level?.(i) ? `is-${column.level(i)}` : null]
              .filter(Boolean)
              .join(" ") || null,
        },
        column.cell(i),
      ),
    );
    const made = kb.el("tr", {"data-row": i, class: choose ? "choosable" : null}, cells);
    if (choose)
      made.addEventListener(
        "click",
        (event) => event.target.closest("input") || choose(i, event.ctrlKey || event.metaKey || event.shiftKey),
      );
    return made;
  };
  const draw = () => {
    const last = Math.min(first + size, shown.length);
    body.replaceChildren(...shown.slice(first, last).map(row));
    status.textContent =
      shown.length === 0 ? "none found" : `${kb.number(first + 1)}–${kb.number(last)} of ${kb.number(shown.length)}`;
    back.disabled = first === 0;
    on.disabled = last === shown.length;
    mark();
  };
  const mark = () => {
    if (!chosen) return;
    for (const made of body.children) {
      const is = chosen(Number(made.dataset.row));
      made.classList.toggle("chosen", is);
      const tick = made.querySelector("input[type=checkbox]");
      if (tick) tick.checked = is;
    }
  };
  const turn = (by) => {
    first = Math.max(0, first + by * size);
    draw();
  };
  const apply = () => {
    const text = field.value.trim().toLowerCase();
    shown = text ? order.filter((i) => search(i).toLowerCase().includes(text)) : order;
    first = 0;
    draw();
  };
  const find = apply;
  // Missing values stay at the end, whichever way.
  const sortBy = (c) => {
    falling = sorted === c ? !falling : Boolean(columns[c].number);
    sorted = c;
    const value = columns[c].value;
    const keys = Array.from({length: rows}, (_, i) => value(i));
    const isMissing = (key) => key === null || key === undefined || (typeof key === "number" && Number.isNaN(key));
    order = Array.from({length: rows}, (_, i) => i).sort((a, b) => {
      if (isMissing(keys[a]) || isMissing(keys[b])) return isMissing(keys[a]) - isMissing(keys[b]) || a - b;
      const way = typeof keys[a] === "string" ? keys[a].localeCompare(keys[b], "en", {numeric: true}) : keys[a] - keys[b];
      return (falling ? -way : way) || a - b;
    });
    heads.forEach(
      (head, k) => columns[k].value && head.setAttribute("aria-sort", k === c ? (falling ? "descending" : "ascending") : "none"),
    );
    apply();
  };

  const controls = kb.el(
    "div",
    {class: "bar controls"},
    search && rows > 10 ? field : null,
    rows > size ? [back, on] : null,
    status,
  );
  place.append(controls, kb.el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label}, table));
  const printed = 200; // rows
  kb.onPrint(
    () => {
      size = Math.max(pageSize, printed);
      first = 0;
      draw();
    },
    () => {
      size = pageSize;
      draw();
    },
  );
  draw();
  return {mark, sortBy, table};
};
