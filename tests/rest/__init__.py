"""Tests of rest."""
