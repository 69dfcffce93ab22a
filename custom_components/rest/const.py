"""Names and limits of the REST sensor."""

from datetime import timedelta

DOMAIN = "rest"

CONF_ENCODING = "encoding"
CONF_JSON_ATTRS = "json_attributes"
CONF_JSON_ATTRS_PATH = "json_attributes_path"
CONF_JSON_ATTRS_TEMPLATE = "json_attributes_template"
CONF_MAX_FAILURES = "max_failures"
CONF_PAYLOAD_TEMPLATE = "payload_template"
CONF_SSL_CIPHER_LIST = "ssl_cipher_list"
CONF_VALID_STATUS = "valid_status"

DEFAULT_ENCODING = "UTF-8"
DEFAULT_METHOD = "GET"
DEFAULT_NAME = "REST Sensor"
DEFAULT_SCAN_INTERVAL = timedelta(seconds=30)
DEFAULT_TIMEOUT = 10  # seconds

METHODS = ("GET", "POST")
XML_CONTENT_TYPES = (
    "application/rss+xml",
    "application/xhtml+xml",
    "application/xml",
    "text/xml",
)

MAX_REPLY_SIZE = 16 * 1024 * 1024  # bytes, unpacked
MAX_REDIRECTS = 10
MAX_REQUESTS_PER_HOST = 2
