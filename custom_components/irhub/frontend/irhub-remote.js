/**
 * The remote control of a device that irhub's hubs control, as a card for dashboards.
 *
 *   type: custom:irhub-remote
 *   device: Television          its name, or its id in Home Assistant
 *   title: Lounge               optional; "" shows none
 *   hidden: [menu, Netflix]     optional: functions and commands that are not shown
 *
 * What there is comes from Home Assistant by `irhub/device/subscribe`:
 *   {device_id, name, kind, gap, commands: [{id, name, functions: […]}], entities: {domain: id}}
 * A press is one call of the action `irhub.send`.
 */

export const HOLD_MS = 400;
const FLASH_MS = 700;
const FAILED_MS = 4000;
const RETRY_MS = 5000;
const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"].map((digit) => `digit ${digit}`);
const POWER = ["toggle", "on", "off"];
const PLAYER = [
  { shape: "row", keys: [...POWER, "source"] },
  { shape: "pad", keys: ["up", "left", "ok", "right", "down"] },
  { shape: "row", keys: ["back", "home", "menu", "info", "guide"] },
  { shape: "rockers", keys: ["volume_up", "volume_down", "mute", "next", "previous"] },
  { shape: "row", keys: ["rewind", "play", "pause", "stop", "forward", "record"] },
  { shape: "row", keys: ["red", "green", "yellow", "blue"] },
  { shape: "digits", keys: DIGITS },
  { shape: "words", prefix: "source " },
  { shape: "words", prefix: "sound_mode " },
];

/** Kind of device → what its remote control has, from top to bottom. */
export const LAYOUTS = {
  television: PLAYER,
  receiver: PLAYER,
  projector: PLAYER,
  player: PLAYER,
  air_conditioner: [],
  fan: [
    { shape: "row", keys: [...POWER, "oscillate", "reverse"] },
    { shape: "words", prefix: "speed " },
    { shape: "words", prefix: "forward " },
    { shape: "words", prefix: "reverse " },
    { shape: "words", prefix: "preset " },
  ],
  light: [
    { shape: "row", keys: POWER },
    { shape: "row", keys: ["dim", "brighten"] },
    { shape: "row", keys: ["warmer", "colder", "night"] },
  ],
  cover: [{ shape: "column", keys: ["open", "stop", "close"] }],
  other: [],
};

/** What goes on while its button is held down. */
export const REPEATING = new Set([
  "volume_up", "volume_down", "next", "previous", "up", "down", "left", "right",
  "brighten", "dim", "warmer", "colder",
]);

const ICONS = {
  toggle: "power", on: "power-on", off: "power-off", source: "import", up: "chevron-up",
  down: "chevron-down", left: "chevron-left", right: "chevron-right", back: "arrow-u-left-top",
  home: "home", menu: "menu", info: "information-outline", guide: "television-guide",
  volume_up: "volume-plus", volume_down: "volume-minus", mute: "volume-off",
  previous: "chevron-double-down", next: "chevron-double-up", rewind: "rewind",
  forward: "fast-forward", play: "play", pause: "pause", stop: "stop",
  record: "record", oscillate: "arrow-oscillating", reverse: "rotate-left",
  brighten: "brightness-7", dim: "brightness-4", warmer: "weather-sunny", colder: "snowflake",
  night: "weather-night", open: "arrow-up", close: "arrow-down",
};
const COLOURS = { red: "#d33", green: "#2a2", yellow: "#dc0", blue: "#36d" };

/**
 * Lay a device out: blocks of buttons from top to bottom, then all that has no place there.
 *
 * A button is {key, command}: `key` is a function, or null; `command` is what it sends, or null
 * where nothing was learned, which only comes `withEmpty`.
 */
export function layOut(device, hidden = [], withEmpty = false) {
  const isHidden = (command, key) =>
    hidden.includes(command.name) || (key !== null && hidden.includes(key));
  const byFunction = new Map();
  for (const command of device.commands) {
    for (const key of command.functions) byFunction.set(key, command);
  }
  const placed = new Set();
  // What its thermostat sends needs no button.
  if (device.entities?.climate) for (const { id } of byFunction.values()) placed.add(id);
  const blocks = [];
  for (const block of LAYOUTS[device.kind] ?? []) {
    const keys =
      block.keys ?? [...byFunction.keys()].filter((key) => key.startsWith(block.prefix));
    const buttons = [];
    for (const key of keys) {
      const command = byFunction.get(key) ?? null;
      if (command !== null) placed.add(command.id);
      if (command === null ? withEmpty : !isHidden(command, key)) buttons.push({ key, command });
    }
    if (buttons.length > 0) blocks.push({ shape: block.shape, buttons });
  }
  const left = device.commands
    .filter((command) => !placed.has(command.id) && !command.state && !isHidden(command, null))
    .map((command) => ({ key: command.functions[0] ?? null, command }));
  if (left.length > 0) blocks.push({ shape: "words", buttons: left });
  return blocks;
}

/**
 * Presses of one card: one is under way, and at most one waits. Held down, a button is pressed
 * again as soon as the press before it is done and the hub's gap is over.
 */
export class Presses {
  gapMs = 0;
  #send;
  #wait;
  #next = null;
  #isBusy = false;
  #held = null;

  constructor(send, wait = (ms) => new Promise((done) => setTimeout(done, ms))) {
    this.#send = send;
    this.#wait = wait;
  }

  /** Send a command, or let it be the one that waits. */
  async press(command) {
    this.#next = command;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#next !== null || this.#held !== null) {
        const sent = this.#next ?? this.#held;
        this.#next = null;
        if (!(await this.#send(sent))) this.#held = null;
        if (this.#next !== null || this.#held !== null) await this.#wait(this.gapMs);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  hold(command) {
    this.#held = command;
    return this.press(command);
  }

  release() {
    this.#held = null;
  }
}

const STYLE = `
  :host { display: block; }
  .card { padding: 12px; display: flex; flex-direction: column; gap: 12px; align-items: center; }
  .head { display: flex; align-self: stretch; align-items: center; min-height: 44px; }
  h2 { flex: 1; margin: 0; font-size: var(--ha-font-size-l, 18px); font-weight: 400;
    overflow: hidden; text-overflow: ellipsis; }
  .row, .words, .digits { display: flex; flex-wrap: wrap; gap: 8px; justify-content: center; }
  .row, .pad, .rockers, .digits { direction: ltr; } /* as on the real one, in any language */
  .column { display: flex; flex-direction: column; gap: 8px; }
  .words { align-self: stretch; }
  .pad { display: grid; gap: 4px;
    grid-template-columns: repeat(3, minmax(44px, 56px));
    grid-template-areas: ". up ." "left ok right" ". down ."; }
  .rockers { display: grid; gap: 4px 24px;
    grid-template-columns: repeat(3, minmax(44px, 56px));
    grid-template-areas: "volume_up . next" "volume_down mute previous"; }
  .digits { display: grid; grid-template-columns: repeat(3, minmax(44px, 56px)); }
  .digits :nth-child(10) { grid-column: 2; }
  button { min-width: 44px; min-height: 44px; padding: 8px; border: 1px solid transparent;
    border-radius: var(--ha-border-radius-lg, 12px); font: inherit; cursor: pointer;
    color: var(--primary-text-color); touch-action: manipulation; user-select: none;
    background: var(--of-key, var(--secondary-background-color)); transition: background 0.15s; }
  .row button { min-width: 56px; }
  button:focus-visible { outline: 2px solid var(--primary-color); outline-offset: 2px; }
  button[data-state="pressed"], button[data-state="heard"] { background: var(--primary-color);
    color: var(--text-primary-color); }
  button[data-state="failed"] { background: var(--error-color); color: #fff; }
  button.empty { border: 1px dashed var(--divider-color); background: var(--of-key, none);
    opacity: 0.6; }
  button.plain { background: none; }
  button:disabled { cursor: default; opacity: 0.5; }
  summary { min-height: 44px; display: flex; align-items: center; cursor: pointer;
    justify-content: center; gap: 4px; }
  summary::after { content: ""; border: 5px solid transparent; border-bottom-width: 0;
    border-top-color: currentcolor; }
  details[open] summary::after { transform: rotate(180deg); }
  .status { min-height: 1.4em; padding: 0 12px 12px; text-align: center;
    color: var(--secondary-text-color); overflow-wrap: anywhere; }
  .status.failed { color: var(--error-color); }
  .status:empty { min-height: 0; padding: 0; }
  .thermostat { align-self: stretch; }
`;

/** Return the card's element: a class over what elements are when it is registered. */
const over = (Element) => class extends Element {
  #config = null;
  #hass = null;
  #device = null;
  #problem = null;
  #presses = new Presses((button) => this.#send(button));
  #subscription = null;
  #retry;
  /** After Home Assistant was away; until it has started, a device may be unknown. */
  #subscribeAgain = () => this.#subscribe();
  #thermostat = null;
  /** What is drawn anew; the status below it stays, so that screen readers hear of its changes. */
  #content = document.createElement("div");
  #status = document.createElement("div");
  /** The last press that was heard; undefined until the first look. */
  #heard;
  #isEditing = false;
  #areDigitsOpen = false;
  /** Resolves to what ends the learning that is under way. */
  #learning = null;
  /** Id of a command → its button. */
  #buttons = new Map();

  static getStubConfig(hass) {
    const entity = Object.values(hass.entities).find((each) => isOurs(hass, each.entity_id));
    return { device: entity?.device_id ?? "" };
  }

  static getConfigForm() {
    return {
      schema: [
        { name: "device", required: true, selector: { device: { integration: "irhub" } } },
        { name: "title", selector: { text: {} } },
        { name: "hidden", selector: { text: { multiple: true } } },
      ],
      computeLabel: (field, localize) =>
        localize(`component.irhub.selector.card.options.${field.name}`) || field.name,
    };
  }

  constructor() {
    super();
    const style = document.createElement("style");
    style.textContent = STYLE;
    const card = document.createElement("ha-card");
    this.#content.className = "card";
    this.#status.className = "status";
    this.#status.setAttribute("role", "status");
    card.append(this.#content, this.#status);
    this.attachShadow({ mode: "open" }).append(style, card);
  }

  setConfig(config) {
    if (typeof config.device !== "string") throw new Error("device: the name of a device");
    if (config.hidden !== undefined && !Array.isArray(config.hidden)) {
      throw new Error("hidden: a list of functions and commands");
    }
    const isOther = config.device !== this.#config?.device;
    this.#config = config;
    if (isOther) this.#subscribe();
    this.#draw();
  }

  set hass(hass) {
    const before = this.#hass;
    const textBefore = this.#text("edit");
    this.#hass = hass;
    if (before === null) this.#subscribe();
    // What this resolves to lacks the texts while another card is loading them; Home Assistant
    // sets `hass` anew when they are there.
    if (hass.language !== before?.language) hass.loadBackendTranslation("selector", "irhub");
    if (this.#text("edit") !== textBefore) this.#draw();
    if (this.#thermostat) this.#thermostat.hass = hass;
    this.#hear();
  }

  connectedCallback() {
    this.#subscribe();
  }

  disconnectedCallback() {
    this.#presses.release();
    this.#endLearning();
    this.#unsubscribe();
  }

  getCardSize() {
    return 2 + (this.#device ? layOut(this.#device, this.#config.hidden).length * 2 : 4);
  }

  getGridOptions() {
    return { columns: 12, min_columns: 6 };
  }

  #text(key, placeholders = {}) {
    const text = this.#hass?.localize(`component.irhub.selector.card.options.${key}`) ?? "";
    return Object.entries(placeholders).reduce(
      (all, [name, value]) => all.replace(`[${name}]`, () => value), text,
    );
  }

  #nameOf({ key, command }) {
    const known = key && this.#hass?.localize(
      `component.irhub.selector.function.options.${key.replace(" ", "_")}`,
    );
    return known || (key && valueOf(key)) || command?.name || key || "";
  }

  #subscribe() {
    this.#unsubscribe();
    if (!this.#hass || !this.#config || !this.isConnected) return;
    const { connection } = this.#hass;
    connection.addEventListener("ready", this.#subscribeAgain);
    this.#heard = undefined;
    const message = { type: "irhub/device/subscribe", device: this.#config.device };
    const subscription = connection.subscribeMessage((device) => {
      if (this.#subscription !== subscription) return;
      this.#device = device;
      this.#problem = null;
      this.#presses.gapMs = device.gap * 1000;
      this.#say("");
      this.#draw();
      this.#hear();
    }, message, { resubscribe: false });
    this.#subscription = subscription;
    subscription.catch((error) => {
      if (this.#subscription !== subscription) return;
      this.#retry = setTimeout(this.#subscribeAgain, RETRY_MS);
      if (error.message === this.#problem) return;
      this.#device = null;
      this.#problem = error.message;
      this.#draw();
    });
  }

  #unsubscribe() {
    clearTimeout(this.#retry);
    this.#hass?.connection.removeEventListener("ready", this.#subscribeAgain);
    endOf(this.#subscription);
    this.#subscription = null;
  }

  /** Draw all anew; what has the focus keeps it. */
  #draw() {
    const focused = this.shadowRoot.activeElement?.dataset.place;
    this.#presses.release(); // a button that is gone is never let go
    this.#buttons.clear();
    this.#thermostat = null;
    this.#content.replaceChildren();
    if (this.#device) {
      this.#drawHead();
      this.#drawThermostat();
      const blocks = layOut(this.#device, this.#config.hidden, this.#isEditing);
      this.#content.append(...blocks.map((block) => this.#block(block)));
      if (this.#isEditing) this.#content.append(this.#further());
      else if (blocks.length === 0 && !this.#device.entities.climate) {
        this.#say(this.#text("no_commands"));
      }
    } else if (this.#problem) {
      this.#say(this.#problem, true);
    }
    const again = [...this.#content.querySelectorAll("button")];
    if (focused) again.find((each) => each.dataset.place === focused)?.focus();
  }

  #drawHead() {
    const title = this.#config.title ?? this.#device.name;
    const isAdmin = this.#hass.user?.is_admin;
    if (!title && !isAdmin) return;
    const head = document.createElement("div");
    head.className = "head";
    const heading = document.createElement("h2");
    heading.textContent = title;
    head.append(heading);
    if (isAdmin) {
      const edit = this.#icon(this.#isEditing ? "check" : "pencil", "edit");
      edit.className = "plain";
      edit.setAttribute("aria-label", this.#text(this.#isEditing ? "done" : "edit"));
      edit.addEventListener("click", () => this.#edit(!this.#isEditing));
      head.append(edit);
    }
    this.#content.append(head);
  }

  #edit(isEditing) {
    this.#isEditing = isEditing;
    this.#endLearning();
    this.#say(isEditing ? this.#text("edit_help") : "");
    this.#draw();
  }

  #drawThermostat() {
    const entity = this.#device.entities.climate;
    if (!entity) return;
    const place = document.createElement("div");
    place.className = "thermostat";
    this.#content.append(place);
    const attributes = this.#hass.states[entity]?.attributes ?? {};
    const features = [{ type: "climate-hvac-modes" }];
    for (const level of ["fan", "swing", "preset"]) {
      if (attributes[`${level}_modes`]) features.push({ type: `climate-${level}-modes` });
    }
    window.loadCardHelpers?.().then((helpers) => {
      if (!place.isConnected) return; // all was drawn anew
      this.#thermostat = helpers.createCardElement({ type: "thermostat", entity, features });
      this.#thermostat.hass = this.#hass;
      place.replaceChildren(this.#thermostat);
    });
  }

  #block({ shape, buttons }) {
    const block = document.createElement("div");
    block.className = shape;
    for (const button of buttons) {
      const element = this.#button(button);
      if (shape === "pad" || shape === "rockers") element.style.gridArea = button.key;
      block.append(element);
    }
    if (shape !== "digits") return block;
    const fold = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = this.#text("digits");
    fold.append(summary, block);
    fold.open = this.#isEditing || this.#areDigitsOpen;
    fold.addEventListener("toggle", () => {
      if (!this.#isEditing) this.#areDigitsOpen = fold.open;
    });
    return fold;
  }

  #button(button) {
    const { key, command } = button;
    const name = this.#nameOf(button);
    const icon = key && ICONS[key];
    const place = key ?? command.id;
    const element = icon ? this.#icon(icon, place) : this.#element(place);
    if (!icon) element.textContent = key?.startsWith("digit ") ? valueOf(key) : name;
    if (COLOURS[key]) {
      element.textContent = "";
      element.style.setProperty("--of-key", COLOURS[key]);
    }
    element.setAttribute("aria-label", name);
    element.title = name;
    if (command === null) element.className = "empty";
    else this.#buttons.set(command.id, element);
    this.#listen(element, button);
    return element;
  }

  /** Return a button; `place` says which one it is when all is drawn anew. */
  #element(place) {
    const element = document.createElement("button");
    element.type = "button";
    element.dataset.place = place;
    return element;
  }

  #icon(name, place) {
    const element = this.#element(place);
    const icon = document.createElement("ha-icon");
    icon.setAttribute("icon", `mdi:${name}`);
    element.append(icon);
    return element;
  }

  #listen(element, button) {
    let timer;
    let wasHeld = false;
    const release = () => {
      clearTimeout(timer);
      this.#presses.release();
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      wasHeld = false;
      timer = setTimeout(() => {
        if (!element.isConnected) return;
        wasHeld = true;
        if (this.#isEditing) this.#learn(button);
        else if (REPEATING.has(button.key)) this.#presses.hold(button);
        else wasHeld = false;
      }, HOLD_MS);
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) {
      element.addEventListener(end, release);
    }
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      if (this.#isEditing && !wasHeld) this.#learn(button); // by the keyboard
    });
    element.addEventListener("click", (event) => {
      const isKeyboards = event.detail === 0;
      if (wasHeld && !isKeyboards) wasHeld = false;
      else if (button.command === null) this.#learn(button);
      else this.#presses.press(button);
    });
  }

  /** Send a command; return whether the hub has confirmed it. */
  async #send({ command }) {
    this.#mark(command.id, "pressed");
    try {
      await this.#hass.callService(
        "irhub",
        "send",
        { device: this.#device.device_id, command: command.name },
        undefined,
        false, // what failed is said by the card, not by a notification besides
      );
    } catch (error) {
      this.#mark(command.id, "failed", FAILED_MS);
      this.#say(error.message, true);
      return false;
    }
    this.#mark(command.id, "sent", 0);
    this.#say("");
    return true;
  }

  #mark(id, state, forMs = null) {
    const element = this.#buttons.get(id);
    if (!element) return;
    element.dataset.state = state;
    clearTimeout(element.mark);
    if (forMs !== null) element.mark = setTimeout(() => delete element.dataset.state, forMs);
  }

  #say(text, isFailure = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("failed", isFailure);
  }

  /** Light up what the real remote control has sent. */
  #hear() {
    const state = this.#hass.states[this.#device?.entities.event];
    if (!state || state.state === this.#heard) return;
    const isFirst = this.#heard === undefined;
    this.#heard = state.state;
    const name = state.attributes.command;
    const command = this.#device.commands.find((each) => each.name === name);
    if (command && !isFirst) this.#mark(command.id, "heard", FLASH_MS);
  }

  /** Learn the button of a place, of a command that is there, or of a further name. */
  async #learn({ key, command }, name = command?.name) {
    await this.#endLearning();
    if (!this.#isEditing) return;
    const message = { type: "irhub/device/learn", device: this.#device.device_id };
    if (command) message.command = command.id;
    if (key) message.function = key;
    if (name) message.name = name;
    this.#say(this.#text("connecting"));
    const learning = this.#hass.connection.subscribeMessage((step) => {
      if (learning !== this.#learning) return;
      const shown = this.#nameOf({ key, command }) || step.name;
      this.#say(step.error ?? this.#text(step.step, { name: shown }), "error" in step);
      if (step.error || step.step === "learned") this.#endLearning();
    }, message, { resubscribe: false });
    this.#learning = learning;
    learning.catch((error) => this.#say(error.message, true));
  }

  #endLearning() {
    const learning = this.#learning;
    this.#learning = null;
    return endOf(learning);
  }

  #further() {
    const add = this.#icon("plus", "further");
    add.className = "empty";
    add.setAttribute("aria-label", this.#text("further"));
    add.addEventListener("click", () => {
      const name = window.prompt(this.#text("further"))?.trim();
      if (name) this.#learn({ key: null, command: null }, name);
    });
    return add;
  }
};

/** End a subscription, unless it has failed, or Home Assistant has been away since. */
function endOf(subscription) {
  return subscription?.then((end) => end()).catch(() => undefined);
}

function valueOf(key) {
  const space = key.indexOf(" ");
  return space < 0 ? "" : key.slice(space + 1);
}

function isOurs(hass, entityId) {
  const entity = hass.entities[entityId];
  return Boolean(
    entity?.platform === "irhub" && entity.device_id && !entity.entity_category &&
    hass.devices[entity.device_id]?.via_device_id,
  );
}

/** Register the card. */
function register() {
  if (customElements.get("irhub-remote")) return;
  customElements.define("irhub-remote", over(HTMLElement));
  window.customCards = window.customCards ?? [];
  window.customCards.push({
    type: "irhub-remote",
    name: "Remote control (irhub)",
    description: "The buttons of a device that an IR/RF hub controls",
    preview: true,
    getEntitySuggestion: (hass, entityId) =>
      isOurs(hass, entityId)
        ? { config: { type: "custom:irhub-remote", device: hass.entities[entityId].device_id } }
        : null,
  });
}

// Home Assistant's app puts a registry and elements of its own in the place of the browser's, and
// in 2026.7 this file may run earlier: what is registered then is not found.
globalThis.customElements?.whenDefined("home-assistant").then(register);
