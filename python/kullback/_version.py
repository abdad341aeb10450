"""The version of the package, which is that of the engine: the library must have the same."""

VERSION = "0.1.0"
ABI = 1
