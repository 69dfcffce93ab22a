"""Tests of teaching: remote controls of protocols that nobody knows."""
