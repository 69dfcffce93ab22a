"""Tests of the benchmarks: their arithmetic, and one tiny round of each."""
