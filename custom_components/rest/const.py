"""Names, defaults and limits used by several modules."""

from datetime import timedelta

DOMAIN = "rest"

CONF_CA_CERTIFICATE = "ca_certificate"
CONF_CLIENT_AUTHENTICATION = "client_authentication"
CONF_CLIENT_CERTIFICATE = "client_certificate"
CONF_CLIENT_KEY = "client_key"
CONF_CONDITIONAL = "conditional"
CONF_CURL = "curl"
CONF_ENCODING = "encoding"
CONF_EXPIRES_IN = "expires_in"
CONF_FIELDS = "fields"
CONF_FORM = "form"
CONF_FOR_EACH = "for_each"
CONF_HAR = "har"
CONF_INDEX = "index"
CONF_JSON_ATTRS = "json_attributes"
CONF_JSON_ATTRS_PATH = "json_attributes_path"
CONF_JSON_ATTRS_TEMPLATE = "json_attributes_template"
CONF_KEY = "key"
CONF_LOGIN = "login"
CONF_LOGIN_PAGE = "login_page"
CONF_MAX_FAILURES = "max_failures"
CONF_MAX_SIZE = "max_size"
CONF_PARAMETERS = "parameters"
CONF_PAYLOAD_TEMPLATE = "payload_template"
CONF_RESTORE = "restore"
CONF_SCOPE = "scope"
CONF_SELECT = "select"
CONF_SSL_CIPHER_LIST = "ssl_cipher_list"
CONF_TOKEN_URL = "token_url"  # noqa: S105  # nosec B105  (a key)
CONF_VALID_STATUS = "valid_status"
CONF_VALUE = "value"
CONF_VALUES = "values"

DEFAULT_BINARY_SENSOR_NAME = "REST Binary Sensor"
DEFAULT_BUTTON_NAME = "REST Button"
DEFAULT_MAX_FAILURES = 1
DEFAULT_MAX_SIZE = 8 * 1024 * 1024  # bytes, unpacked
DEFAULT_METHOD = "GET"
DEFAULT_SENSOR_NAME = "REST Sensor"
DEFAULT_TIMEOUT = 10  # seconds

# Core's intervals of its sensor platforms and of its `rest:` blocks.
PLATFORM_SCAN_INTERVAL = timedelta(seconds=30)
BLOCK_SCAN_INTERVAL = timedelta(seconds=15)

METHODS = ("GET", "POST")
