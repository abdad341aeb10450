kullback.section("bound", {
  draw(place, data) {
    const last = data.bound.findLast((value) => value !== null);
    const known = data.error?.some((value) => value !== null);
    const end = data.elbo
      ? ` At the end the ELBO is ${kb.number(data.elbo, 5)}${data.elbo_error ? ` with a standard error of ${kb.number(data.elbo_error, 2)}` : ""}.`
      : "";
    kb.figure(place, {
      name: "bound",
      title: `The bound${data.objective ? ` (${data.objective})` : ""}`,
      alt: `The bound over ${data.step}; it ends at ${kb.number(last, 5)}.${known ? " The shade is twice its standard error, where that is known." : ""}${end} Early steps may lie below the picture.`,
      draw: (width) => kb.plots.bound(width, data),
    });
  },
});
