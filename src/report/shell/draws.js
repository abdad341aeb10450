// The draws of the page, unpacked when they are asked for, and the names that the reader has chosen.
const mostChosen = 4;

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function unpacked(column) {
  if (column.f32 !== undefined) {
    const view = new DataView(bytesOf(column.f32).buffer);
    return Float64Array.from({length: view.byteLength / 4}, (_, i) => view.getFloat32(4 * i, true));
  }
  const view = new DataView(bytesOf(column.u16).buffer);
  const step = (column.high - column.low) / 65535;
  return Float64Array.from({length: view.byteLength / 2}, (_, i) => column.low + step * view.getUint16(2 * i, true));
}

kb.Draws = class {
  constructor(json) {
    Object.assign(this, {
      names: json.names,
      chains: json.chains,
      drawn: json.drawn,
      kept: json.kept,
      every: json.every,
      markov: json.markov,
    });
    this.total = json.chains * json.kept;
    this.weights = json.weights ? Float64Array.from(json.weights) : null;
    this.divergent = new Set(json.divergent);
    this.packed = new Map(json.columns.map((column) => [column.row, column]));
    this.cache = new Map();
    this.index = new Map(json.names.map((name, i) => [name, i]));
  }

  find(name) {
    return this.index.get(name) ?? -1;
  }

  has(i) {
    return this.packed.has(i);
  }

  // All that is kept, divergent draws between the others at the end; null where the column was left out.
  all(i) {
    if (!this.packed.has(i)) return null;
    if (!this.cache.has(i)) this.cache.set(i, unpacked(this.packed.get(i)));
    return this.cache.get(i);
  }

  // The evenly thinned draws, chain after chain.
  column(i) {
    return this.all(i)?.subarray(0, this.total) ?? null;
  }

  chain(i, c) {
    return this.all(i)?.subarray(c * this.kept, (c + 1) * this.kept) ?? null;
  }

  // Indices of at most `count` draws that count alike: evenly taken, or by their weights.
  some(count) {
    if (!this.weights) {
      const step = Math.max(1, Math.ceil(this.total / count));
      return Array.from({length: Math.ceil(this.total / step)}, (_, k) => k * step);
    }
    const chosen = [];
    let sum = 0;
    for (let i = 0; i < this.total; ++i) sum += this.weights[i];
    for (let i = 0, below = 0, k = 0; i < this.total; ++i) {
      below += this.weights[i] / sum;
      if (below >= (k + 0.5) / count) chosen.push(i);
      while (below >= (k + 0.5) / count) ++k;
    }
    return chosen;
  }
};

kb.Selection = class {
  constructor(names) {
    this.names = names;
    this.calls = [];
  }

  on(call) {
    this.calls.push(call);
  }

  set(names) {
    this.names = names.slice(0, mostChosen);
    for (const call of this.calls) call(this.names);
  }

  has(name) {
    return this.names.includes(name);
  }

  // One more pushes the first out.
  toggle(name) {
    this.set(this.has(name) ? this.names.filter((other) => other !== name) : [...this.names, name].slice(-mostChosen));
  }
};

// What is chosen, as chips, and a field to add to it.
kb.selectionBar = (place, page) => {
  const bar = kb.el("div", {class: "bar controls", role: "group", "aria-label": "Quantities shown"});
  const refresh = () => {
    const field = kb.el("input", {
      class: "pick",
      type: "text",
      list: "quantities",
      placeholder: "add a quantity",
      "aria-label": "Add a quantity to the plots",
    });
    field.addEventListener("change", () => {
      if (page.draws.find(field.value) >= 0 && !page.selection.has(field.value)) page.selection.toggle(field.value);
    });
    const chips = page.selection.names.map((name) =>
      kb.el(
        "span",
        {class: "chip"},
        name,
        kb.el("button", {type: "button", "aria-label": `Remove ${name}`, onclick: () => page.selection.toggle(name)}, "×"),
      ),
    );
    bar.replaceChildren("Shown:", ...chips, field);
  };
  refresh();
  page.selection.on(refresh);
  place.append(bar);
};
