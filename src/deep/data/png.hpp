// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kullback::deep {

struct Picture {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 1;              // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> levels = {};  // [height, width, channels]

  Picture(std::int64_t w, std::int64_t h, std::int64_t c, std::uint8_t level)
      : width(w), height(h), channels(c), levels(static_cast<std::size_t>(w * h * c), level) {}
  std::uint8_t& at(std::int64_t x, std::int64_t y, std::int64_t channel) {
    return levels[static_cast<std::size_t>((y * width + x) * channels + channel)];
  }
};

std::string png_bytes(const Picture& picture);

}  // namespace kullback::deep
