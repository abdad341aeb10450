// What a generative model draws.
kullback.section("generated", {
  draw(place, data) {
    kb.pictures(place, data.pictures);
  },
});
