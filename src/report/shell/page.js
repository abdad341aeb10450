// Puts the page together from its data; kullback.show(data) does it again with newer ones.
class Page {
  constructor(data, chosen) {
    this.data = data;
    this.kind = data.kind;
    this.draws = data.draws ? new kb.Draws(data.draws) : null;
    const known = (chosen ?? []).filter((name) => this.draws && this.draws.find(name) >= 0);
    this.selection = new kb.Selection(known.length ? known : this.firstNames());
    this.errors = 0;
  }

  // The JSON of another section; null where this result has none.
  of(name) {
    return this.data.sections.find((section) => section.name === name)?.data ?? null;
  }

  firstNames() {
    const start = this.of("pairs")?.start ?? this.data.draws?.names.filter((name) => name !== "lp__") ?? [];
    return start.slice(0, 3);
  }
}

const verdictLevel = {met: "good", "not met": "bad", "cannot tell": "caution"};

// What the head of the page says of trust.
function verdicts(page) {
  const found = [];
  const certificate = page.of("certificate");
  if (certificate && certificate.verdict !== "none")
    found.push(
      kb.verdict(
        verdictLevel[certificate.verdict] ?? "plain",
        `Tolerance ${kb.number(certificate.tolerance)} ${certificate.verdict}`,
      ),
    );
  const checks = page.of("checks")?.checks ?? [];
  const count = (level) => checks.filter((check) => check.level === level).length;
  if (count("bad")) found.push(kb.verdict("bad", kb.count(count("bad"), "problem")));
  if (count("caution")) found.push(kb.verdict("caution", kb.count(count("caution"), "caution")));
  if (checks.length && !count("bad") && !count("caution")) found.push(kb.verdict("good", "All checks passed"));
  if (page.data.status && page.data.status !== "complete") found.push(kb.verdict("caution", `The run is ${page.data.status}`));
  return found;
}

function head(page) {
  const button = kb.el("button", {type: "button", class: "theme", id: "theme", onclick: () => turnTheme(button)}, "");
  nameTheme(button);
  document
    .getElementById("head")
    .replaceChildren(
      kb.el("div", {class: "kind"}, page.kind),
      button,
      kb.el("h1", {}, page.data.title),
      kb.el("div", {class: "verdicts"}, verdicts(page)),
    );
  const made = page.data.made_by ? `Made by ${page.data.made_by}, from the files of the result alone. ` : "";
  document
    .getElementById("foot")
    .replaceChildren(made, "Plots by Observable Plot and D3 (ISC licences, in the source of this page).");
}

const isDark = () =>
  (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const nameTheme = (button) => {
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
};

function turnTheme(button) {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  nameTheme(button);
  try {
    localStorage.setItem("kullback-theme", theme);
  } catch {
    /* a page from a file may have no storage: the choice lasts as long as the page */
  }
}

function rememberedTheme() {
  try {
    const theme = localStorage.getItem("kullback-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    /* as above */
  }
}

function contents(chapters) {
  const item = ({name, title, sections}) =>
    kb.el(
      "li",
      {},
      kb.el("a", {href: `#chapter-${name}`}, title),
      sections.length > 1
        ? kb.el(
            "ul",
            {},
            sections.map((section) => kb.el("li", {}, kb.el("a", {href: `#section-${section.name}`}, section.title))),
          )
        : null,
    );
  document.getElementById("contents").replaceChildren(kb.el("ul", {}, chapters.map(item)));
}

function drawSection(section, place, page) {
  const parts = kullback.find(section.name);
  try {
    parts.draw(place, section.data, page);
  } catch (error) {
    ++page.errors;
    console.error(`section ${section.name}:`, error);
    place.replaceChildren(kb.words(`This part could not be drawn: ${error.message}`, "missing"));
  }
}

function chapterElement({name, title, sections}) {
  const made = sections.map((section) =>
    kb.el(
      "section",
      {
        id: `section-${section.name}`,
        "data-section": section.name,
        class: sections.length === 1 ? "alone" : null,
        "aria-labelledby": `title-${section.name}`,
      },
      kb.el("h3", {id: `title-${section.name}`}, section.title),
      kb.el("div", {class: "body"}),
    ),
  );
  return kb.el(
    "section",
    {class: "chapter", id: `chapter-${name}`, "data-chapter": name, "aria-labelledby": `chapter-title-${name}`},
    kb.el("h2", {id: `chapter-title-${name}`}, title),
    made,
  );
}

function openFolded() {
  for (const closed of document.querySelectorAll("details:not([open])")) {
    closed.open = true;
    closed.dataset.printed = "true";
  }
}

function closeFolded() {
  for (const opened of document.querySelectorAll("details[data-printed]")) {
    opened.open = false;
    delete opened.dataset.printed;
  }
}

kullback.show = (data) => {
  kb.forgetFigures();
  kb.forgetPrinting();
  kb.onPrint(openFolded, closeFolded);
  const page = new Page(data, kullback.page?.selection.names);
  const chapters = data.chapters
    .map((chapter) => ({...chapter, sections: data.sections.filter((section) => section.chapter === chapter.name)}))
    .filter((chapter) => chapter.sections.length);
  head(page);
  contents(chapters);
  const main = document.getElementById("main");
  main.replaceChildren(...chapters.map(chapterElement));
  if (data.missing.length) main.firstElementChild?.append(...data.missing.map((sentence) => kb.words(sentence, "missing")));
  if (page.draws)
    main.append(
      kb.el(
        "datalist",
        {id: "quantities"},
        page.draws.names.slice(0, 2000).map((name) => kb.el("option", {value: name})),
      ),
    );
  for (const section of data.sections) drawSection(section, main.querySelector(`#section-${section.name} > .body`), page);
  kullback.page = page;
  document.documentElement.dataset.errors = String(page.errors);
  document.documentElement.dataset.ready = "true";
};

kullback.start = () => {
  rememberedTheme();
  kullback.show(JSON.parse(document.getElementById("kullback-data").textContent));
};
kb.verdictLevel = verdictLevel;
