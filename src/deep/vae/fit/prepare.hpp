// What the data decide about a model: its shape, its decoder, how columns are scaled.
#pragma once

#include <string>

#include "deep/data/rows.hpp"
#include "deep/vae/fit/model.hpp"

namespace kullback::deep {

// Fills in `model`. `train`: int64, the rows to learn scales from. decoder "auto": bernoulli for images and
// columns of 0 and 1, else gaussian. Throws Error bad_input for rows that the decoder cannot explain.
void fit_model_to_rows(VaeModel& model, const RawRows& rows, const torch::Tensor& train, bool is_conditional,
                       const GivenTexts& decoder_options, const RowsRequest& request);

// Throws Error bad_input where rows are not those of the model.
void check_rows(const VaeModel& model, const RawRows& rows, const std::string& file);

}  // namespace kullback::deep
