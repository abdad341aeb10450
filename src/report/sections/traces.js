const {plots} = kb;

function drawOne(place, page, name) {
  const {draws} = page;
  const i = draws.find(name);
  if (i < 0) return;
  if (!draws.has(i)) {
    place.append(
      kb.words(
        `The draws of ${name} are not on this page, which has room for some thousand; they are in the chain-*.csv of the result.`,
        "small",
      ),
    );
    return;
  }
  const row = kb.el("div", {class: "two"});
  place.append(row);
  kb.figure(row, {
    name: `trace-${i}`,
    title: name,
    alt: `${name} draw after draw, a line for each chain: lines that cannot be told apart are as they should be.`,
    draw: (width) => plots.trace(width, draws, i),
  });
  kb.figure(row, {
    name: `ranks-${i}`,
    title: `Ranks of ${name}`,
    alt: `How often each chain is in each twentieth of all draws in order, relative to chains that agree (dashed).`,
    draw: (width) => plots.ranks(width, draws, i),
  });
}

kullback.section("traces", {
  draw(place, data, page) {
    if (!page.draws) return;
    kb.selectionBar(place, page);
    place.append(kb.chainLegend(page.draws));
    const body = kb.el("div");
    place.append(body);
    const show = (names) => {
      body.replaceChildren();
      for (const name of names) drawOne(body, page, name);
    };
    show(page.selection.names);
    page.selection.on(show);
    const sizes = data.chains.filter((chain) => chain.step_size !== undefined).map((chain) => kb.number(chain.step_size));
    if (sizes.length) place.append(kb.words(`Step sizes after warm-up: ${sizes.join(", ")}.`, "small"));
    if (page.draws.every > 1)
      place.append(
        kb.words(
          `Every ${page.draws.every}th draw of each chain is on this page; tables, densities and checks are of all.`,
          "small",
        ),
      );
  },
});
