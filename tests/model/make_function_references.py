#!/usr/bin/env python3
"""Reference values of functions called in whole programs: complex numbers, decompositions, ints.

    python3 tests/model/make_function_references.py > tests/model/function_rows.inc      (needs mpmath)

A row is a name, the number of parameters, statements that compute the real `s` from `vector theta`, and the value of s at
theta[i] = 0.3 sin(1 + 2 i), i from 0. g(x) is the sum of sin(1.7 i) x[i], i from 1. Derivatives are checked by the test
against finite differences. Values are computed with 40 digits from the same numbers as doubles.
"""
import mpmath as mp
from mpmath import mpc, mpf

mp.mp.dps = 40


def theta(dim):
    import math
    return [mpf(0.3 * math.sin(1.0 + 2.0 * i)) for i in range(dim)]


def g(x):
    import math
    return sum(mpf(math.sin(1.7 * (i + 1))) * v for i, v in enumerate(x))


def weigh(z):
    return mpf("1.3") * mp.re(z) - mpf("0.7") * mp.im(z)


ROWS = []


def row(name, dim, body, value):
    ROWS.append((name, dim, body, value(theta(dim))))


# ---- functions of one complex number, in the four quadrants and far out ----
PLACES = [(0, 0), (-1.5, 0.5), (2, -3), (-0.5, -1.25), (0.75, 12.5)]
UNARY = {"exp": mp.exp, "log": mp.log, "log10": lambda z: mp.log(z) / mp.log(10), "sqrt": mp.sqrt, "sin": mp.sin,
         "cos": mp.cos, "tan": mp.tan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asin": mp.asin,
         "acos": mp.acos, "atan": mp.atan, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh, "conj": mp.conj,
         "proj": lambda z: z}
for name, function in UNARY.items():
    for a, b in PLACES:
        row(f"{name} at {a}, {b}", 2,
            f"complex z = {name}(to_complex({a} + theta[1], {b} + theta[2])); s = w(z);",
            lambda t, f=function, a=a, b=b: weigh(f(mpc(mpf(a) + t[0], mpf(b) + t[1]))))
for name, function in {"abs": abs, "arg": mp.arg, "norm": lambda z: abs(z) ** 2, "get_real": mp.re,
                       "get_imag": mp.im}.items():
    for a, b in PLACES:
        row(f"{name} at {a}, {b}", 2, f"s = {name}(to_complex({a} + theta[1], {b} + theta[2]));",
            lambda t, f=function, a=a, b=b: f(mpc(mpf(a) + t[0], mpf(b) + t[1])))

Z = "complex z = to_complex(theta[1], theta[2]); complex v = to_complex(theta[3], 1 - theta[4]); "


def two(function):
    return lambda t: weigh(function(mpc(t[0], t[1]), mpc(t[2], 1 - t[3])))


for text, function in {
        "z + v": lambda z, v: z + v, "z - v": lambda z, v: z - v, "z * v": lambda z, v: z * v,
        "z / v": lambda z, v: z / v, "z ^ v": lambda z, v: z ** v, "-z": lambda z, v: -z, "z + 2": lambda z, v: z + 2,
        "2.5 * z": lambda z, v: mpf("2.5") * z, "1 / z": lambda z, v: 1 / z, "z ^ 2": lambda z, v: z * z,
        "z ^ 3": lambda z, v: z ** 3, "v ^ 0.5": lambda z, v: mp.sqrt(v), "z * 2i": lambda z, v: z * 2j,
        "1.5 + 0.5i - z": lambda z, v: mpc(1.5, 0.5) - z, "pow(z, v)": lambda z, v: z ** v,
        "polar(theta[1] + 2, theta[2])": lambda z, v: (z.real + 2) * mp.exp(1j * z.imag)}.items():
    row(text, 4, Z + f"s = w({text});", two(function))
row("promotion of a real", 1, "complex z = theta[1]; s = w(z * z);", lambda t: weigh(t[0] ** 2))
row("comparison", 2, "complex z = to_complex(theta[1], 0); s = theta[2] * ((z == theta[1]) + 2 * (z != 1i));",
    lambda t: 3 * t[1])
row("assignment of parts of a container", 2,
    "complex_vector[3] x; x[1] = theta[1]; x[2] = 2i; x[3] = to_complex(theta[1], theta[2]); x[1] += x[3]; "
    "s = w(x[1]) + 2 * w(x[2]) + w(sum(x));",
    lambda t: weigh(mpc(2 * t[0], t[1])) + 2 * weigh(2j) + weigh(mpc(3 * t[0], 2 * t[1] + 2)))
row("user function of complex", 2, "s = w(twice(to_complex(theta[1], theta[2])));",
    lambda t: weigh(2 * mpc(t[0], t[1])))

# ---- containers ----
HEAD = ("complex_matrix[2, 3] A = to_complex(to_matrix(theta[1:6], 2, 3), to_matrix(theta[7:12], 2, 3)); "
        "complex_vector[3] x = to_complex(theta[2:4], theta[5:7]); complex_row_vector[2] r = "
        "to_complex(theta[3:4]', theta[9:10]'); ")


def containers(t):
    a = mp.matrix(2, 3)
    for k in range(6):
        a[k % 2, k // 2] = mpc(t[k], t[6 + k])
    x = mp.matrix([mpc(t[1 + k], t[4 + k]) for k in range(3)])
    r = mp.matrix([[mpc(t[2 + k], t[8 + k]) for k in range(2)]])
    return a, x, r


def flat(m):
    return [m[i, j] for j in range(m.cols) for i in range(m.rows)]


def weigh_all(values):
    return g([mp.re(v) for v in values]) - 2 * g([mp.im(v) for v in values])


def over(function):
    def value(t):
        out = function(*containers(t))
        return weigh_all(flat(out) if isinstance(out, mp.matrix) else list(out))
    return value


def scaled(m, f):
    out = m.copy()
    for i in range(m.rows):
        for j in range(m.cols):
            out[i, j] = f(m[i, j])
    return out


def dot(x, y):
    return sum(mp.conj(a) * b for a, b in zip(x, y))


for text, function in {
        "A * x": lambda A, x, r: A * x, "r * A": lambda A, x, r: r * A, "A * A'": lambda A, x, r: A * A.T,
        "x * r": lambda A, x, r: x * r, "A .* A": lambda A, x, r: scaled(A, lambda z: z * z),
        "A ./ (A + 2)": lambda A, x, r: scaled(A, lambda z: z / (z + 2)), "A / v": lambda A, x, r: A / mpc(1, 2),
        "v * A": lambda A, x, r: A * mpc(1, 2), "A - 1i": lambda A, x, r: scaled(A, lambda z: z - 1j),
        "A'": lambda A, x, r: A.T, "-A": lambda A, x, r: -A, "conj(A)": lambda A, x, r: scaled(A, mp.conj),
        "A[2:, {3, 1}]": lambda A, x, r: mp.matrix([[A[1, 2], A[1, 0]]]),
        "r / (A * A')": lambda A, x, r: mp.lu_solve((A * A.T).T, r.T).T,
        "diag_matrix(x)": lambda A, x, r: mp.diag(list(x)),
        "diag_post_multiply(A, x)": lambda A, x, r: A * mp.diag(list(x)),
        "rep_matrix(z0, 2, 2)": lambda A, x, r: mp.matrix([[x[0]] * 2] * 2),
        "append_row(A, A)": lambda A, x, r: mp.matrix([list(A[i % 2, :]) for i in range(4)]),
        "block(A, 1, 2, 2, 2)": lambda A, x, r: mp.matrix([[A[0, 1], A[0, 2]], [A[1, 1], A[1, 2]]]),
        "[[x[1], 2], [x[2], 1i]]": lambda A, x, r: mp.matrix([[x[0], 2], [x[1], 1j]])}.items():
    row(f"matrix {text}", 12, HEAD + f"complex v = 1 + 2i; complex z0 = x[1]; s = h(to_vector({text}));",
        over(function))
for text, function in {
        "reverse(x)": lambda A, x, r: list(x)[::-1], "cumulative_sum(x)": lambda A, x, r: [x[0], x[0] + x[1],
                                                                                           x[0] + x[1] + x[2]],
        "diagonal(A)": lambda A, x, r: [A[0, 0], A[1, 1]], "head(x, 2)": lambda A, x, r: list(x)[:2],
        "col(A, 2)": lambda A, x, r: [A[0, 1], A[1, 1]], "row(A, 2)'": lambda A, x, r: [A[1, k] for k in range(3)],
        "rows_dot_self(A)": lambda A, x, r: [sum(abs(A[i, k]) ** 2 for k in range(3)) for i in range(2)],
        "rows_dot_product(A, A)": lambda A, x, r: [sum(A[i, k] ** 2 for k in range(3)) for i in range(2)],
        "to_vector({x[1], x[3]})": lambda A, x, r: [x[0], x[2]]}.items():
    row(f"vector {text}", 12, HEAD + f"s = h({text});", over(function))
for text, function in {"sum(A)": lambda A, x, r: [sum(A)], "prod(x)": lambda A, x, r: [x[0] * x[1] * x[2]],
                       "trace(A * A')": lambda A, x, r: [sum(z * z for z in A)],
                       "dot_product(x, x + 1)": lambda A, x, r: [dot(x, [v + 1 for v in x])],
                       "dot_self(x)": lambda A, x, r: [sum(abs(v) ** 2 for v in x)],
                       "r * r'": lambda A, x, r: [r[0] ** 2 + r[1] ** 2]}.items():
    row(f"scalar {text}", 12, HEAD + f"s = h([{text}]');", over(function))
row("sizes", 12, HEAD + "s = theta[1] * (rows(A) + 10 * cols(A) + 100 * size(x) + 1000 * num_elements(A));",
    lambda t: t[0] * (2 + 30 + 300 + 6000))


# ---- Fourier transforms, by their definition ----
def dft(x, sign):
    n = len(x)
    return [sum(v * mp.expjpi(sign * mpf(2) * j * k / n) for j, v in enumerate(x)) for k in range(n)]


def dft2(a, sign):
    rows, cols = a.rows, a.cols
    half = [dft([a[i, j] for i in range(rows)], sign) for j in range(cols)]
    out = mp.matrix(rows, cols)
    for i in range(rows):
        for j, v in enumerate(dft([half[c][i] for c in range(cols)], sign)):
            out[i, j] = v
    return out


row("fft", 12, HEAD + "s = h(fft(x));", over(lambda A, x, r: dft(list(x), -1)))
row("inv_fft", 12, HEAD + "s = h(inv_fft(x));", over(lambda A, x, r: [v / 3 for v in dft(list(x), 1)]))
row("fft2", 12, HEAD + "s = h(to_vector(fft2(A)));", over(lambda A, x, r: dft2(A, -1)))
row("inv_fft2", 12, HEAD + "s = h(to_vector(inv_fft2(A)));", over(lambda A, x, r: dft2(A, 1) / 6))

# ---- decompositions: what does not depend on the order or the signs ----
SQUARE = "matrix[3, 3] A = to_matrix(theta[1:9], 3, 3) + [[0, 2, 0], [-1, 0, 1], [0.5, 0, 3]]; "
FIXED = mp.matrix([[0, 2, 0], [-1, 0, 1], [mpf("0.5"), 0, 3]])


def square(t):
    return mp.matrix([[t[3 * j + i] for j in range(3)] for i in range(3)]) + FIXED


def trace(a):
    return sum(a[i, i] for i in range(a.rows))


def eigenvalues(a):
    return mp.eig(a, left=False, right=False)


row("eigenvalues, sum of cubes", 9, SQUARE + "complex_vector[3] l = eigenvalues(A); s = w(sum(l .* l .* l));",
    lambda t: weigh(trace(square(t) ** 3)))
row("eigenvalues, sizes", 9, SQUARE + "s = sum(sqrt(abs(eigenvalues(A)) + 1));",
    lambda t: sum(mp.sqrt(abs(v) + 1) for v in eigenvalues(square(t))))
row("eigendecompose rebuilds", 9,
    SQUARE + "tuple(complex_matrix[3, 3], complex_vector[3]) d = eigendecompose(A); "
    "s = h(to_vector(d.1 * diag_matrix(d.2 .* d.2) / d.1));", lambda t: g(flat(square(t) ** 2)))
row("eigenvectors have length 1", 9, SQUARE + "s = get_real(sum(columns_dot_self(eigenvectors(A)))) * theta[1];",
    lambda t: 3 * t[0])
COMPLEX = SQUARE + "complex_matrix[3, 3] C = to_complex(A, to_matrix(theta[9:17], 3, 3)); "


def complex_square(t):
    return square(t) + 1j * mp.matrix([[t[8 + 3 * j + i] for j in range(3)] for i in range(3)])


row("complex eigenvalues, sum of cubes", 17,
    COMPLEX + "complex_vector[3] l = eigenvalues(C); s = w(sum(l .* l .* l));",
    lambda t: weigh(trace(complex_square(t) ** 3)))
row("complex eigendecompose rebuilds", 17,
    COMPLEX + "tuple(complex_matrix[3, 3], complex_vector[3]) d = eigendecompose(C); "
    "s = h(to_vector(d.1 * diag_matrix(d.2 .* d.2) / d.1));",
    lambda t: weigh_all(flat(complex_square(t) ** 2)))
row("Hermitian eigendecompose_sym", 17,
    COMPLEX + "complex_matrix[3, 3] H = C * conj(C'); tuple(complex_matrix[3, 3], complex_vector[3]) d = "
    "eigendecompose_sym(H); s = h(to_vector(d.1 * diag_matrix(log(d.2[1]) * d.2) * conj(d.1')));",
    lambda t: (lambda H: weigh_all(flat(H * mp.log(mp.eighe(H, eigvals_only=True)[0]))))(
        complex_square(t) * complex_square(t).H))
def first_row_weight(c):
    """|U U^H|_11 of the first two columns."""
    b = c[0:3, 0:2]
    return mp.re((b * mp.inverse(b.H * b) * b.H)[0, 0])


row("complex singular_values", 17, COMPLEX + "s = g(singular_values(C));",
    lambda t: g(mp.svd_c(complex_square(t), compute_uv=False)))
row("complex svd rebuilds A A^H A", 17,
    COMPLEX + "tuple(complex_matrix[3, 3], vector[3], complex_matrix[3, 3]) d = svd(C); "
    "s = h(to_vector(d.1 * diag_matrix(to_complex(d.2 .* d.2 .* d.2, 0)) * conj(d.3')));",
    lambda t: (lambda C: weigh_all(flat(C * C.H * C)))(complex_square(t)))
for shape in ("C[1:2, ]", "C[, 1:2]"):
    row(f"complex svd of {shape}", 17,
        COMPLEX + f"complex_matrix[{'2, 3' if shape[2] == '1' else '3, 2'}] B = {shape}; "
        "tuple(complex_matrix[rows(B), 2], vector[2], complex_matrix[cols(B), 2]) d = svd(B); "
        "s = h(to_vector(d.1 * diag_matrix(to_complex(d.2, 0)) * conj(d.3'))) + sum(abs(d.1[1]) .^ 2) * theta[1];",
        lambda t, wide=shape[2] == "1": (lambda C: weigh_all(
            [C[i, j] for j in range(3 if wide else 2) for i in range(2 if wide else 3)])
            + t[0] * (1 if wide else first_row_weight(C)))(complex_square(t)))
row("complex_schur_decompose of data", 1,
    "complex_matrix[2, 2] T; complex_matrix[2, 2] U; (U, T) = complex_schur_decompose([[1.0, 2], [3, 4]]); "
    "s = theta[1] * h(to_vector(U * T * conj(U')));", lambda t: t[0] * g([1, 3, 2, 4]))

SYMMETRIC = SQUARE + "matrix[3, 3] S = A * A' + identity_matrix(3); "


def symmetric(t):
    return square(t) * square(t).T + mp.eye(3)


row("eigendecompose_sym rebuilds the logarithm", 9,
    SYMMETRIC + "matrix[3, 3] V; vector[3] l; (V, l) = eigendecompose_sym(S); "
    "s = g(to_vector(diag_post_multiply(V, log(l)) * V')) + g(l);",
    lambda t: g(flat(scaled(mp.logm(symmetric(t)), mp.re))) + g(sorted(mp.eigsy(symmetric(t), eigvals_only=True))))
row("svd", 9, SQUARE + "tuple(matrix[3, 3], vector[3], matrix[3, 3]) d = svd(A); "
    "s = g(d.2) + g(to_vector(diag_post_multiply(d.1, d.2 .* d.2 .* d.2) * d.3'));",
    lambda t: g(mp.svd_r(square(t), compute_uv=False)) + g(flat(square(t) * square(t).T * square(t))))
TALL = "matrix[3, 2] B = to_matrix(theta[1:6], 3, 2) + [[1, 0], [0, 1], [1, 2]]; "


def tall(t):
    return mp.matrix([[t[3 * j + i] for j in range(2)] for i in range(3)]) + mp.matrix([[1, 0], [0, 1], [1, 2]])


def thin_qr(b):
    q, r = mp.qr(b, mode="skinny")
    for k in range(r.rows):
        if r[k, k] < 0:
            for j in range(r.cols):
                r[k, j] = -r[k, j]
            for i in range(q.rows):
                q[i, k] = -q[i, k]
    return q, r


row("qr_thin", 6, TALL + "tuple(matrix[3, 2], matrix[2, 2]) d = qr_thin(B); s = g(to_vector(d.1)) + 2 * g(to_vector(d.2));",
    lambda t: g(flat(thin_qr(tall(t))[0])) + 2 * g(flat(thin_qr(tall(t))[1])))
row("qr rebuilds", 6, TALL + "matrix[3, 3] Q; matrix[3, 2] R; (Q, R) = qr(B); s = g(to_vector(Q * R)) + g(to_vector(R));",
    lambda t: g(flat(tall(t))) + g([v for j in range(2) for v in [*(thin_qr(tall(t))[1][i, j] for i in range(2)), 0]]))
row("csr_extract", 1,
    "tuple(vector[3], array[3] int, array[3] int) d = csr_extract([[0, 5, 0], [7, 0, 9]]); "
    "s = theta[1] * (g(d.1) + g(to_vector(d.2)) + g(to_vector(d.3))) + d.2[3];",
    lambda t: t[0] * (g([5, 7, 9]) + g([2, 1, 3]) + g([1, 2, 4])) + 3)

# ---- ints, constants, small functions ----
row("logical functions", 1,
    "s = theta[1] * (logical_eq(1, 1) + 2 * logical_neq(1, 1) + 4 * logical_lt(1, 2) + 8 * logical_lte(2, 2) "
    "+ 16 * logical_gt(1, 2) + 32 * logical_gte(2, 1) + 64 * logical_negation(0) + 128 * logical_and(1, 0) "
    "+ 256 * logical_or(1, 0) + 512 * logical_lt(theta[1], 1.0));",
    lambda t: t[0] * (1 + 4 + 8 + 32 + 64 + 256 + 512))
row("int_step of a real", 2, "s = theta[1] * (int_step(1.5) + 2 * int_step(-1.5) + 4 * int_step(theta[1]));",
    lambda t: 5 * t[0])
row("rank", 3, "s = theta[1] * (rank({3, 1, 2}, 1) + 10 * rank(theta, 1));",
    lambda t: t[0] * (2 + 10 * sum(v < t[0] for v in t)))
row("one_hot", 1, "s = theta[1] * (g(one_hot_vector(4, 2)) + 2 * g(one_hot_row_vector(4, 3)') "
    "+ 3 * g(to_vector(one_hot_array(4, 4))) + 4 * one_hot_int_array(3, 2)[2]);",
    lambda t: t[0] * (g([0, 1]) + 2 * g([0, 0, 1]) + 3 * g([0, 0, 0, 1]) + 4))
row("uniform_simplex", 1, "s = theta[1] * g(uniform_simplex(4));", lambda t: t[0] * g([mpf("0.25")] * 4))
row("symmetrize_from_lower_tri", 4, "s = g(to_vector(symmetrize_from_lower_tri(to_matrix(theta, 2, 2))));",
    lambda t: g([t[0], t[1], t[1], t[3]]))
row("constants", 1, "s = theta[1] * (log2() + log10());", lambda t: t[0] * (mp.log(2) + mp.log(10)))
row("ints of ints", 1, "s = theta[1] * (choose(5, 2) + add(1, 2) + divide(7, 2) + sum(choose({4, 5}, 2)));",
    lambda t: t[0] * (10 + 3 + 3 + 16))
row("squared_distance of vectors", 4, "s = squared_distance(theta[1:2], theta[3:4]) + squared_distance(theta[1], theta[2]);",
    lambda t: (t[0] - t[2]) ** 2 + (t[1] - t[3]) ** 2 + (t[0] - t[1]) ** 2)
row("to_matrix of an expression", 4, "matrix[1, 4] a = to_matrix((2 * theta)'); matrix[4, 1] b = to_matrix(2 * theta); "
    "s = (a * b)[1, 1];", lambda t: 4 * sum(v * v for v in t))


# ---- formulas ----
for z in ("0.3", "-0.4", "-5", "0.9"):
    row(f"hypergeometric_2F1 at {z}", 4, f"s = hypergeometric_2F1(1.5 + theta[1], 0.7 - theta[2], 3 + theta[3], {z} + 0.1 * theta[4]);",
        lambda t, z=z: mp.hyp2f1(mpf("1.5") + t[0], mpf("0.7") - t[1], 3 + t[2], mpf(z) + t[3] / 10))
row("hypergeometric_2F1 at 1", 3, "s = hypergeometric_2F1(0.5 + theta[1], 0.7 - theta[2], 3 + theta[3], 1);",
    lambda t: mp.hyp2f1(mpf("0.5") + t[0], mpf("0.7") - t[1], 3 + t[2], 1))


def t_quantile(p, nu):
    if p == mpf("0.5"):
        return mpf(0)
    if p > mpf("0.5"):
        return -t_quantile(1 - p, nu)
    cdf = lambda q: mp.betainc(nu / 2, mpf("0.5"), 0, nu / (nu + q * q), regularized=True) / 2
    return -mp.findroot(lambda q: mp.log(cdf(q)) - mp.log(p), mpf(1))


for p in ("0.01", "0.2", "0.4999", "0.3", "0.6", "0.97"):
    row(f"student_t_qf at {p}", 4, f"s = student_t_qf({p} + 1e-3 * theta[1], 3.5 + theta[2], theta[3], 2 + theta[4]);",
        lambda t, p=p: t[2] + (2 + t[3]) * t_quantile(mpf(p) + t[0] / 1000, mpf("3.5") + t[1]))
row("student_t_qf at the median", 2, "s = student_t_qf(0.5, 3.5 + theta[1], theta[2], 2);", lambda t: t[1])
row("student_t_qf vectorised", 3, "s = g(student_t_qf([0.2, 0.7]', 4 + theta[1], theta[2:3], 1.5));",
    lambda t: g([t[1 + k] + mpf("1.5") * t_quantile(mpf(p), 4 + t[0]) for k, p in enumerate(("0.2", "0.7"))]))


def main():
    print("// Written by make_function_references.py: name, parameters, statements, value.")
    for name, dim, body, value in ROWS:
        print(f'{{"{name}", {dim},\n R"({body})",\n {mp.nstr(mp.re(value), 20)}}},')


main()
