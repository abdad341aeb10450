"""Simulators of the hierarchies and of what is grouped otherwise."""
import math

from .catalogue import OTHER, program
from .random_numbers import inv_logit


@program(OTHER)
def click_rate(source):
    return {"shown": 300, "clicked": source.binomial(300, 0.06)}


def grouped(source, groups, sizes):
    """Number of the group of each observation."""
    return [group for group in range(1, groups + 1) for _ in range(source.integer(*sizes))]


@program(OTHER)
def clinics(source):
    clinic = grouped(source, 20, (15, 25))
    levels = source.normals(20, 2.0, 1.0)
    return {"N": len(clinic), "J": 20, "clinic": clinic, "y": [source.normal(levels[j - 1], 1.5) for j in clinic]}


@program(OTHER, "--target-accept", "0.95")
def villages(source):
    village = grouped(source, 12, (2, 5))
    levels = source.normals(12, 1.0, 0.5)
    return {"N": len(village), "J": 12, "village": village, "y": [source.normal(levels[j - 1], 1.0) for j in village]}


@program(OTHER, "--target-accept", "0.95")
def trials_meta(source):
    errors = [source.uniform(0.15, 0.6) for _ in range(14)]
    return {"J": 14, "error": errors, "estimate": [source.normal(source.normal(-0.3, 0.2), error) for error in errors]}


@program(OTHER)
def ward_infections(source):
    patients = [source.integer(20, 60) for _ in range(24)]
    return {"J": 24, "patients": patients,
            "infected": [source.binomial(n, inv_logit(source.normal(-2, 0.6))) for n in patients]}


@program(OTHER)
def small_areas(source):
    count = 497
    income, asked = source.normals(count), [source.integer(5, 30) for _ in range(count)]
    return {"J": count, "income": income, "asked": asked,
            "poor": [source.binomial(n, inv_logit(-1 - 0.5 * x + source.normal(0, 0.6))) for n, x in zip(asked, income)]}


@program(OTHER)
def shop_sales(source):
    shops, weeks = source.normals(10, 0, 0.5), source.normals(16, 0, 0.3)
    pairs = [(s, w) for s in range(10) for w in range(16) if source.bernoulli(0.8)]
    price = source.normals(len(pairs), 0, 0.5)
    return {"N": len(pairs), "S": 10, "W": 16, "shop": [s + 1 for s, _ in pairs], "week": [w + 1 for _, w in pairs],
            "price": price, "sold": [source.neg_binomial(math.exp(2 - 0.6 * x + shops[s] + weeks[w]), 4)
                                     for (s, w), x in zip(pairs, price)]}


@program(OTHER)
def growth_slopes(source):
    child, age, height = [], [], []
    for j in range(1, 13):
        a, b = source.normal(), source.normal()
        for _ in range(source.integer(3, 4)):
            child.append(j)
            age.append(source.uniform(-1, 1))
            height.append(source.normal(1 + 0.8 * a + (2 + 0.3 * a + 0.4 * b) * age[-1], 0.5))
    return {"N": len(child), "J": 12, "child": child, "age": age, "height": height}


@program(OTHER, "--target-accept", "0.95")
def pupils(source):
    school = grouped(source, 8, (3, 5))
    schools = source.normals(8, 0, 0.5)
    classes = [source.normal(0.3 + schools[s - 1], 0.4) for s in school]
    places = grouped(source, len(school), (6, 12))
    return {"N": len(places), "C": len(school), "S": 8, "class": places, "school": school,
            "score": [source.normal(classes[c - 1], 1.0) for c in places]}


@program(OTHER)
def plots_poisson(source):
    moisture = source.normals(60)
    return {"N": 60, "moisture": moisture,
            "seedlings": [source.poisson(math.exp(source.normal(1.2 + 0.5 * x, 0.6))) for x in moisture]}


@program(OTHER)
def kidney_frailty(source):
    patient = grouped(source, 25, (2, 4))
    frailty = [source.gamma(3, 3) for _ in range(25)]
    age = source.normals(len(patient))
    times = [source.exponential(frailty[j - 1] * math.exp(-0.5 + 0.3 * x)) for j, x in zip(patient, age)]
    cuts = [source.uniform(1, 5) for _ in times]
    return {"N": len(patient), "J": 25, "patient": patient, "age": age, "time": [min(pair) for pair in zip(times, cuts)],
            "seen": [int(time < cut) for time, cut in zip(times, cuts)]}


@program(OTHER)
def quiz_items(source):
    abilities, difficulties = source.normals(40, 0, 1.2), source.normals(12, 0, 1)
    cells = [(p, i) for p in range(40) for i in range(12) if source.bernoulli(0.85)]
    return {"N": len(cells), "I": 12, "P": 40, "item": [i + 1 for _, i in cells], "person": [p + 1 for p, _ in cells],
            "right": [source.bernoulli(inv_logit(abilities[p] - difficulties[i])) for p, i in cells]}


@program(OTHER)
def exam_items(source):
    items = [(source.normal(), math.exp(source.normal(0, 0.3))) for _ in range(8)]
    return {"I": 8, "P": 80, "right": [[source.bernoulli(inv_logit(ease + power * ability)) for ease, power in items]
                                         for ability in source.normals(80)]}


@program(OTHER)
def drug_levels(source):
    hours, subject, hour, level = [0.5, 1, 2, 4, 8, 12], [], [], []
    volume, dose = math.exp(3), 100.0
    for j in range(1, 11):
        k = math.exp(1 - 3 + 0.3 * source.normal())
        ka = k + 1.2
        for t in hours:
            mean = dose / volume * ka * (math.exp(-k * t) - math.exp(-ka * t)) / (ka - k)
            subject.append(j)
            hour.append(t)
            level.append(mean * math.exp(source.normal(0, 0.2)))
    return {"N": len(hour), "J": 10, "subject": subject, "hour": hour, "level": level, "dose": dose}


@program(OTHER)
def chess_league(source):
    strengths = source.normals(16, 0, 0.8)
    games = [(a, b) for a in range(16) for b in range(16) if a != b and source.bernoulli(0.8)]
    return {"N": len(games), "P": 16, "white": [a + 1 for a, _ in games], "black": [b + 1 for _, b in games],
            "white_won": [source.bernoulli(inv_logit(0.2 + strengths[a] - strengths[b])) for a, b in games]}


@program(OTHER)
def party_shares(source):
    shares = [0.35, 0.25, 0.2, 0.15, 0.05]
    districts = [source.dirichlet([25 * share for share in shares]) for _ in range(12)]
    votes = [[0] * 5 for _ in districts]
    for counts, chances in zip(votes, districts):
        for _ in range(80):
            counts[source.category(chances) - 1] += 1
    return {"J": 12, "K": 5, "votes": votes}


@program(OTHER)
def blood_pressure(source):
    x = source.normals(60, 0.5, 1.0)
    return {"N": 60, "x1": [source.normal(v, 0.5) for v in x], "x2": [source.normal(v, 0.5) for v in x],
            "y": [source.normal(1 + 0.7 * v, 0.6) for v in x]}


@program(OTHER)
def survey_gaps(source):
    age = source.normals(80)
    income = [source.normal(0.5 + 0.4 * a, 0.8) for a in age]
    unknown = [n for n in range(80) if source.bernoulli(0.3)]
    known = [n for n in range(80) if n not in unknown]
    return {"N": 80, "M": len(unknown), "age": age, "known": [n + 1 for n in known], "unknown": [n + 1 for n in unknown],
            "income_known": [income[n] for n in known],
            "outcome": [source.normal(1 + 0.3 * a - 0.6 * v, 0.9) for a, v in zip(age, income)]}


@program(OTHER)
def one_factor(source):
    loadings = [1.0, 0.8, 0.6, 0.9, 0.4, 0.3]
    return {"N": 60, "D": 6, "score": [[source.normal(loading * factor, 0.7) for loading in loadings]
                                       for factor in source.normals(60)]}


@program(OTHER)
def asset_correlations(source):
    rows = []
    for _ in range(80):
        market = source.normal()
        rows.append([0.1 + scale * (load * market + math.sqrt(1 - load * load) * source.normal())
                     for scale, load in ((1.0, 0.8), (0.5, 0.6), (2.0, 0.3), (1.2, -0.4))])
    return {"N": 80, "y": rows}


@program(OTHER)
def egg_sizes(source):
    return {"N": 120, "y": [source.normal(-1.2, 0.7) if source.bernoulli(0.4) else source.normal(1.5, 1.0)
                            for _ in range(120)]}


@program(OTHER)
def call_rates(source):
    means = {1: 1.5, 2: 7.0, 3: 20.0}
    return {"N": 70, "calls": [source.poisson(means[source.category([0.3, 0.4, 0.3])]) for _ in range(70)]}


@program(OTHER)
def web_sessions(source):
    is_new = [source.bernoulli(0.5) for _ in range(70)]
    minutes = [math.exp(source.normal(1.2 - 0.5 * new, 0.6 + 0.4 * new)) for new in is_new]
    return {"N": 70, "minutes": [min(value, 6.0) for value in minutes], "is_cut": [int(value > 6.0) for value in minutes],
            "is_new": is_new}


@program(OTHER)
def ringed_birds(source):
    survivals, detection = [0.7, 0.6, 0.75, 0.5, 0.65, 0.7, 0.6], 0.4
    first, last, again = [], [], []
    for n in range(150):
        start = seen = n % 7 + 1
        year, count = start, 0
        while year < 8 and source.bernoulli(survivals[year - 1]):
            year += 1
            if source.bernoulli(detection):
                seen, count = year, count + 1
        first.append(start)
        last.append(seen)
        again.append(count)
    return {"T": 8, "N": 150, "first": first, "last": last, "again": again}


@program(OTHER)
def county_map(source):
    side = 6
    edges = [(r * side + c, r * side + c + step) for r in range(side) for c in range(side)
             for step, fits in ((1, c + 1 < side), (side, r + 1 < side)) if fits]
    count = side * side
    degree = [sum(j in edge for edge in edges) for j in range(count)]
    field = source.normals(count)
    for _ in range(3):  # neighbours become alike
        field = [0.4 * value + 0.6 * sum(field[a + b - j] for a, b in edges if j in (a, b)) / degree[j]
                 for j, value in enumerate(field)]
    expected = [source.uniform(3, 15) for _ in range(count)]
    return {"J": count, "E": len(edges), "one": [a + 1 for a, _ in edges], "other": [b + 1 for _, b in edges],
            "degree": degree, "eigenvalue": grid_eigenvalues(edges, degree), "expected": expected,
            "cases": [source.poisson(e * math.exp(0.1 + 1.2 * value)) for e, value in zip(expected, field)]}


def grid_eigenvalues(edges, degree):
    """Of the scaled adjacency, by cyclic Jacobi rotations."""
    size = len(degree)
    a = [[0.0] * size for _ in range(size)]
    for i, j in edges:
        a[i][j] = a[j][i] = 1 / math.sqrt(degree[i] * degree[j])
    while math.fsum(a[i][j] ** 2 for i in range(size) for j in range(i)) > 1e-24:
        for p in range(size):
            for q in range(p + 1, size):
                rotate(a, p, q)
    return sorted(a[i][i] for i in range(size))


def rotate(a, p, q):
    if abs(a[p][q]) < 1e-300:
        return
    theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
    t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
    c = 1 / math.hypot(t, 1)
    s = t * c
    a[p], a[q] = [c * x - s * y for x, y in zip(a[p], a[q])], [s * x + c * y for x, y in zip(a[p], a[q])]
    for row in a:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]


def hat_basis(places, count):
    """Piecewise linear basis on [0, 1]."""
    return [[max(0.0, 1 - abs(place * (count - 1) - k)) for k in range(count)] for place in places]


@program(OTHER)
def smooth_curve(source):
    places = sorted(source.uniform() for _ in range(80))
    return {"N": 80, "K": 16, "basis": hat_basis(places, 16),
            "y": [source.normal(math.sin(6 * x) + 2 * x, 0.4) for x in places]}


@program(OTHER, "--target-accept", "0.95")
def additive_rain(source):
    one, two = [[source.uniform() for _ in range(90)] for _ in range(2)]
    means = [math.exp(1 + math.sin(5 * a) * 0.5 + (b - 0.5) ** 2) for a, b in zip(one, two)]
    centred = [[[x - 1 / 8 for x in row] for row in hat_basis(places, 8)] for places in (one, two)]
    return {"N": 90, "K": 8, "basis1": centred[0], "basis2": centred[1], "days": [source.poisson(mean) for mean in means]}
