"""Tests of ircodes, which need no Home Assistant."""
