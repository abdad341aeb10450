// Blocks and supports of a model's coordinates.
#pragma once

#include <vector>

#include "density/log_density.hpp"

namespace kullback::tape {
struct FreeBlock;
}

namespace kullback::model {

struct Layout {
  std::vector<density::Block> blocks;
  std::vector<density::Support> supports;  // one for each coordinate
};

void append(const tape::FreeBlock& block, Layout& layout);
Layout make_layout(const std::vector<tape::FreeBlock>& blocks);

}  // namespace kullback::model
