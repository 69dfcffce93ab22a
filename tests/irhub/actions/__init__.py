"""Tests of irhub's actions."""
