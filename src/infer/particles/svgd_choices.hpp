// What can be chosen of Stein variational gradient descent; svgd.cpp has the options.
#pragma once

namespace kullback::infer {

enum class SvgdKernel : unsigned char { imq, rbf };
enum class SvgdVariant : unsigned char { natural, plain, mirrored };
enum class SvgdOptimizer : unsigned char { adagrad, coin };
enum class SvgdStart : unsigned char { path, spread };

}  // namespace kullback::infer
