"""Names and defaults of the MQTT binary sensor."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "mqtt_binary"
PLATFORMS: Final = [Platform.BINARY_SENSOR]

SUBENTRY_SENSOR: Final = "added_sensor"
"""The type of the subentries."""

CONF_ANNOUNCED: Final = "announced"
CONF_AVAILABILITY: Final = "availability"
CONF_AVAILABILITY_MODE: Final = "availability_mode"
CONF_AVAILABILITY_TEMPLATE: Final = "availability_template"
CONF_AVAILABILITY_TOPIC: Final = "availability_topic"
CONF_CHILD_DEVICE: Final = "child_device"
CONF_CHILD_DEVICES: Final = "child_devices"
CONF_COMPONENTS: Final = "components"
CONF_CONFIGURATION_URL: Final = "configuration_url"
CONF_CONNECTIONS: Final = "connections"
CONF_DEFAULT_ENTITY_ID: Final = "default_entity_id"
CONF_DISCOVERY_PREFIX: Final = "discovery_prefix"
CONF_ENABLED_BY_DEFAULT: Final = "enabled_by_default"
CONF_ENCODING: Final = "encoding"
CONF_ENTITY_PICTURE: Final = "entity_picture"
CONF_EXPIRE_AFTER: Final = "expire_after"
CONF_GROUP: Final = "group"
CONF_HW_VERSION: Final = "hw_version"
CONF_IDENTIFIERS: Final = "identifiers"
CONF_IGNORE_RETAINED: Final = "ignore_retained"
CONF_JSON_ATTRIBUTES_TEMPLATE: Final = "json_attributes_template"
CONF_JSON_ATTRIBUTES_TOPIC: Final = "json_attributes_topic"
CONF_LAST_HEARD: Final = "last_heard"
CONF_MANUFACTURER: Final = "manufacturer"
CONF_MESSAGE_EXPIRY_INTERVAL: Final = "message_expiry_interval"
CONF_MODEL: Final = "model"
CONF_MODEL_ID: Final = "model_id"
CONF_OFF_DELAY: Final = "off_delay"
CONF_ON_DELAY: Final = "on_delay"
CONF_ORIGIN: Final = "origin"
CONF_PAYLOAD_AVAILABLE: Final = "payload_available"
CONF_PAYLOAD_NOT_AVAILABLE: Final = "payload_not_available"
CONF_QOS: Final = "qos"
CONF_REPLACED: Final = "replaced"
CONF_REPLACES: Final = "replaces"
CONF_RESTORE: Final = "restore"
CONF_SERIAL_NUMBER: Final = "serial_number"
CONF_STATE_TOPIC: Final = "state_topic"
CONF_SUGGESTED_AREA: Final = "suggested_area"
CONF_SW_VERSION: Final = "sw_version"
CONF_TOPIC: Final = "topic"
CONF_VIA_DEVICE: Final = "via_device"
CONF_VISIBLE_BY_DEFAULT: Final = "visible_by_default"

DEFAULT_DISCOVERY_PREFIX: Final = DOMAIN
DEFAULT_ENCODING: Final = "utf-8"
DEFAULT_NAME: Final = "MQTT Binary Sensor"
DEFAULT_PAYLOAD_AVAILABLE: Final = "online"
DEFAULT_PAYLOAD_NOT_AVAILABLE: Final = "offline"
DEFAULT_PAYLOAD_OFF: Final = ("OFF",)
DEFAULT_PAYLOAD_ON: Final = ("ON",)
DEFAULT_QOS: Final = 0
