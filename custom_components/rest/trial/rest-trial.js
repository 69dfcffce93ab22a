/**
 * The page that tries a web resource: ask it, pick values of the reply, take the YAML along.
 *
 * What it asks of Home Assistant is described in websocket.py. Nothing that is typed here or comes
 * in a reply is kept by the browser, and a text of a reply is never more than a text.
 */

const RESULT_DELAY_MS = 300;
const SEARCH_DELAY_MS = 300;
/** Keys of an entity that a row lets one change, in their order. */
export const FIELDS = [
  "name", "for_each", "key", "select", "value_template",
  "unit_of_measurement", "device_class", "state_class",
];
const OF_SENSORS = new Set(["unit_of_measurement", "state_class"]);

/** Return a new row of what Home Assistant proposes: one of the value, perhaps one for each. */
export function rowOf(proposals, id) {
  return { id, proposals, entity: { ...proposals[0] }, isForEach: false };
}

/** Return a row for the value alone, or for each like it, with its proposed keys. */
export function forEach(row, isForEach) {
  return { ...row, isForEach, entity: { ...row.proposals[isForEach ? 1 : 0] } };
}

/** Return the entities of rows as Home Assistant takes them: without what is empty. */
export function entitiesOf(rows) {
  return rows.map(({ entity }) => Object.fromEntries(
    Object.entries(entity).filter(
      ([key, text]) =>
        text !== "" && !(OF_SENSORS.has(key) && entity.platform === "binary_sensor"),
    ),
  ));
}

/** Return which fields a row shows. */
export function fieldsOf(entity) {
  return FIELDS.filter((field) => {
    if (["for_each", "key", "select"].includes(field)) return field in entity;
    return !(OF_SENSORS.has(field) && entity.platform === "binary_sensor");
  });
}

/** Return the key of a text that says what to do about a failure, or null. */
export function hintOf(reason = "") {
  if (/status 40[13]\b/.test(reason)) return "hint_refused";
  if (/status 404\b/.test(reason)) return "hint_not_found";
  if (/host name not found|cannot connect/.test(reason)) return "hint_unreachable";
  if (/no complete reply/.test(reason)) return "hint_timeout";
  if (/TLS|certificate/.test(reason)) return "hint_tls";
  return null;
}

/** Return what a row says of its state now: `name: state unit`, more of them below each other. */
export function statesOf({ states, count }) {
  const lines = states.map(
    ({ name, state, unit }) => `${name}: ${state}${unit ? ` ${unit}` : ""}`,
  );
  if (count > states.length) lines.push(`… (${count})`);
  return lines;
}

const STYLE = `
  :host { display: block; min-height: 100vh;
    background: var(--primary-background-color); color: var(--primary-text-color); }
  header { position: sticky; top: 0; z-index: 1; display: flex; align-items: center;
    min-height: var(--header-height, 56px); padding: 0 12px; gap: 8px;
    background: var(--app-header-background-color, var(--primary-color));
    color: var(--app-header-text-color, var(--text-primary-color)); }
  h1 { font-size: 20px; font-weight: 400; margin: 0; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; }
  main { max-width: 900px; margin: 0 auto; padding: 12px; display: flex; flex-direction: column;
    gap: 12px; }
  section { padding: 16px; border-radius: var(--ha-card-border-radius, 12px);
    background: var(--card-background-color); border: 1px solid var(--divider-color);
    display: flex; flex-direction: column; gap: 12px; min-width: 0; }
  [hidden] { display: none !important; }
  h2 { font-size: 16px; font-weight: 500; margin: 0; }
  p:empty { display: none; }
  p { margin: 0; overflow-wrap: anywhere; }
  .help { color: var(--secondary-text-color); }
  .error { color: var(--error-color); }
  label { display: flex; flex-direction: column; gap: 4px; min-width: 0;
    color: var(--secondary-text-color); font-size: 14px; }
  input, textarea, select { font: inherit; font-size: 16px; padding: 10px; min-width: 0;
    box-sizing: border-box; width: 100%; color: var(--primary-text-color);
    background: var(--secondary-background-color); border: 1px solid var(--divider-color);
    border-radius: 8px; }
  textarea { resize: vertical; font-family: var(--ha-font-family-code, monospace); }
  input[type="checkbox"] { width: 20px; height: 20px; }
  .check { flex-direction: row; align-items: center; gap: 8px; min-height: 44px; }
  .grid { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); }
  .row { border-top: 1px solid var(--divider-color); padding-top: 12px; display: flex;
    flex-direction: column; gap: 8px; min-width: 0; }
  .head { display: flex; justify-content: space-between; align-items: start; gap: 8px; }
  .states { padding-top: 10px; font-weight: 500; overflow-wrap: anywhere; }
  button { font: inherit; min-height: 44px; min-width: 44px; padding: 8px 16px; cursor: pointer;
    border: none; border-radius: 22px; color: var(--primary-color); background: none; }
  button.main { background: var(--primary-color); color: var(--text-primary-color);
    align-self: start; }
  button:disabled { opacity: 0.5; cursor: default; }
  :focus-visible { outline: 2px solid var(--primary-color); outline-offset: 2px; }
  summary { min-height: 44px; display: list-item; align-content: center; cursor: pointer; }
  .tree { overflow-x: auto; }
  .tree ul { list-style: none; margin: 0; padding-inline-start: 16px; }
  .tree > ul { padding: 0; }
  .node { display: flex; gap: 8px; width: 100%; text-align: start; padding: 10px 8px;
    border-radius: 8px; color: var(--primary-text-color); align-items: baseline; }
  .node[aria-expanded]::before { content: "\\25b8" / ""; color: var(--secondary-text-color); }
  .node[aria-expanded="true"]::before { content: "\\25be" / ""; }
  .node:hover { background: var(--secondary-background-color); }
  .node .of { color: var(--secondary-text-color); }
  .node .text { overflow-wrap: anywhere; font-family: var(--ha-font-family-code, monospace); }
  .node.chosen .text { color: var(--primary-color); font-weight: 600; }
  pre { margin: 0; padding: 12px; overflow: auto; border-radius: 8px; max-height: 60vh;
    background: var(--secondary-background-color); font-family: var(--ha-font-family-code, monospace); }
`;

/** Return an element with properties, texts and elements in it. */
function make(tag, properties = {}, ...inner) {
  const element = document.createElement(tag);
  const { dataset, ...others } = properties;
  Object.assign(element, others);
  Object.assign(element.dataset, dataset);
  element.append(...inner);
  return element;
}

/** Return the page's element: a class over what elements are when it is registered. */
const over = (Element) => class extends Element {
  #hass = null;
  #narrow = false;
  #isDrawn = false;
  #menu = null;
  /** The request whose reply is shown: its number, and what ends it. */
  #trial = null;
  #rows = [];
  #timers = {};
  #parts = {};

  set hass(hass) {
    const isOther = hass.language !== this.#hass?.language;
    const before = this.#text("title");
    this.#hass = hass;
    if (this.#menu) this.#menu.hass = hass;
    if (isOther) {
      for (const category of ["selector", "exceptions"]) {
        hass.loadBackendTranslation(category, "rest");
      }
    }
    if (!this.#isDrawn || before !== this.#text("title")) this.#draw();
  }

  set narrow(narrow) {
    this.#narrow = narrow;
    if (this.#menu) this.#menu.narrow = narrow;
  }

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
  }

  disconnectedCallback() {
    this.#endTrial();
  }

  connectedCallback() {
    if (this.#trial === null && this.#isDrawn) this.#clear();
  }

  #text(key, placeholders = {}) {
    const localized = this.#hass?.localize(`component.rest.selector.trial.options.${key}`) ?? "";
    const text = localized.replaceAll("`", ""); // which marks what is YAML
    return Object.entries(placeholders).reduce(
      (all, [name, value]) => all.replace(`[${name}]`, () => value), text,
    );
  }

  /** Draw the page, once its texts are there; what was typed stays. */
  #draw() {
    if (!this.#text("title")) return;
    const typed = this.#isDrawn ? this.#typed() : {};
    this.#isDrawn = true;
    this.#menu = document.createElement("ha-menu-button");
    Object.assign(this.#menu, { hass: this.#hass, narrow: this.#narrow });
    const header = make("header", {}, this.#menu, make("h1", { textContent: this.#text("title") }));
    const parts = this.#parts = {
      form: this.#form(typed),
      status: make("p", { role: "status", className: "status" }),
      reply: make("section", { hidden: true }),
      entities: make("section", { hidden: true }),
      result: make("section", { hidden: true }),
    };
    const main = make("main", {}, parts.form, parts.reply, parts.entities, parts.result);
    parts.form.append(parts.status);
    const style = make("style", { textContent: STYLE });
    this.shadowRoot.replaceChildren(style, header, main);
  }

  #form(typed) {
    const field = (tag, name, properties = {}) => {
      const value = typed[name] ?? properties.value ?? "";
      const control = make(tag, {
        name, autocomplete: "off", spellcheck: false, ...properties, value,
      });
      control.setAttribute("autocapitalize", "none");
      return make("label", {}, this.#text(`field_${name}`), control);
    };
    const method = field("select", "method");
    method.querySelector("select").append(
      ...["GET", "POST"].map((text) => make("option", { textContent: text, value: text })),
    );
    method.querySelector("select").value = typed.method ?? "GET";
    const target = field("textarea", "target", { rows: 2 });
    target.querySelector("textarea").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.#start();
      }
    });
    const further = make(
      "details", {},
      make("summary", { textContent: this.#text("further") }),
      make(
        "div", { className: "grid" },
        method,
        field("input", "scan_interval", { type: "number", min: 0, value: "60" }),
        field("input", "username"),
        field("input", "password", { type: "password", autocomplete: "new-password" }),
      ),
      field("textarea", "headers", { rows: 2, placeholder: "Accept: application/json" }),
      field("textarea", "payload", { rows: 2 }),
      field("textarea", "more", { rows: 4 }),
      make("p", { className: "help", textContent: this.#text("more_help") }),
    );
    const send = make("button", { type: "button", className: "main", dataset: { id: "send" } });
    send.textContent = this.#text("send");
    send.addEventListener("click", () => this.#start());
    return make(
      "section", {},
      make("p", { className: "help", textContent: this.#text("help") }), target, further, send,
    );
  }

  #typed() {
    const typed = {};
    for (const control of this.#parts.form.querySelectorAll("input, select, textarea")) {
      typed[control.name] = control.value;
    }
    return typed;
  }

  #say(text, isFailure = false) {
    this.#parts.status.textContent = text;
    this.#parts.status.classList.toggle("error", isFailure);
  }

  #endTrial() {
    const trial = this.#trial;
    this.#trial = null;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    trial?.subscription.then((end) => end()).catch(() => undefined);
  }

  /** Forget the last reply, and what was chosen of it. */
  #clear() {
    this.#rows = [];
    for (const part of ["reply", "entities", "result"]) {
      this.#parts[part].hidden = true;
      this.#parts[part].replaceChildren();
    }
  }

  #start() {
    this.#endTrial();
    this.#clear();
    const { scan_interval: interval, ...typed } = this.#typed();
    const message = { type: "rest/trial/start", ...typed };
    if (interval !== "") message.scan_interval = Math.round(Number(interval));
    this.#say(this.#text("waiting"));
    const trial = { id: null };
    trial.subscription = this.#hass.connection.subscribeMessage(
      (event) => {
        if (trial !== this.#trial) return;
        if (event.error) this.#fail(event.error);
        else this.#show(event.reply);
      },
      message,
      { resubscribe: false },
    );
    this.#trial = trial;
    trial.subscription.catch((error) => {
      if (trial !== this.#trial) return;
      this.#trial = null;
      this.#fail(error);
    });
  }

  /** Say what went wrong, in the user's language where Home Assistant has it. */
  #fail(error) {
    const key = `component.rest.exceptions.${error.translation_key}.message`;
    const told = error.translation_key
      ? this.#hass.localize(key, error.translation_placeholders ?? {})
      : "";
    const hint = hintOf(error.translation_placeholders?.reason ?? error.message);
    this.#say([told || error.message, hint && this.#text(hint)].filter(Boolean).join(" "), true);
  }

  /** Ask something of the reply that is shown. */
  async #ask(command, more) {
    const trial = this.#trial;
    let answer;
    try {
      answer = await this.#hass.connection.sendMessagePromise({
        type: `rest/trial/${command}`, trial: trial?.id ?? 0, ...more,
      });
    } catch (error) {
      // Home Assistant was away meanwhile.
      throw error.code === "not_found" ? new Error(this.#text("gone"), { cause: error }) : error;
    }
    if (trial !== this.#trial) throw new Error(); // another reply is shown by now
    return answer;
  }

  #show(reply) {
    this.#trial.id = reply.trial;
    const { kind, status, size, nodes, more, warnings } = reply;
    this.#say(this.#text("came", { status, size: size.toLocaleString() }));
    const search = make("input", { type: "search", autocomplete: "off", spellcheck: false });
    search.setAttribute("aria-label", this.#text("search"));
    search.placeholder = this.#text("search");
    const tree = make("div", { className: "tree" });
    const whole = this.#list(nodes, more, []);
    tree.append(whole);
    search.addEventListener("input", () => {
      clearTimeout(this.#timers.search);
      this.#timers.search = setTimeout(async () => {
        if (search.value.trim() === "") tree.replaceChildren(whole);
        else await this.#search(search.value.trim(), tree);
      }, SEARCH_DELAY_MS);
    });
    this.#parts.reply.replaceChildren(
      make("h2", { textContent: this.#text("reply") }),
      make("p", { className: "help", textContent: this.#text(`kind_${kind}`) }),
      ...warnings.map((warning) => make("p", { className: "error", textContent: warning })),
      search,
      tree,
    );
    this.#parts.reply.hidden = false;
    this.#parts.reply.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  async #search(text, tree) {
    try {
      const { nodes, more } = await this.#ask("search", { text });
      tree.replaceChildren(
        nodes.length > 0
          ? this.#list(nodes, more, [])
          : make("p", { className: "help", textContent: this.#text("nothing_found") }),
      );
    } catch (error) {
      if (error.message) this.#say(error.message, true);
    }
  }

  /** Return a list of nodes below a path from `start` on, and a button for more of them. */
  #list(nodes, more, path, start = 0) {
    const list = make("ul", {}, ...nodes.map((node) => this.#node(node)));
    if (more > 0) {
      const button = make("button", { type: "button" });
      button.textContent = this.#text("show_more", { count: more.toLocaleString() });
      const item = make("li", {}, button);
      button.addEventListener("click", async () => {
        button.disabled = true;
        const next = start + nodes.length;
        const below = await this.#below(path, next);
        if (below) item.replaceWith(...this.#list(below.nodes, below.more, path, next).children);
        else button.disabled = false;
      });
      list.append(item);
    }
    return list;
  }

  async #below(path, start) {
    try {
      return await this.#ask("children", { path, start });
    } catch (error) {
      if (error.message) this.#say(error.message, true);
      return null;
    }
  }

  #node(node) {
    const holds = node.kind === "object" || node.kind === "list";
    const button = make("button", { type: "button", className: "node" });
    if (node.label !== "") button.append(make("span", { className: "of", textContent: node.label }));
    const text = holds ? this.#text(`kind_of_${node.kind}`, { count: node.count }) : node.text;
    button.append(make("span", { className: "text", textContent: text || "∅" }));
    const item = make("li", {}, button);
    if (!holds) {
      button.addEventListener("click", () => this.#choose(node, button));
      return item;
    }
    button.setAttribute("aria-expanded", "false");
    let inner = null;
    button.addEventListener("click", async () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!isOpen));
      if (inner) inner.hidden = isOpen;
      else if (!isOpen) {
        const below = await this.#below(node.path, 0);
        if (!below || inner) return;
        inner = this.#list(below.nodes, below.more, node.path);
        item.append(inner);
      }
    });
    return item;
  }

  /** Make a row of a value, or go to the one that is there. */
  async #choose(node, button) {
    const id = JSON.stringify(node.path);
    if (this.#rows.some((row) => row.id === id)) {
      this.#elementOf(id)?.querySelector("input[name=name]")?.focus();
      return;
    }
    try {
      const { entities } = await this.#ask("propose", { path: node.path });
      if (this.#rows.some((row) => row.id === id)) return; // of a double click
      this.#rows = [...this.#rows, rowOf(entities, id)];
    } catch (error) {
      if (error.message) this.#say(error.message, true);
      return;
    }
    button.classList.add("chosen");
    this.#drawRows();
  }

  #elementOf(id) {
    const rows = [...this.#parts.entities.querySelectorAll(".row")];
    return rows.find((element) => element.dataset.row === id);
  }

  #drawRows() {
    const { entities, result } = this.#parts;
    entities.hidden = result.hidden = this.#rows.length === 0;
    entities.replaceChildren(
      make("h2", { textContent: this.#text("entities") }),
      ...this.#rows.map((row) => this.#row(row)),
    );
    this.#update();
  }

  #row(row) {
    const states = make("div", { className: "states", role: "status" });
    const problems = make("p", { className: "error" });
    const remove = make("button", { type: "button", textContent: "✕" });
    remove.setAttribute("aria-label", this.#text("remove"));
    remove.addEventListener("click", () => {
      this.#rows = this.#rows.filter((other) => other.id !== row.id);
      this.#drawRows();
    });
    const element = make(
      "div", { className: "row", dataset: { row: row.id } },
      make("div", { className: "head" }, states, remove), problems,
    );
    if (row.proposals.length > 1) element.append(this.#forEach(row));
    const grid = make("div", { className: "grid" });
    for (const field of fieldsOf(row.entity)) {
      const control = make("input", {
        name: field, value: row.entity[field] ?? "", autocomplete: "off", spellcheck: false,
      });
      control.addEventListener("input", () => {
        const current = this.#rows.find((other) => other.id === row.id);
        current.entity[field] = control.value;
        this.#update();
      });
      grid.append(make("label", {}, this.#text(`key_${field}`), control));
    }
    element.append(grid);
    return element;
  }

  #forEach(row) {
    const check = make("input", { type: "checkbox", checked: row.isForEach });
    check.addEventListener("change", () => {
      this.#rows = this.#rows.map(
        (other) => (other.id === row.id ? forEach(other, check.checked) : other),
      );
      this.#drawRows();
      this.#elementOf(row.id)?.querySelector("input[type=checkbox]")?.focus();
    });
    return make("label", { className: "check" }, check, this.#text("each"));
  }

  /** Ask, when nothing was typed for a moment, what the entities would be. */
  #update() {
    clearTimeout(this.#timers.result);
    if (this.#rows.length === 0) return;
    this.#timers.result = setTimeout(async () => {
      const rows = this.#rows;
      try {
        const result = await this.#ask("result", { entities: entitiesOf(rows) });
        if (rows === this.#rows) this.#drawResult(result);
      } catch (error) {
        if (error.message) this.#say(error.message, true);
      }
    }, RESULT_DELAY_MS);
  }

  #drawResult(result) {
    this.#rows.forEach((row, number) => {
      const element = this.#elementOf(row.id);
      const of = result.rows[number];
      element.querySelector(".states").replaceChildren(
        ...statesOf(of).map((line) => make("div", { textContent: line })),
      );
      element.querySelector(".error").textContent = of.problems.join(" · ");
    });
    const hidden = result.secrets.map(({ name }) => `${name}: ••••••`).join("\n");
    const lines = result.secrets.map(({ line }) => line).join("\n");
    this.#parts.result.replaceChildren(
      make("h2", { textContent: this.#text("result") }),
      make("p", { className: "help", textContent: this.#text("result_help") }),
      ...result.problems.map((text) => make("p", { className: "error", textContent: text })),
      make("pre", { textContent: result.yaml, dataset: { id: "yaml" } }),
      this.#copy("copy", result.yaml),
    );
    if (lines) {
      this.#parts.result.append(
        make("p", { className: "help", textContent: this.#text("secrets_help") }),
        make("pre", { textContent: hidden, dataset: { id: "secrets" } }),
        this.#copy("copy_secrets", lines),
      );
    }
  }

  #copy(text, content) {
    const button = make("button", { type: "button", className: "main", dataset: { id: text } });
    button.textContent = this.#text(text);
    button.addEventListener("click", async () => {
      button.textContent = this.#text((await copied(content)) ? "copied" : "not_copied");
    });
    return button;
  }
};

/** Copy a text; return whether it could be copied. Without https, only the old way works. */
async function copied(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }
  const area = make("textarea", { value: text });
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

function register() {
  if (!customElements.get("rest-trial")) customElements.define("rest-trial", over(HTMLElement));
}

// Home Assistant's app puts a registry and elements of its own in the place of the browser's.
globalThis.customElements?.whenDefined("home-assistant").then(register);
