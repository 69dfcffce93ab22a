"""What a browser copies of a request: as a cURL command, or in a HAR file."""
