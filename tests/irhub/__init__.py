"""Tests of irhub."""
