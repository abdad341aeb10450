// Dense linear algebra by properties (products of factors give the matrix back), exact small cases, and the
// textbook's sums, for matrices stored by columns and by rows.
#include "math/linear_algebra.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "base/random.hpp"

namespace kullback::math::linear {
namespace {

const std::vector<std::size_t> kSizes{1, 2, 3, 5, 6, 9, 17, 40, 130};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A matrix in a storage of either kind, inside a larger one whose other numbers must stay as they are.
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t cols, Storage storage = Storage::columns)
      : rows_(rows), cols_(cols), storage_(storage), numbers_((rows + 2) * (cols + 2), kOther) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) (*this)(i, j) = 0;
    }
  }

  double& operator()(std::size_t i, std::size_t j) { return numbers_[place(i, j)]; }
  double operator()(std::size_t i, std::size_t j) const { return numbers_[place(i, j)]; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  View view() {
    View view(numbers_.data(), rows_, cols_);
    view.stride = stride();
    view.storage = storage_;
    return view;
  }
  ConstView view() const { return const_cast<Matrix*>(this)->view(); }

  bool keeps_its_surroundings() const {
    std::size_t others = 0;
    for (const double number : numbers_) others += number == kOther ? 1 : 0;
    return others == numbers_.size() - rows_ * cols_;
  }
  Matrix stored(Storage storage) const {
    Matrix result(rows_, cols_, storage);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) result(i, j) = (*this)(i, j);
    }
    return result;
  }

 private:
  static constexpr double kOther = -12345.678;
  std::size_t stride() const { return (storage_ == Storage::rows ? cols_ : rows_) + 2; }
  std::size_t place(std::size_t i, std::size_t j) const {
    return storage_ == Storage::rows ? i * stride() + j : j * stride() + i;
  }

  std::size_t rows_, cols_;
  Storage storage_;
  std::vector<double> numbers_;
};

Matrix random_matrix(std::size_t rows, std::size_t cols) {
  Random random(7, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
  Matrix a(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) a(i, j) = random.normal();
  }
  return a;
}

Matrix transposed(const Matrix& a) {
  Matrix result(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      for (std::size_t k = 0; k < a.cols(); ++k) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

Matrix identity(std::size_t n) {
  Matrix result(n, n);
  for (std::size_t i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

Matrix diagonal(const std::vector<double>& values) {
  Matrix result(values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result(i, i) = values[i];
  return result;
}

// Well conditioned: eigenvalues between 1 and about 5.
Matrix positive_definite(std::size_t n) {
  const Matrix b = random_matrix(n, n);
  Matrix a = b * transposed(b);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a(i, j) = a(i, j) / static_cast<double>(n) + (i == j ? 1 : 0);
  }
  return a;
}

Matrix with_nan_above(Matrix a) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = i + 1; j < a.cols(); ++j) a(i, j) = std::nan("");
  }
  return a;
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      ASSERT_NEAR(a(i, j), b(i, j), tolerance) << i << ", " << j << " of " << a.rows();
    }
  }
}

// l_ij = (a_ij - l_i0 l_j0 - l_i1 l_j1 - ...) / l_jj, one after another.
Matrix textbook_factor(const Matrix& a) {
  Matrix l(a.rows(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  }
  return l;
}

Matrix factor_of(const Matrix& a) {
  Matrix lower(a.rows(), a.rows());
  EXPECT_TRUE(cholesky(a.view(), lower.view()));
  return lower;
}

const std::vector<Storage> kStorages{Storage::columns, Storage::rows};

void for_all(const std::function<void(std::size_t, Storage, Storage)>& check) {
  for (const std::size_t n : kSizes) {
    for (const Storage of : kStorages) {
      for (const Storage to : kStorages) check(n, of, to);
    }
  }
}

TEST(Cholesky, GivesTheMatrixBackAndZerosAbove) {
  for_all([](std::size_t n, Storage of, Storage to) {
    const Matrix a = positive_definite(n);
    const Matrix read = with_nan_above(a).stored(of);
    Matrix lower(n, n, to);
    ASSERT_TRUE(cholesky(read.view(), lower.view()));
    expect_near(lower * transposed(lower), a, 1e-13 * static_cast<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) ASSERT_EQ(lower(i, j), 0);
    }
    EXPECT_TRUE(lower.keeps_its_surroundings());
    Matrix in_place = with_nan_above(a).stored(to);
    ASSERT_TRUE(cholesky(in_place.view(), in_place.view()));
    expect_near(in_place, lower, 0);
    Matrix pivots = with_nan_above(a).stored(to);
    EXPECT_EQ(cholesky_pivots(pivots.view()), n);
    expect_near(pivots, lower, 1e-13);
    EXPECT_TRUE(pivots.keeps_its_surroundings());
  });
}

TEST(Cholesky, ByRowsAddsInTheOrderOfTheTextbook) {
  for (const std::size_t n : kSizes) {
    const Matrix a = positive_definite(n);
    const Matrix expected = textbook_factor(a);
    Matrix lower = a.stored(Storage::rows);
    ASSERT_TRUE(cholesky(lower.view(), lower.view()));
    expect_near(lower, expected, 0);
    Matrix columns = a;
    ASSERT_EQ(cholesky_pivots(columns.view()), n);
    expect_near(columns, expected, 0);
  }
}

TEST(Cholesky, BlocksOfLargeFactorsByRows) {
  constexpr std::size_t kLarge = 600;
  const Matrix a = positive_definite(kLarge);
  Matrix lower(kLarge, kLarge, Storage::rows);
  ASSERT_TRUE(cholesky(a.view(), lower.view()));
  expect_near(lower, textbook_factor(a), 1e-12);
}

TEST(Cholesky, RefusesWhatIsNotPositiveAndFinite) {
  for_all([](std::size_t n, Storage of, Storage to) {
    for (const double wrong : {0.0, -1.0, std::nan(""), kInfinity, -kInfinity}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        Matrix a = identity(n).stored(of);
        a(at, at) = wrong;
        Matrix lower(n, n, to);
        EXPECT_FALSE(cholesky(a.view(), lower.view())) << wrong << " at " << at << " of " << n;
        EXPECT_FALSE(cholesky(a.view(), a.view()));
      }
      if (n == 1 || wrong == 0) continue;
      Matrix a = identity(n).stored(of);
      a(n - 1, 0) = wrong;  // correlation 1, or no number
      Matrix lower(n, n, to);
      EXPECT_FALSE(cholesky(a.view(), lower.view())) << wrong << " below, of " << n;
    }
  });
}

TEST(Cholesky, TellsWhichPivotIsNotPositive) {
  for (const Storage storage : kStorages) {
    for (const std::size_t n : {std::size_t{4}, std::size_t{12}}) {
      Matrix a = identity(n).stored(storage);
      a(2, 2) = 4;
      a(3, 2) = 6;  // the last pivot of this block: 1 - 9
      EXPECT_EQ(cholesky_pivots(a.view()), 3u);
      EXPECT_EQ(a(3, 3), -8);
      EXPECT_EQ(a(2, 2), 2);
    }
  }
}

TEST(Cholesky, UpdateIsTheFactorOfTheUpdatedMatrix) {
  for (const std::size_t n : kSizes) {
    for (const Storage storage : kStorages) {
      const Matrix a = positive_definite(n), v = random_matrix(n, 1);
      Matrix lower = factor_of(a).stored(storage);
      std::vector<double> used(n);
      for (std::size_t i = 0; i < n; ++i) used[i] = v(i, 0);
      update_cholesky(lower.view(), used);
      Matrix grown = v * transposed(v);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) grown(i, j) += a(i, j);
      }
      expect_near(lower, factor_of(grown), 1e-12);
      EXPECT_TRUE(lower.keeps_its_surroundings());
    }
  }
}

// L = [2 0; 1 3], v = (1.5, -1): the rotation by cos 0.8, sin 0.6 gives the column (2.5, 0.2) and leaves
// -1.4.
TEST(Cholesky, UpdateByHand) {
  std::vector<double> lower{2, 0, 1, 3}, v{1.5, -1};
  update_cholesky(View::by_rows(lower.data(), 2, 2), v);
  EXPECT_NEAR(lower[0], 2.5, 1e-15);
  EXPECT_NEAR(lower[2], 0.2, 1e-15);
  EXPECT_NEAR(lower[3], std::sqrt(9 + 1.4 * 1.4), 1e-15);
}

TEST(Cholesky, SolvesInvertsAndHasTheDeterminant) {
  for_all([](std::size_t n, Storage of, Storage to) {
    const Matrix a = positive_definite(n);
    const Matrix l = factor_of(a);
    const Matrix lower = with_nan_above(l).stored(of);  // nothing reads it there
    const Matrix b = random_matrix(n, 3);
    Matrix x = b.stored(to);
    solve_lower(lower.view(), x.view());
    expect_near(l * x, b, 1e-12);
    x = b.stored(to);
    solve_lower_transposed(lower.view(), x.view());
    expect_near(transposed(l) * x, b, 1e-12);
    x = b.stored(to);
    solve_cholesky(lower.view(), x.view());
    expect_near(a * x, b, 1e-12);
    Matrix inverse(n, n, to);
    inverse_of_lower(lower.view(), inverse.view());
    expect_near(l * inverse, identity(n), 1e-12);
    inverse_of_cholesky(lower.view(), inverse.view());
    expect_near(a * inverse, identity(n), 1e-12);
    expect_near(transposed(inverse), inverse, 0);
    EXPECT_TRUE(inverse.keeps_its_surroundings());
    EXPECT_NEAR(log_determinant_of_cholesky(lower.view()), lu(a.view()).log_abs_determinant(), 1e-11);
  });
}

TEST(Cholesky, SolvesForOneVector) {
  for (const std::size_t n : kSizes) {
    for (const Storage storage : kStorages) {
      const Matrix a = positive_definite(n);
      const Matrix lower = factor_of(a).stored(storage);
      const Matrix b = random_matrix(n, 1);
      std::vector<double> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = b(i, 0);
      solve_cholesky(lower.view(), View::vector(x.data(), n));
      Matrix solution(n, 1);
      for (std::size_t i = 0; i < n; ++i) solution(i, 0) = x[i];
      expect_near(a * solution, b, 1e-12);
    }
  }
}

TEST(Cholesky, SolveByRowsAddsInTheOrderOfTheTextbook) {
  for (const std::size_t n : kSizes) {
    const Matrix lower = factor_of(positive_definite(n)).stored(Storage::rows);
    const Matrix b = random_matrix(n, 1);
    std::vector<double> x(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = expected[i] = b(i, 0);
    solve_lower(lower.view(), View::vector(x.data(), n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) expected[i] -= lower(i, j) * expected[j];
      expected[i] /= lower(i, i);
    }
    EXPECT_EQ(x, expected);
  }
}

TEST(Products, OfTrianglesAndSymmetricMatricesWithVectors) {
  for (const std::size_t n : kSizes) {
    for (const Storage storage : kStorages) {
      const Matrix a = positive_definite(n), l = factor_of(a), v = random_matrix(n, 1);
      std::vector<double> x(n), result(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = v(i, 0);
      const Matrix lower = with_nan_above(l).stored(storage);
      multiply_lower(lower.view(), x, result);
      const Matrix of_lower = l * v, of_symmetric = a * v;
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(result[i], of_lower(i, 0), 1e-12);
      multiply_symmetric(a.stored(storage).view(), x, result);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(result[i], of_symmetric(i, 0), 1e-12);
    }
  }
}

TEST(Lu, SolvesAndHasTheDeterminant) {
  for (const std::size_t n : kSizes) {
    const Matrix a = random_matrix(n, n), b = random_matrix(n, 2);
    const Lu factors = lu(a.view());
    Matrix x = b;
    solve_lu(factors, x.view());
    expect_near(a * x, b, 1e-9);
    Matrix squared = transposed(a) * a;
    EXPECT_NEAR(2 * factors.log_abs_determinant(), lu(squared.view()).log_abs_determinant(), 1e-7);
  }
  Matrix swap(2, 2);
  swap(0, 1) = swap(1, 0) = 3;
  EXPECT_EQ(lu(swap.view()).sign_of_determinant(), -1);
  EXPECT_NEAR(lu(swap.view()).log_abs_determinant(), std::log(9.0), 1e-15);
  EXPECT_EQ(lu(Matrix(3, 3).view()).sign_of_determinant(), 0);
}

TEST(SymmetricEigen, GivesTheMatrixBackInOrder) {
  for_all([](std::size_t n, Storage, Storage to) {
    const Matrix a = positive_definite(n);
    std::vector<double> values(n), alone(n);
    Matrix vectors(n, n, to);
    ASSERT_TRUE(symmetric_eigen(with_nan_above(a).view(), View::vector(values.data(), n), vectors.view()));
    expect_near(vectors * diagonal(values) * transposed(vectors), a, 1e-12);
    expect_near(transposed(vectors) * vectors, identity(n), 1e-12);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    ASSERT_TRUE(symmetric_eigenvalues(a.view(), View::vector(alone.data(), n)));
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(alone[i], values[i], 1e-12);
  });
}

TEST(SymmetricAxes, StayNearTheCoordinatesAndSeeSmallEigenvalues) {
  for (const Storage storage : kStorages) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{20}}) {
      const Matrix a = positive_definite(n);
      Matrix used = a.stored(storage), vectors(n, n, storage);
      std::vector<double> values(n);
      symmetric_axes(used.view(), values, vectors.view());
      expect_near(vectors * diagonal(values) * transposed(vectors), a, 1e-12);
      expect_near(transposed(vectors) * vectors, identity(n), 1e-13);
    }
    Matrix nearly(3, 3, storage), vectors(3, 3, storage);
    nearly(0, 0) = 3, nearly(1, 1) = 1, nearly(2, 2) = 2;
    nearly(0, 1) = nearly(1, 0) = 1e-6;
    std::vector<double> values(3);
    symmetric_axes(nearly.view(), values, vectors.view());
    expect_near(vectors, identity(3), 1e-6);
    // [1 e; e 2 e^2] with e = 1e-12: the lesser eigenvalue is e^2 but for rounding.
    Matrix graded(2, 2, storage), axes(2, 2, storage);
    graded(0, 0) = 1, graded(1, 0) = graded(0, 1) = 1e-12, graded(1, 1) = 2e-24;
    std::vector<double> two(2);
    symmetric_axes(graded.view(), two, axes.view());
    EXPECT_NEAR(two[1], 1e-24, 1e-38);
  }
}

TEST(Qr, OrthonormalColumnsTimesTriangle) {
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{1, 1}, {5, 3}, {40, 40}, {90, 20}}) {
    const Matrix a = random_matrix(rows, cols);
    Matrix q(rows, cols), r(cols, cols);
    qr(a.view(), q.view(), r.view());
    expect_near(q * r, a, 1e-12);
    expect_near(transposed(q) * q, identity(cols), 1e-13);
    for (std::size_t i = 0; i < cols; ++i) {
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(r(i, j), 0);
    }
    // Least squares: the residual is orthogonal to the columns.
    const Matrix b = random_matrix(rows, 2);
    Matrix x(cols, 2);
    least_squares(a.view(), b.view(), x.view());
    Matrix residual = a * x;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) residual(i, j) -= b(i, j);
    }
    expect_near(transposed(a) * residual, Matrix(cols, 2), 1e-10);
  }
}

TEST(Qr, PivotsShowTheRank) {
  const Matrix a = random_matrix(12, 3) * random_matrix(3, 6);
  const std::vector<double> pivots = pivoted_qr(a.view()).pivots();
  ASSERT_EQ(pivots.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_LE(pivots[i], pivots[i - 1]);
  EXPECT_GT(pivots[2], 0.1);
  EXPECT_LT(pivots[3], 1e-13);
}

TEST(Svd, GivesTheMatrixBackInOrder) {
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {3, 5}, {60, 25}, {40, 40}, {49, 49}, {70, 120}}) {
    const std::size_t rank = std::min(rows, cols);
    const Matrix a = random_matrix(rows, cols);
    Matrix u(rows, rank), v(cols, rank);
    std::vector<double> s(rank), alone(rank);
    svd(a.view(), u.view(), View::vector(s.data(), rank), v.view());
    expect_near(u * diagonal(s) * transposed(v), a, 1e-12);
    expect_near(transposed(u) * u, identity(rank), 1e-12);
    expect_near(transposed(v) * v, identity(rank), 1e-12);
    EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
    singular_values(a.view(), View::vector(alone.data(), rank));
    for (std::size_t i = 0; i < rank; ++i) EXPECT_NEAR(alone[i], s[i], 1e-12);
    Matrix inverse(cols, rows);
    pseudo_inverse(a.view(), inverse.view());
    expect_near(a * inverse * a, a, 1e-11);
  }
}

TEST(GeneralEigen, OfARotation) {
  Matrix turn(2, 2);
  turn(0, 1) = -1, turn(1, 0) = 1;
  std::vector<std::complex<double>> values(2), vectors(4);
  ASSERT_TRUE(general_eigen(turn.view(), ComplexView::vector(values.data(), 2), {vectors.data(), 2, 2}));
  EXPECT_NEAR(std::abs(values[0].imag()), 1, 1e-15);
  EXPECT_NEAR(std::abs(values[0] + values[1]), 0, 1e-15);
}

TEST(MatrixExponential, OfARotation) {
  Matrix turn(2, 2), result(2, 2);
  const double angle = std::numbers::pi / 6;
  turn(0, 1) = -angle, turn(1, 0) = angle;
  matrix_exponential(turn.view(), result.view());
  EXPECT_NEAR(result(0, 0), std::sqrt(0.75), 1e-15);
  EXPECT_NEAR(result(1, 0), 0.5, 1e-15);
}

}  // namespace
}  // namespace kullback::math::linear
