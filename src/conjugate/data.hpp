// What conjugate models see of the module data, under the names they use.
#pragma once

#include "data/batch.hpp"
#include "data/source.hpp"

namespace kullback::conjugate {

using data::Batch;
using data::Buffer;
using data::DataKind;
using data::Margin;
using data::open_source;
using data::Shape;
using data::Source;
using data::SourceRequest;

}  // namespace kullback::conjugate
