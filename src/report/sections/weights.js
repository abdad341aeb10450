kullback.section("weights", {
  draw(place, data) {
    const khat = data.khat ? ` Pareto k-hat is ${data.khat}; below 0.7 weights can repair what the draws miss.` : "";
    kb.figure(place, {
      name: "weights",
      title: "Weights of the draws, p / q",
      alt: `Shares in all weight, the heaviest draw first; the dashed line is where all draws count alike. ${kb.number(data.draws)} draws are worth ${kb.number(data.ess)}; the heaviest has ${kb.number(100 * data.largest, 2)} % of the weight.${khat}`,
      draw: (width) => kb.plots.weights(width, data),
    });
    place.append(
      kb.words(
        data.used
          ? "The table and all plots use these weights."
          : "The table and all plots count draws alike: these weights only judge them.",
        "small",
      ),
    );
  },
});
