"""The parts of bench/honesty.py; programs/ and shapes/ hold what it judges on."""
