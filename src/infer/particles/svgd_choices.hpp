// What can be chosen of Stein variational gradient descent; the texts of options are in
// infer/option_text.cpp.
#pragma once

namespace kullback::infer {

enum class SvgdKernel : unsigned char { imq, rbf };
enum class SvgdVariant : unsigned char { natural, plain, mirrored };
enum class SvgdOptimizer : unsigned char { adagrad, coin };
enum class SvgdStart : unsigned char { path, spread };

}  // namespace kullback::infer
