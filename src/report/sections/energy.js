kullback.section("energy", {
  draw(place, data) {
    const row = kb.el("div", {class: "two"});
    place.append(
      kb.legend([
        {label: "energy of the draws", colour: kb.colour.chain(0)},
        {label: "its change from draw to draw", colour: kb.colour.chain(1)},
      ]),
      row,
    );
    kb.figure(row, {
      name: "energy",
      title: "Energy",
      alt: `Energies of the draws and their changes from draw to draw: of similar width where chains reach the tails. E-BFMI by chain: ${data.e_bfmi.map((value) => kb.number(value, 2)).join(", ")}; from 0.3 on is well.`,
      draw: (width) => kb.plots.energy(width, data),
    });
    if (data.depths.length)
      kb.figure(row, {
        name: "depths",
        title: "Lengths of trajectories",
        alt: `Trajectories by their number of doublings; the longest took ${data.depths.length - 1}.`,
        draw: (width) => kb.plots.depths(width, data.depths),
      });
    if (data.acceptance.length)
      place.append(
        kb.words(`Mean acceptance by chain: ${data.acceptance.map((value) => kb.number(value, 2)).join(", ")}.`, "small"),
      );
  },
});
