"""Random numbers of the simulators: the same on every machine and version of Python for the same words."""
import math
import random


class Source:
    def __init__(self, *words):
        self.random = random.Random("/".join(str(word) for word in words))  # by SHA-512 of the text

    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * self.random.random()

    def normal(self, mean=0.0, sd=1.0):
        # Box and Muller, without the second value that random.gauss would keep for the next call
        radius = math.sqrt(-2 * math.log(1 - self.random.random()))
        return mean + sd * radius * math.cos(2 * math.pi * self.random.random())

    def normals(self, count, mean=0.0, sd=1.0):
        return [self.normal(mean, sd) for _ in range(count)]

    def matrix(self, rows, columns, correlation=0.0):
        """Standard normal columns of equal correlation with each other."""
        own, common = math.sqrt(1 - correlation), math.sqrt(correlation)
        result = []
        for _ in range(rows):
            shared = self.normal()
            result.append([common * shared + own * self.normal() for _ in range(columns)])
        return result

    def bernoulli(self, chance):
        return int(self.random.random() < chance)

    def binomial(self, count, chance):
        return sum(self.bernoulli(chance) for _ in range(count))

    def exponential(self, rate=1.0):
        return -math.log(1 - self.random.random()) / rate

    def gamma(self, shape, rate):
        return self.random.gammavariate(shape, 1 / rate)

    def beta(self, a, b):
        return self.random.betavariate(a, b)

    def poisson(self, mean):
        """Arrivals of a Poisson process within `mean`."""
        count, waited = 0, self.exponential()
        while waited < mean:
            count += 1
            waited += self.exponential()
        return count

    def neg_binomial(self, mean, phi):
        return self.poisson(self.gamma(phi, phi / mean))

    def student_t(self, degrees):
        return self.normal() / math.sqrt(self.gamma(degrees / 2, degrees / 2))

    def weibull(self, shape, scale):
        return scale * self.exponential() ** (1 / shape)

    def category(self, shares):
        """Number of a category, from 1."""
        left = self.random.random() * sum(shares)
        for number, share in enumerate(shares, start=1):
            left -= share
            if left < 0:
                return number
        return len(shares)

    def integer(self, low, high):
        return self.random.randint(low, high)

    def dirichlet(self, weights):
        parts = [self.gamma(weight, 1) for weight in weights]
        return [part / sum(parts) for part in parts]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def inv_logit(x):
    return 1 / (1 + math.exp(-x))
