/**
 * Dashboard card: the remote control of a device that a hub of irhub controls.
 *
 *   type: custom:irhub-remote
 *   device: Television          its name, or its id in Home Assistant
 *   title: Lounge               optional; "" shows none
 *   hidden: [menu, Netflix]     optional: functions and commands to hide
 *
 * The websocket command `irhub/device/subscribe` sends the device, now and after each change:
 *   {device_id, name, kind, gap, remote, speeds: […], favourites: [{id, name}],
 *    commands: [{id, name, functions: […]}], entities: {domain: id}, entity: id of the main one,
 *    layout: [{shape, keys: […], prefix, pairs: {text: [function, function]}}],
 *    looks: {function: {text, icon, colour, repeats}}}
 * A press calls the action `irhub.send`. Correcting the state calls `irhub.set_state`; the
 * websocket command `irhub/device/possible` returns the states and fields to choose from:
 *   {entity_id, states: {state: {field: [values]}}}
 */

export const HOLD_MS = 400;
const RECEIVED_MS = 700;
const FAILED_MS = 4000;
const RETRY_MS = 5000;
const TIMER_MINUTES = [30, 60, 120, 240, 480];
const TIMER_REFRESH_MS = 10_000;
/** Elements of Home Assistant's thermostat card. */
const THERMOSTAT_ELEMENTS = ["ha-state-control-climate-temperature", "hui-card-features"];

/**
 * Return the blocks of buttons from top to bottom: [{shape, pairs, buttons}]. The last one has the
 * commands without a place in the layout.
 *
 * A button is {key, command}: `key` is a function, or null; `command` is the command to send, or
 * null if none has been learned. Buttons without a command are included only if `withEmpty`.
 */
export function blocksOf(device, hidden = [], withEmpty = false) {
  const isHidden = (command, key) =>
    hidden.includes(command.name) || (key !== null && hidden.includes(key));
  const byFunction = new Map();
  for (const command of device.commands) {
    for (const key of command.functions) byFunction.set(key, command);
  }
  const placed = new Set();
  // Functions of the thermostat need no buttons.
  if (device.entities?.climate) for (const { id } of byFunction.values()) placed.add(id);
  const blocks = [];
  for (const block of device.layout) {
    const keys = block.prefix
      ? [...byFunction.keys()].filter((key) => key.startsWith(block.prefix)) : block.keys;
    const buttons = [];
    for (const key of keys) {
      const command = byFunction.get(key) ?? null;
      if (command !== null) placed.add(command.id);
      if (command === null ? withEmpty : !isHidden(command, key)) buttons.push({ key, command });
    }
    if (buttons.length > 0) blocks.push({ shape: block.shape, pairs: block.pairs, buttons });
  }
  const others = device.commands
    .filter((command) => !placed.has(command.id) && !command.state && !isHidden(command, null))
    .map((command) => ({ key: command.functions[0] ?? null, command }));
  if (others.length > 0) blocks.push({ shape: "words", buttons: others });
  return blocks;
}

/**
 * Return the functions that correspond to a state of the device, and whether it has that state:
 * {toggle: true, "source TV": false}. A function is omitted if this is unknown.
 */
export function activeFunctions(device, states) {
  const entity = states[device.entity];
  if (!entity || ["unavailable", "unknown"].includes(entity.state)) return {};
  if (device.entities.climate) return {}; // the thermostat shows its state
  const { attributes, state } = entity;
  if (device.entities.cover) return { open: state === "open", close: state === "closed" };
  const active = { toggle: state === "on", on: state === "on" };
  if ("is_volume_muted" in attributes) active.mute = attributes.is_volume_muted;
  if ("oscillating" in attributes) active.oscillate = attributes.oscillating;
  const current = {
    source: attributes.source, sound_mode: attributes.sound_mode, preset: attributes.preset_mode,
  };
  const speeds = device.speeds ?? [];
  const speed = speeds[Math.round((attributes.percentage * speeds.length) / 100) - 1];
  current.speed = speed;
  current[attributes.direction ?? "forward"] = speed;
  for (const { functions } of device.commands) {
    for (const key of functions) {
      const [name] = key.split(" ", 1);
      if (key !== name && name in current) active[key] = current[name] === valueOf(key);
    }
  }
  return active;
}

/**
 * Return the fields that can be set together with a state, with their current value:
 * [{field, values, value}]. Values in `chosen` replace those of the entity; null is unknown.
 */
export function settableFields(states, state, attributes, chosen = {}) {
  return Object.entries(states[state] ?? {}).map(([field, values]) => {
    const value = field in chosen ? chosen[field] : attributes[field];
    return { field, values, value: values.includes(value) ? value : null };
  });
}

/** Return the minutes until a time, rounded up; null if it is missing or in the past. */
export function minutesUntil(time, now) {
  const minutes = Math.ceil((Date.parse(time) - now) / 60_000);
  return minutes > 0 ? minutes : null;
}

/**
 * Queue of presses: sends one at a time, and at most one waits. While a button is held down, its
 * press is repeated when the press before it is done and the hub's gap has passed.
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

  /** Send a command; while another one is being sent, replace the one that waits. */
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
  :host { display: block;
    /* At least 3:1 on a card, light or dark. */
    --edge: color-mix(in srgb, var(--primary-text-color) 55%, var(--card-background-color)); }
  .card { padding: 4px 12px 12px; display: flex; flex-direction: column; gap: 12px;
    align-items: center; }
  .card > :not(.head) { max-width: 100%; }
  .head { display: flex; align-self: stretch; align-items: center; min-height: 44px;
    position: relative; padding-inline-start: 4px; }
  .names { flex: 1; min-width: 0; padding: 8px 0; }
  h2 { margin: 0; font-size: var(--ha-font-size-l, 18px); font-weight: 400;
    overflow: hidden; text-overflow: ellipsis; }
  .state { color: var(--secondary-text-color); font-size: var(--ha-font-size-m, 14px); }
  .state:empty { display: none; }
  .menu { position: absolute; z-index: 5; top: 44px; inset-inline-end: 0; min-width: 180px;
    display: flex; flex-direction: column; padding: 4px; border-radius: 12px;
    border: 1px solid var(--edge); background: var(--card-background-color);
    box-shadow: 0 4px 12px rgb(0 0 0 / 30%); }
  .menu[hidden] { display: none; }
  .menu button { text-align: start; }
  .row, .words, .digits, .favourites { display: flex; flex-wrap: wrap; gap: 8px;
    justify-content: center; }
  .row, .pad, .rockers, .digits { direction: ltr; } /* in any language */
  .words, .wide, .favourites { align-self: stretch; }
  .wide { display: flex; gap: 8px; }
  .wide button { flex: 1; min-height: 64px; }
  .pad { display: grid; padding: 4px; border: 1px solid var(--edge); border-radius: 50%;
    background: var(--secondary-background-color);
    grid-template-columns: repeat(3, 56px); grid-template-rows: repeat(3, 56px);
    grid-template-areas: ". up ." "left ok right" ". down ."; }
  .pad button { border-radius: 50%; }
  .pad button:not(.empty, [data-state], [data-place="ok"]) { border-color: transparent;
    background: none; }
  .pad [data-place="ok"]:not([data-state]) { background: var(--card-background-color); }
  .rockers { display: flex; gap: 24px; align-items: center; }
  .rocker { display: flex; flex-direction: column; align-items: stretch; min-width: 64px;
    border: 1px solid var(--edge); border-radius: 28px; overflow: hidden;
    background: var(--secondary-background-color); }
  .rocker button { min-height: 56px; border-color: transparent; border-radius: 28px;
    background: none; }
  .rocker button:focus-visible { outline-offset: -3px; }
  .rocker span { text-align: center; font-size: var(--ha-font-size-s, 12px); padding: 0 8px; }
  .digits { display: grid; grid-template-columns: repeat(3, minmax(44px, 56px)); }
  .digits :nth-child(10) { grid-column: 2; }
  button, select { min-width: 44px; min-height: 44px; padding: 8px; font: inherit;
    border: 1px solid var(--edge); border-radius: var(--ha-border-radius-lg, 12px);
    color: var(--primary-text-color); background: var(--secondary-background-color); }
  button { cursor: pointer; touch-action: manipulation; user-select: none;
    transition: background 0.15s; }
  button[data-key] { background: var(--key-colour); }
  .row { gap: 6px; }
  .row button { min-width: 54px; }
  .row:has(> :nth-child(6)) { gap: 4px; }
  .row:has(> :nth-child(6)) button { min-width: 46px; } /* six side by side */
  button:focus-visible, select:focus-visible { outline: 2px solid var(--primary-color);
    outline-offset: 2px; }
  button[aria-pressed="true"] { border-color: var(--primary-color);
    box-shadow: inset 0 0 0 1px var(--primary-color);
    background: color-mix(in srgb, var(--primary-color) 25%, var(--card-background-color)); }
  button[data-state="pressed"], button[data-state="heard"],
  .rocker button[data-state="pressed"], .rocker button[data-state="heard"] {
    background: var(--primary-color); color: var(--text-primary-color); }
  button[data-state="failed"], .rocker button[data-state="failed"] {
    background: var(--error-color); color: #fff; }
  button.empty { border: 1px dashed var(--edge); background: none; }
  button.plain { border-color: transparent; background: none; }
  button:disabled { cursor: default; opacity: 0.5; }
  summary { min-height: 44px; display: flex; align-items: center; cursor: pointer;
    justify-content: center; gap: 4px; }
  summary::after { content: ""; border: 5px solid transparent; border-bottom-width: 0;
    border-top-color: currentcolor; }
  details[open] summary::after { transform: rotate(180deg); }
  .status { min-height: 1.4em; padding: 0 12px 12px; text-align: center;
    color: var(--secondary-text-color); overflow-wrap: anywhere; }
  .status.failed { color: color-mix(in srgb, var(--error-color) 75%, var(--primary-text-color)); }
  .status:empty { min-height: 0; padding: 0; }
  .thermostat { align-self: stretch; display: flex; flex-direction: column; gap: 12px;
    align-items: center; --ha-card-border-width: 0; --ha-card-box-shadow: none;
    --ha-card-background: none; }
  .thermostat > * { width: 100%; }
  .thermostat > ha-state-control-climate-temperature { max-width: 320px; }
  .timer { display: flex; gap: 8px; align-items: center; }
  .correct { display: flex; flex-direction: column; gap: 8px; align-self: stretch;
    text-align: center; }
  .correct label { display: flex; gap: 8px; align-items: center; justify-content: space-between; }
  .correct select { min-width: 50%; max-width: 65%; }
  .off { display: flex; flex-direction: column; gap: 8px; align-items: center;
    text-align: center; }
`;

/** Return the class of the card, derived from the HTMLElement that exists at its registration. */
const cardClass = (Element) => class extends Element {
  #config = null;
  #hass = null;
  #device = null;
  #problem = null;
  #presses = new Presses((button) => this.#send(button));
  #subscription = null;
  #retry;
  /** Subscribes after a reconnection. A device may be unknown until Home Assistant has started. */
  #subscribeAgain = () => this.#subscribe();
  /** Elements of Home Assistant that show an air conditioner; the feature types shown last. */
  #thermostatElements = [];
  #featureTypes = "";
  /** Entity id → state shown last. */
  #shownStates = new Map();
  /** The elements of the state's text and of the off timer. */
  #stateLine = null;
  #timerElement = null;
  #timerInterval = null;
  /** Replaced at each render; the status stays, so that screen readers announce its changes. */
  #content = document.createElement("div");
  #status = document.createElement("div");
  /** State (a time) of the event entity, seen last; undefined before the first look. */
  #lastReceived;
  #isEditing = false;
  #areDigitsOpen = false;
  /** The open form that corrects the state: {entity_id, states, state, chosen}. */
  #correction = null;
  /** Promise of the function that ends the active learning session. */
  #learning = null;
  /** Id of a command → its button. */
  #buttons = new Map();

  static getStubConfig(hass) {
    const entity = Object.values(hass.entities).find(({ entity_id }) => isOurs(hass, entity_id));
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
    const isOtherDevice = config.device !== this.#config?.device;
    this.#config = config;
    if (isOtherDevice) this.#subscribe();
    this.#render();
  }

  set hass(hass) {
    const before = this.#hass;
    const textBefore = this.#text("edit");
    this.#hass = hass;
    if (before === null) this.#subscribe();
    // The result is not used: it lacks the texts while another card loads them. Home Assistant sets
    // `hass` again when they are loaded.
    if (hass.language !== before?.language) hass.loadBackendTranslation("selector", "irhub");
    if (this.#text("edit") !== textBefore) this.#render();
    for (const element of this.#thermostatElements) element.hass = hass;
    this.#showReceived();
    this.#showState();
  }

  connectedCallback() {
    this.#subscribe();
  }

  disconnectedCallback() {
    this.#presses.release();
    clearInterval(this.#timerInterval);
    this.#endLearning();
    this.#unsubscribe();
  }

  getCardSize() {
    return 2 + (this.#device ? blocksOf(this.#device, this.#config.hidden).length * 2 : 4);
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

  #labelOf({ key, command }) {
    const textKey = this.#device?.looks[key]?.text ?? key;
    const translated = key && this.#hass?.localize(
      `component.irhub.selector.function.options.${textKey.replace(" ", "_")}`,
    );
    return translated || (key && valueOf(key)) || command?.name || key || "";
  }

  #subscribe() {
    this.#unsubscribe();
    if (!this.#hass || !this.#config || !this.isConnected) return;
    const { connection } = this.#hass;
    connection.addEventListener("ready", this.#subscribeAgain);
    this.#lastReceived = undefined;
    const message = { type: "irhub/device/subscribe", device: this.#config.device };
    const subscription = connection.subscribeMessage((device) => {
      if (this.#subscription !== subscription) return;
      this.#device = device;
      this.#problem = null;
      this.#presses.gapMs = device.gap * 1000;
      this.#showStatus("");
      this.#render();
      this.#showReceived();
    }, message, { resubscribe: false });
    this.#subscription = subscription;
    subscription.catch((error) => {
      if (this.#subscription !== subscription) return;
      this.#retry = setTimeout(this.#subscribeAgain, RETRY_MS);
      if (error.message === this.#problem) return;
      this.#device = null;
      this.#problem = error.message;
      this.#render();
    });
  }

  #unsubscribe() {
    clearTimeout(this.#retry);
    this.#hass?.connection.removeEventListener("ready", this.#subscribeAgain);
    unsubscribeFrom(this.#subscription);
    this.#subscription = null;
  }

  /** Replace the content; the element in focus keeps the focus. */
  #render() {
    const focused = this.shadowRoot.activeElement?.dataset.place;
    this.#presses.release(); // a removed button gets no pointerup
    this.#buttons.clear();
    this.#shownStates.clear();
    this.#thermostatElements = [];
    this.#stateLine = this.#timerElement = null;
    this.#content.replaceChildren();
    if (this.#device) {
      this.#renderHead();
      this.#renderCorrection();
      if (this.#isRemoteOff) {
        this.#renderRemoteOff();
        return;
      }
      this.#renderThermostat();
      this.#renderFavourites();
      const blocks = blocksOf(this.#device, this.#config.hidden, this.#isEditing);
      this.#content.append(...blocks.map((block) => this.#blockElement(block)));
      if (this.#isEditing) this.#content.append(this.#furtherButton());
      else if (blocks.length === 0 && !this.#device.entities.climate) {
        this.#showStatus(this.#text("no_commands"));
      }
    } else if (this.#problem) {
      this.#showStatus(this.#problem, true);
    }
    this.#showState();
    const controls = [...this.#content.querySelectorAll("button, select")];
    if (focused) controls.find((control) => control.dataset.place === focused)?.focus();
  }

  #renderHead() {
    const title = this.#config.title ?? this.#device.name;
    const items = this.#menuItems();
    if (!title && items.length === 0) return;
    const head = document.createElement("div");
    head.className = "head";
    const names = document.createElement("div");
    names.className = "names";
    if (title) {
      const heading = document.createElement("h2");
      heading.textContent = title;
      names.append(heading);
    }
    this.#stateLine = document.createElement("div");
    this.#stateLine.className = "state";
    names.append(this.#stateLine);
    head.append(names);
    if (this.#isEditing) head.append(this.#textButton("done", () => this.#setEditing(false)));
    else if (items.length > 0) head.append(...this.#menuElements(items));
    this.#content.append(head);
  }

  /** Return the items of the card's menu: [text key, action]. */
  #menuItems() {
    const main = this.#mainEntity;
    const items = [];
    if (main) items.push(["more_info", () => this.#openMoreInfo(main)]);
    if (main) items.push(["correct", () => this.#openCorrection()]);
    if (this.#device.entities.climate) {
      items.push(["favourite_save", () => this.#saveFavourite()]);
    }
    if (this.#hass.user?.is_admin) items.push(["edit", () => this.#setEditing(true)]);
    return items;
  }

  #menuElements(items) {
    const opener = this.#iconButton("dots-vertical", "menu of the card");
    opener.className = "plain";
    opener.setAttribute("aria-label", this.#text("menu"));
    opener.setAttribute("aria-haspopup", "menu");
    const menu = document.createElement("div");
    menu.className = "menu";
    menu.setAttribute("role", "menu");
    menu.setAttribute("aria-label", this.#text("menu"));
    const show = (isShown) => {
      menu.hidden = !isShown;
      opener.setAttribute("aria-expanded", String(isShown));
      // A tap beside an item must not press the buttons under the menu.
      for (const part of this.#content.children) {
        part.inert = isShown && !part.contains(menu);
      }
    };
    const close = () => show(false);
    close();
    const buttons = items.map(([key, action]) => {
      const item = this.#textButton(key, () => {
        close();
        opener.focus();
        action();
      });
      item.classList.add("plain");
      item.setAttribute("role", "menuitem");
      return item;
    });
    menu.append(...buttons);
    opener.addEventListener("click", () => {
      show(menu.hidden);
      if (!menu.hidden) buttons[0].focus();
    });
    menu.addEventListener("keydown", (event) => {
      const index = buttons.indexOf(this.shadowRoot.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) buttons.at((index + step) % buttons.length).focus();
      else if (event.key === "Escape") opener.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    menu.addEventListener("focusout", (event) => {
      if (!menu.contains(event.relatedTarget)) close();
    });
    return [opener, menu];
  }

  /** Return the id of the device's main entity. */
  get #mainEntity() {
    return this.#device.entity;
  }

  get #isRemoteOff() {
    return this.#hass.states[this.#device.remote]?.state === "off";
  }

  #openMoreInfo(entityId) {
    const detail = { entityId };
    const event = new CustomEvent("hass-more-info", { detail, bubbles: true, composed: true });
    this.dispatchEvent(event);
  }

  /** Show that the remote of the hub is turned off, instead of the buttons. */
  #renderRemoteOff() {
    const off = document.createElement("div");
    off.className = "off";
    const text = document.createElement("div");
    text.textContent = this.#text("remote_off");
    const turnOn = this.#textButton("turn_on", () =>
      this.#callAction("remote", "turn_on", { entity_id: this.#device.remote }),
    );
    off.append(text, turnOn);
    this.#content.append(off);
    this.#shownStates.set(this.#device.remote, this.#hass.states[this.#device.remote]);
  }

  /** Call an action; show its error. */
  async #callAction(domain, action, data) {
    try {
      await this.#hass.callService(domain, action, data, undefined, false);
      this.#showStatus("");
    } catch (error) {
      this.#showStatus(error.message, true);
    }
  }

  /** Open the form that corrects the state of the device. */
  async #openCorrection() {
    const message = { type: "irhub/device/possible", device: this.#config.device };
    try {
      const { entity_id, states } = await this.#hass.connection.sendMessagePromise(message);
      const { state } = this.#hass.states[entity_id] ?? {};
      this.#correction = { entity_id, states, state: state in states ? state : "", chosen: {} };
    } catch (error) {
      this.#showStatus(error.message, true);
      return;
    }
    this.#render();
    this.#content.querySelector(".correct select").focus();
  }

  #closeCorrection() {
    this.#correction = null;
    this.#render();
    this.#content.querySelector(".head button")?.focus();
  }

  #renderCorrection() {
    if (this.#correction === null) return;
    const { entity_id, states } = this.#correction;
    const entity = this.#hass.states[entity_id] ?? { entity_id, state: "", attributes: {} };
    const form = document.createElement("form");
    form.className = "correct";
    form.setAttribute("aria-label", this.#text("correct"));
    const help = document.createElement("div");
    help.textContent = this.#text("correct_help");
    const fields = document.createElement("div");
    fields.className = "correct";
    const save = this.#textButton("correct_save", () => {});
    save.type = "submit";
    const showFields = () => {
      const { state, chosen } = this.#correction;
      save.disabled = state === "";
      const settable = settableFields(states, state, entity.attributes, chosen);
      fields.replaceChildren(
        ...settable.map(({ field, values, value }) =>
          this.#labelledSelect(
            field, this.#hass.formatEntityAttributeName(entity, field), values, value,
            (option) => typeof option === "boolean" ? this.#text(option ? "yes" : "no")
              : this.#hass.formatEntityAttributeValue(entity, field, option),
            (option) => { chosen[field] = option; },
          ),
        ),
      );
    };
    const choice = this.#labelledSelect(
      "state", this.#text("correct_state"), Object.keys(states), this.#correction.state || null,
      (state) => this.#hass.formatEntityState(entity, state),
      (state) => { this.#correction.state = state ?? ""; showFields(); },
    );
    showFields();
    const row = document.createElement("div");
    row.className = "row";
    row.append(save, this.#textButton("cancel", () => this.#closeCorrection()));
    form.append(help, choice, fields, row);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { state, chosen } = this.#correction;
      const data = { entity_id, state };
      for (const { field, value } of settableFields(states, state, entity.attributes, chosen)) {
        if (value !== null) data[field] = value;
      }
      this.#closeCorrection();
      this.#callAction("irhub", "set_state", data);
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#closeCorrection();
    });
    this.#content.append(form);
  }

  /** Return a label with a select. Its value is one of `values`, or null if unknown. */
  #labelledSelect(place, name, values, value, textOf, onChange) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.dataset.place = `correct ${place}`;
    if (value === null) select.add(new Option("\u2013", ""));
    values.forEach((option, index) => {
      select.add(new Option(textOf(option), index, false, option === value));
    });
    select.addEventListener("change", () => {
      onChange(select.value === "" ? null : values[Number(select.value)]);
    });
    label.append(name, select);
    return label;
  }

  #setEditing(isEditing) {
    this.#isEditing = isEditing;
    this.#endLearning();
    this.#showStatus(isEditing ? this.#text("edit_help") : "");
    this.#render();
  }

  #renderThermostat() {
    const entity = this.#device.entities.climate;
    if (!entity) return;
    const container = document.createElement("div");
    container.className = "thermostat";
    this.#timerElement = document.createElement("div");
    this.#timerElement.className = "timer";
    this.#content.append(container, this.#timerElement);
    this.#featureTypes = "";
    window.loadCardHelpers?.().then((helpers) => {
      if (!container.isConnected) return; // the card was rendered again
      const wholeCard = helpers.createCardElement({ type: "thermostat", entity });
      // Two elements of the thermostat card, without its frame and title. If this release of Home
      // Assistant does not have them, the whole card.
      if (THERMOSTAT_ELEMENTS.every((name) => customElements.get(name))) {
        const dial = document.createElement("ha-state-control-climate-temperature");
        dial.showSecondary = true;
        dial.preventInteractionOnScroll = true;
        const features = document.createElement("hui-card-features");
        features.context = { entity_id: entity };
        this.#thermostatElements = [dial, features];
      } else {
        this.#thermostatElements = [wholeCard];
      }
      for (const element of this.#thermostatElements) element.hass = this.#hass;
      this.#showThermostat();
      container.replaceChildren(...this.#thermostatElements);
    });
  }

  #showThermostat() {
    const entity = this.#device.entities.climate;
    const [dial, features] = this.#thermostatElements;
    const state = this.#hass.states[entity];
    if (!features || !state) return;
    dial.stateObj = state;
    features.style.setProperty("--feature-color", `var(--state-climate-${
      state.state.replace("_", "-")}-color, var(--state-climate-${state.state}-color,
      var(--state-inactive-color)))`);
    const types = ["hvac", "fan", "swing", "preset"].filter(
      (level) => state.attributes[`${level}_modes`]?.length > 0,
    );
    if (this.#featureTypes === types.join()) return;
    this.#featureTypes = types.join();
    features.features = types.map((level) => ({ type: `climate-${level}-modes` }));
  }

  #renderFavourites() {
    const favourites = this.#device.favourites ?? [];
    if (favourites.length === 0) return;
    const group = document.createElement("div");
    group.className = "favourites";
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", this.#text("favourites"));
    for (const { id, name } of favourites) {
      const button = this.#buttonElement(id);
      button.textContent = name;
      button.addEventListener("click", () => {
        if (!this.#isEditing) this.#callAction("scene", "turn_on", { entity_id: id });
        else if (window.confirm(this.#text("favourite_delete", { name }))) {
          this.#callAction("irhub", "delete_favourite", { ...this.#climateTarget, name });
        }
      });
      group.append(button);
    }
    this.#content.append(group);
  }

  #saveFavourite() {
    const name = window.prompt(this.#text("favourite_name"))?.trim();
    if (name) this.#callAction("irhub", "save_favourite", { ...this.#climateTarget, name });
  }

  get #climateTarget() {
    return { entity_id: this.#device.entities.climate };
  }

  /** Show the remaining time of an air conditioner's off timer, or offer to start it. */
  #showTimer() {
    clearInterval(this.#timerInterval);
    const timer = this.#timerElement;
    const state = this.#hass.states[this.#device.entities.climate];
    if (!timer || !state) return;
    const turnOffIn = (minutes) =>
      this.#callAction("irhub", "turn_off_in", { ...this.#climateTarget, duration: { minutes } });
    const remaining = minutesUntil(state.attributes.off_at, Date.now());
    if (remaining !== null) {
      const cancel = this.#iconButton("close", "cancel timer");
      cancel.setAttribute("aria-label", this.#text("timer_cancel"));
      cancel.addEventListener("click", () => turnOffIn(0));
      const text = this.#text("off_in_time", { time: this.#durationText(remaining) });
      timer.replaceChildren(text, cancel);
      this.#timerInterval = setInterval(() => this.#showTimer(), TIMER_REFRESH_MS);
      return;
    }
    if (["off", "unknown", "unavailable"].includes(state.state)) {
      timer.replaceChildren();
      return;
    }
    const choice = document.createElement("select");
    choice.setAttribute("aria-label", this.#text("off_in"));
    choice.add(new Option(`${this.#text("off_in")} …`, ""));
    for (const minutes of TIMER_MINUTES) {
      choice.add(new Option(this.#durationText(minutes), minutes));
    }
    choice.addEventListener("change", () => choice.value && turnOffIn(Number(choice.value)));
    timer.replaceChildren(choice);
  }

  /** Return minutes as text in the user's language: "1 hr 30 min". */
  #durationText(minutes) {
    const parts = [[Math.floor(minutes / 60), "hour"], [minutes % 60, "minute"]];
    return parts
      .filter(([value]) => value > 0)
      .map(([value, unit]) => new Intl.NumberFormat(this.#hass.language, {
        style: "unit", unit, unitDisplay: "short",
      }).format(value))
      .join(" ");
  }

  /** Show the states of the device's entities, if they have changed. */
  #showState() {
    if (!this.#device) return;
    const { remote } = this.#device;
    const ids = [this.#mainEntity, remote, ...(this.#device.favourites ?? []).map(({ id }) => id)];
    const watched = ids.filter(Boolean);
    const { states } = this.#hass;
    if (watched.every((id) => this.#shownStates.get(id) === states[id])) return;
    const wasOff = this.#shownStates.get(remote)?.state === "off";
    const isFirst = this.#shownStates.size === 0;
    for (const id of watched) this.#shownStates.set(id, states[id]);
    if (!isFirst && wasOff !== this.#isRemoteOff) {
      this.#render();
      return;
    }
    this.#showThermostat();
    this.#showTimer();
    this.#showStateLine();
    const active = activeFunctions(this.#device, states);
    for (const element of this.#buttons.values()) {
      const key = element.dataset.place;
      if (key in active) element.setAttribute("aria-pressed", String(active[key]));
      else element.removeAttribute("aria-pressed");
    }
  }

  #showStateLine() {
    const state = this.#hass.states[this.#mainEntity];
    if (!this.#stateLine || !state || this.#device.entities.climate) return;
    const texts = [this.#hass.formatEntityState(state)];
    for (const key of ["source", "percentage"]) {
      const hasValue = (state.attributes[key] ?? null) !== null;
      if (state.state === "on" && hasValue) {
        texts.push(this.#hass.formatEntityAttributeValue(state, key));
      }
    }
    this.#stateLine.textContent = texts.join(" · ");
  }

  #blockElement({ shape, pairs, buttons }) {
    const block = document.createElement("div");
    block.className = shape;
    for (const button of buttons) {
      const element = this.#commandButton(button);
      if (shape === "pad") element.style.gridArea = button.key;
      block.append(element);
    }
    if (shape === "rockers") this.#joinRockers(block, pairs);
    if (shape !== "digits") return block;
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = this.#text("digits");
    details.append(summary, block);
    details.open = this.#isEditing || this.#areDigitsOpen;
    details.addEventListener("toggle", () => {
      if (!this.#isEditing) this.#areDigitsOpen = details.open;
    });
    return details;
  }

  /** Join the two buttons of a pair, such as volume up and down, into a rocker with a label. */
  #joinRockers(block, pairs) {
    for (const [name, keys] of Object.entries(pairs)) {
      const ends = [...block.children].filter((button) => keys.includes(button.dataset.place));
      if (ends.length < 2) continue;
      const label = document.createElement("span");
      label.textContent = this.#text(name);
      const rocker = document.createElement("div");
      rocker.className = "rocker";
      ends[0].before(rocker);
      rocker.append(ends[0], label, ends[1]);
    }
  }

  #commandButton(button) {
    const { key, command } = button;
    const name = this.#labelOf(button);
    const { icon, colour } = this.#device.looks[key] ?? {};
    const place = key ?? command.id;
    const element = icon && !colour ? this.#iconButton(icon, place) : this.#buttonElement(place);
    if (colour) {
      element.dataset.key = key;
      element.style.setProperty("--key-colour", colour);
    } else if (!icon) element.textContent = key?.startsWith("digit ") ? valueOf(key) : name;
    element.setAttribute("aria-label", name);
    element.title = name;
    if (command === null) element.className = "empty";
    else this.#buttons.set(command.id, element);
    this.#addPressListeners(element, button);
    return element;
  }

  /** Return an empty button; its `place` identifies it after the next render. */
  #buttonElement(place) {
    const element = document.createElement("button");
    element.type = "button";
    element.dataset.place = place;
    return element;
  }

  /** Return a button with one of the card's translated texts. */
  #textButton(key, action) {
    const element = this.#buttonElement(key);
    element.textContent = this.#text(key);
    element.addEventListener("click", action);
    return element;
  }

  #iconButton(name, place) {
    const element = this.#buttonElement(place);
    const icon = document.createElement("ha-icon");
    icon.setAttribute("icon", `mdi:${name}`);
    element.append(icon);
    return element;
  }

  #addPressListeners(element, button) {
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
        else if (this.#device.looks[button.key]?.repeats) this.#presses.hold(button);
        else wasHeld = false; // the click that follows sends it
      }, HOLD_MS);
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) {
      element.addEventListener(end, release);
    }
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      if (this.#isEditing && !wasHeld) this.#learn(button); // the menu key of a keyboard
    });
    element.addEventListener("click", (event) => {
      const isByKeyboard = event.detail === 0;
      if (wasHeld && !isByKeyboard) wasHeld = false;
      else if (button.command === null) this.#learn(button);
      else this.#presses.press(button);
    });
  }

  /** Send a command; return whether the hub has confirmed it. */
  async #send({ command }) {
    this.#highlight(command.id, "pressed");
    try {
      await this.#hass.callService(
        "irhub",
        "send",
        { device: this.#device.device_id, command: command.name },
        undefined,
        false, // the card shows the error; no notification besides
      );
    } catch (error) {
      this.#highlight(command.id, "failed", FAILED_MS);
      this.#showStatus(error.message, true);
      return false;
    }
    this.#highlight(command.id, "sent", 0);
    this.#showStatus("");
    return true;
  }

  #highlight(id, state, forMs = null) {
    const element = this.#buttons.get(id);
    if (!element) return;
    element.dataset.state = state;
    clearTimeout(element.mark);
    if (forMs !== null) element.mark = setTimeout(() => delete element.dataset.state, forMs);
  }

  #showStatus(text, isFailure = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("failed", isFailure);
  }

  /** Highlight the button that was pressed on the real remote control. */
  #showReceived() {
    const state = this.#hass.states[this.#device?.entities.event];
    if (!state || state.state === this.#lastReceived) return;
    const isFirst = this.#lastReceived === undefined;
    this.#lastReceived = state.state;
    const name = state.attributes.command;
    const command = this.#device.commands.find((candidate) => candidate.name === name);
    if (command && !isFirst) this.#highlight(command.id, "heard", RECEIVED_MS);
  }

  /** Learn a function's button, an existing command again, or a new command under a name. */
  async #learn({ key, command }, name = command?.name) {
    await this.#endLearning();
    if (!this.#isEditing) return;
    const message = { type: "irhub/device/learn", device: this.#device.device_id };
    if (command) message.command = command.id;
    if (key) message.function = key;
    if (name) message.name = name;
    this.#showStatus(this.#text("connecting"));
    const learning = this.#hass.connection.subscribeMessage((step) => {
      if (learning !== this.#learning) return;
      const label = this.#labelOf({ key, command }) || step.name;
      this.#showStatus(step.error ?? this.#text(step.step, { name: label }), "error" in step);
      if (step.error || step.step === "learned") this.#endLearning();
    }, message, { resubscribe: false });
    this.#learning = learning;
    learning.catch((error) => this.#showStatus(error.message, true));
  }

  #endLearning() {
    const learning = this.#learning;
    this.#learning = null;
    return unsubscribeFrom(learning);
  }

  #furtherButton() {
    const add = this.#iconButton("plus", "further");
    add.className = "empty";
    add.setAttribute("aria-label", this.#text("further"));
    add.addEventListener("click", () => {
      const name = window.prompt(this.#text("further"))?.trim();
      if (name) this.#learn({ key: null, command: null }, name);
    });
    return add;
  }
};

/** End a subscription. Ignore errors: it may have failed, or ended with its connection. */
function unsubscribeFrom(subscription) {
  return subscription?.then((unsubscribe) => unsubscribe()).catch(() => undefined);
}

/** Return the value in a function: "TV" of "source TV"; empty without one. */
function valueOf(key) {
  const space = key.indexOf(" ");
  return space < 0 ? "" : key.slice(space + 1);
}

/** Return whether an entity belongs to a device that a hub controls (not to a hub itself). */
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
  customElements.define("irhub-remote", cardClass(HTMLElement));
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

// Home Assistant's app replaces the browser's element registry and classes. In 2026.7 this file may
// run before that, and an element registered too early would not be found.
globalThis.customElements?.whenDefined("home-assistant").then(register);
