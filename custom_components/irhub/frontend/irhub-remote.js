/**
 * The remote control of a device that irhub's hubs control, as a card for dashboards.
 *
 *   type: custom:irhub-remote
 *   device: Television          its name, or its id in Home Assistant
 *   title: Lounge               optional; "" shows none
 *   hidden: [menu, Netflix]     optional: functions and commands that are not shown
 *
 * What there is comes from Home Assistant by `irhub/device/subscribe`:
 *   {device_id, name, kind, gap, remote, speeds: […], favourites: [{id, name}],
 *    commands: [{id, name, functions: […]}], entities: {domain: id}, entity: id of the main one,
 *    layout: [{shape, keys: […], prefix, pairs: {text: [function, function]}}],
 *    looks: {function: {text, icon, colour, repeats}}}
 * A press is one call of the action `irhub.send`; what the device is said to be, one of
 * `irhub.set_state`, whose fields come from `irhub/device/possible`:
 *   {entity_id, states: {state: {field: [values]}}}
 */

export const HOLD_MS = 400;
const FLASH_MS = 700;
const FAILED_MS = 4000;
const RETRY_MS = 5000;
const OFF_IN_MIN = [30, 60, 120, 240, 480];
const TICK_MS = 10_000;
/** Home Assistant's own parts of a thermostat. */
const THERMOSTAT_PARTS = ["ha-state-control-climate-temperature", "hui-card-features"];

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
  const left = device.commands
    .filter((command) => !placed.has(command.id) && !command.state && !isHidden(command, null))
    .map((command) => ({ key: command.functions[0] ?? null, command }));
  if (left.length > 0) blocks.push({ shape: "words", buttons: left });
  return blocks;
}

/**
 * Return which functions say how the device is, and whether it is so: {toggle: true, "source TV":
 * false}. A function is left out if that is not known.
 */
export function stateOf(device, states) {
  const entity = states[device.entity];
  if (!entity || ["unavailable", "unknown"].includes(entity.state)) return {};
  if (device.entities.climate) return {}; // its thermostat says it
  const { attributes, state } = entity;
  if (device.entities.cover) return { open: state === "open", close: state === "closed" };
  const is = { toggle: state === "on", on: state === "on" };
  if ("is_volume_muted" in attributes) is.mute = attributes.is_volume_muted;
  if ("oscillating" in attributes) is.oscillate = attributes.oscillating;
  const of = {
    source: attributes.source, sound_mode: attributes.sound_mode, preset: attributes.preset_mode,
  };
  const speeds = device.speeds ?? [];
  const speed = speeds[Math.round((attributes.percentage * speeds.length) / 100) - 1];
  of.speed = of[attributes.direction ?? "forward"] = speed;
  for (const { functions } of device.commands) {
    for (const key of functions) {
      const [name] = key.split(" ", 1);
      if (key !== name && name in of) is[key] = of[name] === valueOf(key);
    }
  }
  return is;
}

/**
 * Return what can be said of a device in a state, each with the value that is shown of it now:
 * [{field, values, value}]. `chosen` is what was chosen before; null is not known.
 */
export function fieldsOf(states, state, attributes, chosen = {}) {
  return Object.entries(states[state] ?? {}).map(([field, values]) => {
    const now = field in chosen ? chosen[field] : attributes[field];
    return { field, values, value: values.includes(now) ? now : null };
  });
}

/** Return the minutes until a time, rounded up; null if there is none, or it is over. */
export function minutesUntil(time, now) {
  const minutes = Math.ceil((Date.parse(time) - now) / 60_000);
  return minutes > 0 ? minutes : null;
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
  .row, .pad, .rockers, .digits { direction: ltr; } /* as on the real one, in any language */
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
  button[data-key] { background: var(--of-key); }
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
  /** What Home Assistant draws of an air conditioner, and what of it there was. */
  #thermostat = [];
  #features = "";
  /** What the card shows the state of: entity id → the state that it has shown. */
  #shown = new Map();
  /** Shows the state in words; shows how long a timer still runs. */
  #stateLine = null;
  #timerPlace = null;
  #tick = null;
  /** What is drawn anew; the status below it stays, so that screen readers hear of its changes. */
  #content = document.createElement("div");
  #status = document.createElement("div");
  /** The last press that was heard; undefined until the first look. */
  #heard;
  #isEditing = false;
  #areDigitsOpen = false;
  /** What its user is about to say that the device is: {entity_id, states, state, chosen}. */
  #correcting = null;
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
    for (const element of this.#thermostat) element.hass = hass;
    this.#hear();
    this.#showState();
  }

  connectedCallback() {
    this.#subscribe();
  }

  disconnectedCallback() {
    this.#presses.release();
    clearInterval(this.#tick);
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
    const called = this.#device?.looks[key]?.text ?? key;
    const known = key && this.#hass?.localize(
      `component.irhub.selector.function.options.${called.replace(" ", "_")}`,
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
    this.#shown.clear();
    this.#thermostat = [];
    this.#stateLine = this.#timerPlace = null;
    this.#content.replaceChildren();
    if (this.#device) {
      this.#drawHead();
      this.#drawCorrecting();
      if (this.#isOff) {
        this.#drawOff();
        return;
      }
      this.#drawThermostat();
      this.#drawFavourites();
      const blocks = layOut(this.#device, this.#config.hidden, this.#isEditing);
      this.#content.append(...blocks.map((block) => this.#block(block)));
      if (this.#isEditing) this.#content.append(this.#further());
      else if (blocks.length === 0 && !this.#device.entities.climate) {
        this.#say(this.#text("no_commands"));
      }
    } else if (this.#problem) {
      this.#say(this.#problem, true);
    }
    this.#showState();
    const again = [...this.#content.querySelectorAll("button, select")];
    if (focused) again.find((each) => each.dataset.place === focused)?.focus();
  }

  #drawHead() {
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
    if (this.#isEditing) head.append(this.#textButton("done", () => this.#edit(false)));
    else if (items.length > 0) head.append(...this.#menu(items));
    this.#content.append(head);
  }

  /** Return what the card's menu offers, each with what it does. */
  #menuItems() {
    const main = this.#main;
    const items = [];
    if (main) items.push(["more_info", () => this.#showMore(main)]);
    if (main) items.push(["correct", () => this.#correct()]);
    if (this.#device.entities.climate) {
      items.push(["favourite_save", () => this.#saveFavourite()]);
    }
    if (this.#hass.user?.is_admin) items.push(["edit", () => this.#edit(true)]);
    return items;
  }

  #menu(items) {
    const opener = this.#icon("dots-vertical", "menu of the card");
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
      // What the menu lies over is not pressed by a finger that misses it.
      for (const part of this.#content.children) {
        part.inert = isShown && !part.contains(menu);
      }
    };
    const close = () => show(false);
    close();
    const buttons = items.map(([key, act]) => {
      const item = this.#textButton(key, () => {
        close();
        opener.focus();
        act();
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
      const at = buttons.indexOf(this.shadowRoot.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) buttons.at((at + step) % buttons.length).focus();
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

  /** Return the entity that the device is in Home Assistant. */
  get #main() {
    return this.#device.entity;
  }

  get #isOff() {
    return this.#hass.states[this.#device.remote]?.state === "off";
  }

  #showMore(entityId) {
    const detail = { entityId };
    const event = new CustomEvent("hass-more-info", { detail, bubbles: true, composed: true });
    this.dispatchEvent(event);
  }

  /** Say that the remote of the hub is turned off, in place of what would send. */
  #drawOff() {
    const off = document.createElement("div");
    off.className = "off";
    const text = document.createElement("div");
    text.textContent = this.#text("remote_off");
    const turnOn = this.#textButton("turn_on", () =>
      this.#act("remote", "turn_on", { entity_id: this.#device.remote }),
    );
    off.append(text, turnOn);
    this.#content.append(off);
    this.#shown.set(this.#device.remote, this.#hass.states[this.#device.remote]);
  }

  /** Call an action; say what went wrong. */
  async #act(domain, action, data) {
    try {
      await this.#hass.callService(domain, action, data, undefined, false);
      this.#say("");
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  /** Ask what the device is really set to. */
  async #correct() {
    const message = { type: "irhub/device/possible", device: this.#config.device };
    try {
      const { entity_id, states } = await this.#hass.connection.sendMessagePromise(message);
      const { state } = this.#hass.states[entity_id] ?? {};
      this.#correcting = { entity_id, states, state: state in states ? state : "", chosen: {} };
    } catch (error) {
      this.#say(error.message, true);
      return;
    }
    this.#draw();
    this.#content.querySelector(".correct select").focus();
  }

  #endCorrecting() {
    this.#correcting = null;
    this.#draw();
    this.#content.querySelector(".head button")?.focus();
  }

  #drawCorrecting() {
    if (this.#correcting === null) return;
    const { entity_id, states } = this.#correcting;
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
      const { state, chosen } = this.#correcting;
      save.disabled = state === "";
      fields.replaceChildren(
        ...fieldsOf(states, state, entity.attributes, chosen).map(({ field, values, value }) =>
          this.#choice(
            field, this.#hass.formatEntityAttributeName(entity, field), values, value,
            (each) => typeof each === "boolean" ? this.#text(each ? "yes" : "no")
              : this.#hass.formatEntityAttributeValue(entity, field, each),
            (each) => { chosen[field] = each; },
          ),
        ),
      );
    };
    const known = Object.keys(states);
    const choice = this.#choice(
      "state", this.#text("correct_state"), known, this.#correcting.state || null,
      (each) => this.#hass.formatEntityState(entity, each),
      (each) => { this.#correcting.state = each ?? ""; showFields(); },
    );
    showFields();
    const row = document.createElement("div");
    row.className = "row";
    row.append(save, this.#textButton("cancel", () => this.#endCorrecting()));
    form.append(help, choice, fields, row);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { state, chosen } = this.#correcting;
      const data = { entity_id, state };
      for (const { field, value } of fieldsOf(states, state, entity.attributes, chosen)) {
        if (value !== null) data[field] = value;
      }
      this.#endCorrecting();
      this.#act("irhub", "set_state", data);
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#endCorrecting();
    });
    this.#content.append(form);
  }

  /** Return a select with its label: one of some values, or null while none is known. */
  #choice(place, name, values, value, textOf, choose) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.dataset.place = `correct ${place}`;
    if (value === null) select.add(new Option("\u2013", ""));
    values.forEach((each, index) => {
      select.add(new Option(textOf(each), index, false, each === value));
    });
    select.addEventListener("change", () => {
      choose(select.value === "" ? null : values[Number(select.value)]);
    });
    label.append(name, select);
    return label;
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
    this.#timerPlace = document.createElement("div");
    this.#timerPlace.className = "timer";
    this.#content.append(place, this.#timerPlace);
    this.#features = "";
    window.loadCardHelpers?.().then((helpers) => {
      if (!place.isConnected) return; // all was drawn anew
      const whole = helpers.createCardElement({ type: "thermostat", entity });
      // Its parts, without another shell and another title; as a whole, should it lack them.
      if (THERMOSTAT_PARTS.every((name) => customElements.get(name))) {
        const dial = document.createElement("ha-state-control-climate-temperature");
        dial.showSecondary = true;
        dial.preventInteractionOnScroll = true;
        const features = document.createElement("hui-card-features");
        features.context = { entity_id: entity };
        this.#thermostat = [dial, features];
      } else {
        this.#thermostat = [whole];
      }
      for (const element of this.#thermostat) element.hass = this.#hass;
      this.#showThermostat();
      place.replaceChildren(...this.#thermostat);
    });
  }

  #showThermostat() {
    const entity = this.#device.entities.climate;
    const [dial, features] = this.#thermostat;
    const state = this.#hass.states[entity];
    if (!features || !state) return;
    dial.stateObj = state;
    features.style.setProperty("--feature-color", `var(--state-climate-${
      state.state.replace("_", "-")}-color, var(--state-climate-${state.state}-color,
      var(--state-inactive-color)))`);
    const types = ["hvac", "fan", "swing", "preset"].filter(
      (level) => state.attributes[`${level}_modes`]?.length > 0,
    );
    if (this.#features === types.join()) return;
    this.#features = types.join();
    features.features = types.map((level) => ({ type: `climate-${level}-modes` }));
  }

  #drawFavourites() {
    const favourites = this.#device.favourites ?? [];
    if (favourites.length === 0) return;
    const place = document.createElement("div");
    place.className = "favourites";
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", this.#text("favourites"));
    for (const { id, name } of favourites) {
      const button = this.#element(id);
      button.textContent = name;
      button.addEventListener("click", () => {
        if (!this.#isEditing) this.#act("scene", "turn_on", { entity_id: id });
        else if (window.confirm(this.#text("favourite_delete", { name }))) {
          this.#act("irhub", "delete_favourite", { ...this.#onClimate, name });
        }
      });
      place.append(button);
    }
    this.#content.append(place);
  }

  #saveFavourite() {
    const name = window.prompt(this.#text("favourite_name"))?.trim();
    if (name) this.#act("irhub", "save_favourite", { ...this.#onClimate, name });
  }

  get #onClimate() {
    return { entity_id: this.#device.entities.climate };
  }

  /** Offer to turn an air conditioner off in some time, or say when it will be. */
  #showTimer() {
    clearInterval(this.#tick);
    const place = this.#timerPlace;
    const state = this.#hass.states[this.#device.entities.climate];
    if (!place || !state) return;
    const turnOffIn = (minutes) =>
      this.#act("irhub", "turn_off_in", { ...this.#onClimate, duration: { minutes } });
    const left = minutesUntil(state.attributes.off_at, Date.now());
    if (left !== null) {
      const cancel = this.#icon("close", "cancel timer");
      cancel.setAttribute("aria-label", this.#text("timer_cancel"));
      cancel.addEventListener("click", () => turnOffIn(0));
      place.replaceChildren(this.#text("off_in_time", { time: this.#duration(left) }), cancel);
      this.#tick = setInterval(() => this.#showTimer(), TICK_MS);
      return;
    }
    if (["off", "unknown", "unavailable"].includes(state.state)) {
      place.replaceChildren();
      return;
    }
    const choice = document.createElement("select");
    choice.setAttribute("aria-label", this.#text("off_in"));
    choice.add(new Option(`${this.#text("off_in")} …`, ""));
    for (const minutes of OFF_IN_MIN) choice.add(new Option(this.#duration(minutes), minutes));
    choice.addEventListener("change", () => choice.value && turnOffIn(Number(choice.value)));
    place.replaceChildren(choice);
  }

  /** Return minutes in words, in the language of the page: "1 hr 30 min". */
  #duration(minutes) {
    const parts = [[Math.floor(minutes / 60), "hour"], [minutes % 60, "minute"]];
    return parts
      .filter(([value]) => value > 0)
      .map(([value, unit]) => new Intl.NumberFormat(this.#hass.language, {
        style: "unit", unit, unitDisplay: "short",
      }).format(value))
      .join(" ");
  }

  /** Show how the device is now, if that is not shown already. */
  #showState() {
    if (!this.#device) return;
    const { remote } = this.#device;
    const ids = [this.#main, remote, ...(this.#device.favourites ?? []).map(({ id }) => id)];
    const watched = ids.filter(Boolean);
    const { states } = this.#hass;
    if (watched.every((id) => this.#shown.get(id) === states[id])) return;
    const wasOff = this.#shown.get(remote)?.state === "off";
    const wasThere = [...this.#shown.keys()].length > 0;
    for (const id of watched) this.#shown.set(id, states[id]);
    if (wasThere && wasOff !== this.#isOff) {
      this.#draw();
      return;
    }
    this.#showThermostat();
    this.#showTimer();
    this.#showLine();
    const is = stateOf(this.#device, states);
    for (const element of this.#buttons.values()) {
      const key = element.dataset.place;
      if (key in is) element.setAttribute("aria-pressed", String(is[key]));
      else element.removeAttribute("aria-pressed");
    }
  }

  #showLine() {
    const state = this.#hass.states[this.#main];
    if (!this.#stateLine || !state || this.#device.entities.climate) return;
    const words = [this.#hass.formatEntityState(state)];
    for (const key of ["source", "percentage"]) {
      const isSaid = state.state === "on" && state.attributes[key] !== undefined;
      if (isSaid && state.attributes[key] !== null) {
        words.push(this.#hass.formatEntityAttributeValue(state, key));
      }
    }
    this.#stateLine.textContent = words.join(" · ");
  }

  #block({ shape, pairs, buttons }) {
    const block = document.createElement("div");
    block.className = shape;
    for (const button of buttons) {
      const element = this.#button(button);
      if (shape === "pad") element.style.gridArea = button.key;
      block.append(element);
    }
    if (shape === "rockers") this.#joinRockers(block, pairs);
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

  /** Put what belongs together into one rocker, with what it is for in between. */
  #joinRockers(block, pairs) {
    for (const [name, keys] of Object.entries(pairs)) {
      const ends = [...block.children].filter((each) => keys.includes(each.dataset.place));
      if (ends.length < 2) continue;
      const label = document.createElement("span");
      label.textContent = this.#text(name);
      const rocker = document.createElement("div");
      rocker.className = "rocker";
      ends[0].before(rocker);
      rocker.append(ends[0], label, ends[1]);
    }
  }

  #button(button) {
    const { key, command } = button;
    const name = this.#nameOf(button);
    const { icon, colour } = this.#device.looks[key] ?? {};
    const place = key ?? command.id;
    const element = icon && !colour ? this.#icon(icon, place) : this.#element(place);
    if (colour) {
      element.dataset.key = key;
      element.style.setProperty("--of-key", colour);
    } else if (!icon) element.textContent = key?.startsWith("digit ") ? valueOf(key) : name;
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

  /** Return a button with one of the card's texts. */
  #textButton(key, act) {
    const element = this.#element(key);
    element.textContent = this.#text(key);
    element.addEventListener("click", act);
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
        else if (this.#device.looks[button.key]?.repeats) this.#presses.hold(button);
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
