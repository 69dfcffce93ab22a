"""Fixtures shared by all tests: real sockets on loopback, our integrations in Home Assistant."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
import contextlib
from functools import partial
import inspect
import logging
from pathlib import Path
import tempfile
import threading
from typing import Any
import warnings

from homeassistant.components import mqtt, persistent_notification
from homeassistant.components.mqtt import client as core_client
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store
from homeassistant.loader import DATA_CUSTOM_COMPONENTS
from homeassistant.util import executor
from hypothesis import settings
import pytest
from pytest_homeassistant_custom_component import (  # type: ignore[import-untyped]
    plugins as test_package,
)
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
    mock_storage,
)
import pytest_socket

from virtual_home.broker import Broker
from virtual_home.endpoint import Endpoint

from .home import Notices, until
from .log_lines import Deprecated, Unexplained
from .mqtt_binary.home import MqttHome
from .rest.home import RestHome

CONNECTING_S = 0.5  # to a broker that is there
THREADS_END_S = 600  # instead of 10, of which each of 40 idle threads has 25 ms
CALLBACKS = {"call_soon": 0, "call_at": 1, "call_soon_threadsafe": 0, "run_in_executor": 1}
"""The methods of the event loop that are given a callback → its position among the arguments."""
FROM_ANY_THREAD = {"call_soon_threadsafe", "run_in_executor"}

# On a machine that is busy otherwise any example may take long; benchmarks measure time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """Log to what pytest shows; the test package writes each line to standard error, too."""
    logging.getLogger().handlers.clear()


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Give each test process a folder of its own: Home Assistant deletes others' uploads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
        yield


@pytest.fixture(scope="session", autouse=True)
def patient_executor() -> Generator[None]:
    """Let a busy machine take its time to end idle threads.

    One that Home Assistant interrupts does not wake the next, and those behind it never end.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executor, "EXECUTOR_SHUTDOWN_TIMEOUT", THREADS_END_S)
        yield


@pytest.fixture(scope="session", autouse=True)
def disable_http_server() -> Generator[None]:
    """Start no HTTP server, as the test package does, but make its mocks once for all tests."""
    yield from test_package.disable_http_server.__wrapped__()


@pytest.fixture(scope="session")
def storage() -> Generator[dict[str, Any]]:
    """Keep Home Assistant's storage in memory; these mocks take long to make."""
    with mock_storage() as files:
        yield files


@pytest.fixture
def hass_storage(storage: dict[str, Any]) -> Generator[dict[str, Any]]:
    """Return the files of Home Assistant's storage, which a test begins without."""
    yield storage
    storage.clear()
    for method in ("_async_load", "_async_write_data", "async_remove"):
        getattr(Store, method).reset_mock()  # it remembers stores, and with them Home Assistant


@pytest.fixture(autouse=True)
async def enable_event_loop_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check who calls the loop and with what, as its debug mode does, but do nothing else.

    The debug mode, which the test package enables, keeps the stack of each task, future and
    connection (a quarter of the time of the tests), and inspects and times each callback (a
    seventh).
    """
    loop = asyncio.get_running_loop()
    loop.set_debug(False)
    for name, position in CALLBACKS.items():
        monkeypatch.setattr(loop, name, checked(getattr(loop, name), position))


def checked[**P, R](schedule: Callable[P, R], position: int) -> Callable[P, R]:
    """Return a method of the loop that checks its caller and its callback first."""
    thread = None if schedule.__name__ in FROM_ANY_THREAD else threading.get_ident()

    def check_and_schedule(*args: P.args, **options: P.kwargs) -> R:
        if thread is not None and threading.get_ident() != thread:
            raise RuntimeError("the event loop is called from another thread")
        callback = args[position]
        if isinstance(callback, partial):
            callback = callback.func
        code = getattr(callback, "__code__", None)
        if code is not None and code.co_flags & inspect.CO_COROUTINE:
            raise TypeError(f"the event loop calls a coroutine function: {callback}")
        return schedule(*args, **options)

    return check_and_schedule


@pytest.fixture(autouse=True)
def loopback(socket_enabled: None) -> None:  # noqa: ARG001  (fixture wanted for its effect)
    """Allow real sockets, on this machine only (127.0.0.0/8)."""
    pytest_socket.socket_allow_hosts(["127.0.0.0/8", "::1"], allow_unix_socket=True)


@pytest.fixture(autouse=True)
def unexplained() -> Generator[Unexplained]:
    """Name what the log says without a row in docs/troubleshooting.md, at the end of a run."""
    logger, handler = logging.getLogger("custom_components"), Unexplained()
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)
    for line in handler.lines:
        warnings.warn(f"docs/troubleshooting.md has no row for: {line}", stacklevel=1)


@pytest.fixture(autouse=True)
def deprecated() -> Generator[Deprecated]:
    """Fail a test whose log reports a deprecated use by us."""
    root, handler = logging.getLogger(), Deprecated()
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)
    if handler.lines:
        pytest.fail("\n".join(handler.lines), pytrace=False)


@pytest.fixture
def hass(hass: HomeAssistant, tmp_path: Path) -> HomeAssistant:
    """Give Home Assistant a folder of its own and this project's `custom_components`.

    The test package shares one folder between all tests, and finds no custom integrations.
    """
    hass.config.config_dir = str(tmp_path)
    hass.data.pop(DATA_CUSTOM_COMPONENTS)
    return hass


@pytest.fixture
def config_dir(hass: HomeAssistant) -> Path:
    """Return the folder with configuration.yaml and .storage."""
    return Path(hass.config.config_dir)


@pytest.fixture
def notices(hass: HomeAssistant) -> Notices:
    """Watch the persistent notifications."""
    watched = Notices()
    persistent_notification.async_register_callback(hass, watched.changed)
    return watched


@pytest.fixture
async def endpoint() -> AsyncGenerator[Endpoint]:
    """Run the JSON endpoint."""
    async with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def rest_home(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, endpoint: Endpoint
) -> RestHome:
    """Return a home with an endpoint, with debug logging on."""
    caplog.set_level(logging.DEBUG)
    return RestHome(hass, caplog, endpoint)


@pytest.fixture
def impatient_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits of core's MQTT client: they are meant for brokers far away."""
    monkeypatch.setattr(core_client, "INITIAL_SUBSCRIBE_COOLDOWN", 0.01)
    monkeypatch.setattr(core_client, "SUBSCRIBE_COOLDOWN", 0.01)
    monkeypatch.setattr(core_client, "UNSUBSCRIBE_COOLDOWN", 0.01)
    monkeypatch.setattr(core_client, "DISCOVERY_COOLDOWN", 0.1)
    monkeypatch.setattr(core_client, "RECONNECT_INTERVAL_SECONDS", 0.1)
    # Core tries MQTT 5 first, with a wait of seconds for brokers that do not know it.
    monkeypatch.setattr(mqtt, "try_connection", lambda _config: False)


@pytest.fixture
async def broker(impatient_core: None) -> AsyncGenerator[Broker]:  # noqa: ARG001  (for its effect)
    """Run the broker."""
    async with Broker() as broker:
        yield broker


@pytest.fixture
async def bare_mqtt_home(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, broker: Broker
) -> AsyncGenerator[MqttHome]:
    """Run a broker; core's MQTT integration is not set up, and is stopped at the end."""
    home = MqttHome(hass, caplog, broker)
    home.write("")
    await home.device.connect()
    yield home
    home.device.close()
    for entry in hass.config_entries.async_entries(mqtt.DOMAIN):
        if entry.state is ConfigEntryState.LOADED:
            # Core's client leaves a timer behind when it is unloaded while it connects.
            with contextlib.suppress(TimeoutError):
                await until(lambda: mqtt.is_connected(hass), CONNECTING_S)
            await hass.config_entries.async_unload(entry.entry_id)


@pytest.fixture
async def mqtt_home(bare_mqtt_home: MqttHome) -> MqttHome:
    """Run Home Assistant with core's MQTT integration connected to the broker."""
    await bare_mqtt_home.start_mqtt()
    return bare_mqtt_home


@pytest.fixture
async def discovery(mqtt_home: MqttHome) -> MockConfigEntry:
    """Set up the discovery of mqtt_binary under the default prefix."""
    entry = MockConfigEntry(
        domain="mqtt_binary", options={"discovery_prefix": "mqtt_binary"}, title="Discovery"
    )
    entry.add_to_hass(mqtt_home.hass)
    assert await mqtt_home.hass.config_entries.async_setup(entry.entry_id)
    await mqtt_home.settled()
    return entry
