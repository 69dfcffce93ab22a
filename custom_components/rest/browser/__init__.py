"""Requests copied from a browser, as cURL command or HAR file."""
