/**
 * The rendered API reference: one page made of the operations and of what the OpenAPI document says of each, with a sheet
 * and a script of its own; no other host is asked and nothing needs the script. Loaded on demand.
 */
import { html, raw } from "hono/html";
import { marked } from "marked";
import { ServiceError } from "../service-error.ts";
import { baseHeaders } from "./answer-headers.ts";
import { interfaceIntro, interfaceSections, sectionAnchor } from "./interface-text.ts";
import { bankCalls } from "./openapi.ts";
import type { Operation } from "./operation.ts";

/** A JSON Schema of the document: a `$ref` alone, or the keywords that the page shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}
type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
/** A body, by media type. */
type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>;
interface Described {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    name: string;
    in: "query" | "path" | "header";
    required?: boolean;
    schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
type Items = Readonly<Record<string, Readonly<Record<string, Described>>>>;

/** What the page reads of the OpenAPI document. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Items;
  readonly webhooks: Items;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: { readonly signature: { readonly description: string } };
  };
}

/** What an operation and a call to a bank have in common, with what the document says of it. */
interface Call extends Pick<Operation, "id" | "method" | "path" | "section" | "tag" | "scopes"> {
  readonly described: Described;
  readonly toBank: boolean;
}

/** HTML that is safe to insert as it is; everything that is not our own text goes through `html` and is escaped there. */
type Markup = ReturnType<typeof html>;
interface Entry {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
  /** Beside the title in the contents, as `POST`. */
  readonly badge?: string;
}
interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly intro?: Markup;
  readonly entries: readonly Entry[];
}

/** A text of ours in Markdown; never input. */
const paragraphs = (text: string): Markup => raw(marked.parse(text, { async: false }));
const line = (text: string): Markup => raw(marked.parseInline(text, { async: false }));
const code = (text: string): Markup => html`<pre><code>${text}</code></pre>`;
const json = (value: unknown): Markup => code(JSON.stringify(value, null, 2));
const separated = (parts: readonly unknown[], by: string): Markup =>
  html`${parts.map((part, at) => html`${at === 0 ? "" : by}<code>${part}</code>`)}`;

/** `#/components/schemas/Transaction` → `Transaction`. */
const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);
const schemaLink = (reference: string): Markup => html`<a href="#schema-${nameOf(reference)}">${nameOf(reference)}</a>`;
const resolve = (document: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {});

/** A value that the schema takes, put together from the examples of its fields. */
export const exampleOf = (document: ApiDocument, schema: Schema): unknown => {
  const whole = resolve(document, schema);
  if (whole.example !== undefined) return whole.example;
  if (whole.properties)
    return Object.fromEntries(
      Object.entries(whole.properties).map(([name, field]) => [name, exampleOf(document, field)]),
    );
  return whole.items ? [exampleOf(document, whole.items)] : {};
};

const mediaOf = (content: Content | undefined) => Object.entries(content ?? {})[0];
const examplesOf = (document: ApiDocument, { schema, examples }: Content[string]) =>
  examples === undefined ? [{ summary: "", value: exampleOf(document, schema) }] : Object.values(examples);

/** Text as it is, everything else as JSON. */
const examplesPart = (intro: string, document: ApiDocument, media: Content[string]): Markup =>
  html`<p>${intro}</p>${examplesOf(document, media).map(
    ({ summary, value }) =>
      html`${summary === "" ? "" : html`<p><small>${summary}:</small></p>`}${typeof value === "string" ? code(value) : json(value)}`,
  )}`;

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required?: boolean | undefined;
}

const typeOf = ({ $ref, items, type }: Schema): Markup => {
  if ($ref !== undefined) return schemaLink($ref);
  if (items !== undefined) return items.$ref === undefined ? html`list` : html`list of ${schemaLink(items.$ref)}`;
  return html`${[type ?? "any"].flat().join(" or ")}`;
};

const boundsOf = ({ minimum, maximum, minLength, maxLength, pattern, enum: values }: Schema): readonly Markup[] => [
  ...(values ? [html`one of ${separated(values, ", ")}`] : []),
  ...(minimum === undefined ? [] : [html`from ${minimum}`]),
  ...(maximum === undefined ? [] : [html`to ${maximum}`]),
  ...(minLength === undefined ? [] : [html`at least ${minLength} characters`]),
  ...(maxLength === undefined ? [] : [html`at most ${maxLength} characters`]),
  ...(pattern === undefined ? [] : [html`matches <code>${pattern}</code>`]),
];

/** The fields of objects that have no name of their own follow theirs, with points between the levels. */
const fieldsOf = (schema: Schema, prefix = ""): readonly Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { name: prefix + name, schema: field, required: schema.required?.includes(name) },
    ...fieldsOf(field, `${prefix}${name}.`),
    ...(field.items?.properties ? fieldsOf(field.items, `${prefix}${name}[].`) : []),
  ]);

const table = (
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Markup[])[],
): Markup => html`<table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...more]) => html`<tr><th scope="row">${first}</th>${more.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table>`;

const fieldsTable = (caption: string, fields: readonly Field[]): Markup =>
  table(
    caption,
    ["Field", "Type", "Meaning"],
    fields.map(({ name, schema, required }) => [
      html`<code>${name}</code>`,
      html`${typeOf(schema)}${required ? "" : ", optional"}`,
      html`${line(schema.description ?? "")} ${boundsOf(schema).map((bound) => html`<small>${bound}</small> `)}`,
    ]),
  );

const answersTable = ({ responses }: Described): Markup =>
  table(
    "Answers",
    ["Status", "Body", "Meaning"],
    Object.entries(responses).map(([status, { description, content }]) => {
      const [type, media] = mediaOf(content) ?? [];
      const shape = media?.schema.$ref ? schemaLink(media.schema.$ref) : html`${type ?? "none"}`;
      return [html`${status}`, shape, line(description)];
    }),
  );

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** As curl makes it, with the examples of the document. */
const curlOf = (document: ApiDocument, { described, method, path, scopes }: Call): string => {
  const wanted = (described.parameters ?? []).filter(({ required }) => required);
  const at = (place: string) => wanted.filter((parameter) => parameter.in === place);
  const filled = at("path").reduce((url, { name, schema }) => url.replace(`{${name}}`, String(schema.example)), path);
  const query = at("query").map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.example))}`);
  const address = document.servers[0].url + filled + (query.length === 0 ? "" : `?${query.join("&")}`);
  const [type, media] = mediaOf(described.requestBody?.content) ?? [];
  const example = media && (examplesOf(document, media)[0]?.value as Record<string, unknown>);
  const isForm = type === "application/x-www-form-urlencoded";
  return [
    `curl ${method === "post" && example === undefined ? "-X POST " : ""}${quoted(address)}`,
    ...(scopes === null ? [] : ["-H 'Authorization: Bearer ACCESS_TOKEN'"]),
    ...at("header").map(({ name, schema }) => `-H ${quoted(`${name}: ${schema.example}`)}`),
    ...(isForm ? Object.entries(example ?? {}).map(([name, value]) => `-d ${quoted(`${name}=${value}`)}`) : []),
    ...(example && !isForm ? [`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(example))}`] : []),
  ].join(" \\\n  ");
};

/** Summary, scopes, an example as curl (or the signature, for calls to a bank), fields and answers. */
const callEntry = (document: ApiDocument, call: Call): Entry => {
  const { described, method, path, scopes, toBank } = call;
  const [, sent] = mediaOf(described.requestBody?.content) ?? [];
  const [, answered] = mediaOf((described.responses[200] ?? described.responses[201])?.content) ?? [];
  const { signature } = document.components.securitySchemes;
  return {
    id: call.id,
    title: described.summary,
    badge: method.toUpperCase(),
    body: html`<p class="call"><b>${method.toUpperCase()}</b> <code>${path}</code></p>
${paragraphs(described.description.replaceAll(`](${document.servers[0].url}/docs#`, "](#"))}
${scopes === null ? "" : html`<p>Needs a token with the scope ${separated(scopes, " or ")}.</p>`}
${toBank ? paragraphs(`**Signature**: ${signature.description}`) : code(curlOf(document, call))}
${!toBank && answered?.examples ? examplesPart("It answers, for instance:", document, answered) : ""}
${described.parameters ? fieldsTable("Parameters and headers", described.parameters) : ""}
${sent ? fieldsTable("Body", fieldsOf(resolve(document, sent.schema))) : ""}
${toBank && sent ? examplesPart("The body, as your server receives it:", document, sent) : ""}
${answersTable(described)}`,
  };
};

/** The first entry: a token, a withdrawal and its look-up as three curl commands against the sandbox. */
const quickStart = (document: ApiDocument): Entry => {
  const url = document.servers[0].url;
  const example = exampleOf(document, document.components.schemas.Transaction ?? {}) as Record<string, unknown>;
  const { transaction_id, amount, currency, expires_at } = example;
  const token = `TOKEN=$(curl -s -u demo-bank%2Fserver-1:bank-secret ${url}/oauth2/token -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  const ask = `curl ${url}/ext/v1/withdrawals -H "Authorization: Bearer $TOKEN" \\
  -H 'Idempotency-Key: first-try' -H 'Content-Type: application/json' \\
  -d '{"user_id":"customer-77","amount":"50.00","currency":"EUR","store":"demo-shop"}'`;
  const till = `TILL=$(curl -s ${url}/oauth2/authorize -H 'Content-Type: application/json' \\
  -d '{"grant_type":"client_credentials","merchant_id":"demo-shop","device_id":"till-1","device_type":"terminal","password":"till-secret","scope":""}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl "${url}/transaction?id=TRANSACTION_ID" -H "Authorization: Bearer $TILL"`;
  return {
    id: "quick-start",
    title: "Quick start",
    body: html`${paragraphs("Three commands, with the credentials of the sandbox (`npm run backend -- --sandbox`). **1. A token**, good for 24 hours; keep it, and get another when an answer is 401:")}
${code(token)}
${paragraphs("**2. A withdrawal**, as a bank's server asks for it. The answer is `ready`, and its `transaction_id` is the barcode:")}
${code(ask)}
${json({ transaction_id, status: "ready", amount, currency, store: "demo-shop", expires_at })}
${paragraphs("**3. The terminal's side**: a token of its own, and what the cashier sees after the scan. Then confirm, and link when the cash was handed over:")}
${code(till)}
${paragraphs("The nine calls of the interface come next. `docs/integrate.md` in the service's repository leads a bank from here to a settled withdrawal, with signed examples.")}`,
  };
};

const chaptersOf = (operations: readonly Operation[], document: ApiDocument): readonly Chapter[] => {
  const calls: readonly Call[] = [
    ...operations.flatMap((operation) => {
      const described = document.paths[operation.path]?.[operation.method];
      return described ? [{ ...operation, described, toBank: false }] : [];
    }),
    ...bankCalls.flatMap((call) => {
      const described = document.webhooks[call.id]?.post;
      return described
        ? [{ ...call, method: "post", tag: "Client", scopes: null, described, toBank: true } as const]
        : [];
    }),
  ];
  const entries = (chosen: (call: Call) => boolean) => calls.filter(chosen).map((call) => callEntry(document, call));
  const nine = calls.filter(({ section }) => section !== null);
  nine.sort((one, other) => Number(one.section) - Number(other.section));
  const isExtension = ({ section, toBank }: Call) => section === null && !toBank;
  return [
    { id: "begin", title: "Begin", entries: [quickStart(document)] },
    {
      id: "the-nine-calls",
      title: "The nine calls",
      intro: paragraphs(
        "What the interface specifies, in its order. Two of them the service makes: to the bank's server, signed.",
      ),
      entries: nine.map((call) => callEntry(document, call)),
    },
    {
      id: "for-all-calls",
      title: "For all calls",
      entries: [
        { id: "conventions", title: "Conventions, errors, statuses", body: paragraphs(document.info.description) },
      ],
    },
    {
      id: "interface",
      title: "The interface, call by call",
      intro: paragraphs(interfaceIntro),
      entries: interfaceSections.map(({ section, title, text }) => ({
        id: section === null ? "section-time" : sectionAnchor(section),
        title: section === null ? title : `${section} ${title}`,
        body: paragraphs(text),
      })),
    },
    { id: "events", title: "Events to a bank", entries: entries(({ section, toBank }) => section === null && toBank) },
    {
      id: "extensions",
      title: "Extensions",
      entries: entries((call) => isExtension(call) && call.tag !== "Operations"),
    },
    { id: "operating", title: "Operating", entries: entries((call) => isExtension(call) && call.tag === "Operations") },
    {
      id: "schemas",
      title: "Schemas",
      entries: Object.entries(document.components.schemas).map(([name, schema]) => ({
        id: `schema-${name}`,
        title: name,
        body: html`<p>${line(schema.description ?? "")}</p>
${fieldsTable("Fields", fieldsOf(schema))}
${json(exampleOf(document, schema))}`,
      })),
    },
  ];
};

const article = ({ id, title, body }: Entry): Markup => html`<article id="${id}">
<h3>${title}</h3>
${body}
</article>`;

const section = ({ id, title, intro, entries }: Chapter): Markup => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${intro ?? ""}
${entries.map(article)}
</section>`;

const contents = ({ id, title, entries }: Chapter): Markup => html`<section>
<h2><a href="#${id}">${title}</a></h2>
<ul>${entries.map((each) => html`<li><a href="#${each.id}">${each.title} ${each.badge ? html`<small>${each.badge}</small>` : ""}</a></li>`)}</ul>
</section>`;

const pageOf = (operations: readonly Operation[], document: ApiDocument): string => {
  const chapters = chaptersOf(operations, document);
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillcash API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/reference.css">
</head>
<body>
<a class="skip" href="#main">Skip the contents</a>
<aside>
<p><b>Tillcash API</b> ${document.info.version}<br><a href="openapi.json">openapi.json</a></p>
<div role="search" hidden><label for="search">Search (press /)</label><input id="search" type="search" autocomplete="off"><p id="found" role="status"></p></div>
<nav aria-label="Contents">${chapters.map(contents)}</nav>
</aside>
<main id="main">
<h1>Tillcash API reference</h1>
${chapters.map(section)}
</main>
<script src="docs/search.js"></script>
</body>
</html>
`);
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

let last: { readonly document: string; readonly page: string } | undefined;

/** `GET /docs`. @param document the OpenAPI document as JSON. */
export const docsPage = (operations: readonly Operation[], document: string): Response => {
  if (last?.document !== document) last = { document, page: pageOf(operations, JSON.parse(document)) };
  return new Response(last.page, {
    headers: {
      ...baseHeaders,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
    },
  });
};

/** The sheet of the reference: light and dark, one column on a phone, on paper without the contents. */
const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#10201c, #e6efec);
  --soft: light-dark(#47564f, #a9bab3);
  --ground: light-dark(#ffffff, #0c1412);
  --panel: light-dark(#f2f6f5, #16211e);
  --line: light-dark(#d3ddd9, #2c3a35);
  --accent: light-dark(#0b6b53, #5fd3b0);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); min-height: 100vh;
  font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground);
}
aside { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); background: var(--panel); }
aside h2 { margin: 1.2rem 0 .3rem; font-size: .85rem; color: var(--soft); }
aside ul { margin: 0; padding: 0; list-style: none; }
aside li a { display: flex; gap: .5rem; justify-content: space-between; padding: .35rem .4rem; border-radius: .3rem; color: inherit; text-decoration: none; }
aside li a:hover, aside li a:focus-visible { background: var(--ground); }
aside small { color: var(--accent); font-weight: 700; }
aside label { display: block; font-size: .85rem; }
aside input { width: 100%; min-height: 2.75rem; padding: 0 .6rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .4rem; }
#found { min-height: 1.5em; margin: .2rem 0 0; font-size: .85rem; color: var(--soft); }
main { max-width: 62rem; padding: 1rem 2rem 4rem; }
h1 { margin: .5rem 0; font-size: 1.9rem; }
main h2 { margin: 3rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article { margin: 0 0 2.5rem; }
article h3 { margin: 2rem 0 .3rem; font-size: 1.25rem; }
a { color: var(--accent); }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: .6rem 0; padding: .8rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.call { margin: .2rem 0; }
.call b { color: var(--accent); }
table { width: 100%; table-layout: fixed; margin: 1rem 0; border-collapse: collapse; font-size: .93rem; }
caption { padding: .2rem 0; text-align: left; font-weight: 700; }
th, td { padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; }
th:first-child { width: 30%; }
th:nth-child(2) { width: 16%; }
td small { color: var(--soft); font-size: .85rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--ground); z-index: 1; }
@media (max-width: 52rem) {
  body { display: block; }
  aside { position: static; height: auto; border: 0; }
  main { padding: 1rem; }
}
@media print { body { display: block; } aside { display: none; } }
`;

/**
 * Runs in the browser: shows the entries that hold all words of the search, and says how many. `/` leads to the field.
 * Uses nothing outside itself: its own text is served as the script.
 */
function search(): void {
  const field = document.querySelector<HTMLInputElement>("#search");
  const form = document.querySelector<HTMLElement>("[role=search]");
  const status = document.querySelector<HTMLElement>("#found");
  if (!field || !form || !status) return;
  const entries = [...document.querySelectorAll<HTMLElement>("article")].map((entry) => ({
    entry,
    link: document.querySelector<HTMLElement>(`nav a[href="#${entry.id}"]`)?.parentElement,
    text: (entry.textContent ?? "").toLowerCase(),
  }));
  const show = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { entry, link, text } of entries) {
      const matches = words.every((word) => text.includes(word));
      entry.hidden = !matches;
      if (link) link.hidden = !matches;
      if (matches) found += 1;
    }
    for (const chapter of document.querySelectorAll<HTMLElement>("main > section, nav > section"))
      chapter.hidden = words.length > 0 && !chapter.querySelector("article:not([hidden]), li:not([hidden])");
    status.textContent = words.length === 0 ? "" : `${found} of ${entries.length}`;
  };
  form.hidden = false;
  field.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || document.activeElement === field) return;
    event.preventDefault();
    field.focus();
  });
}

const files: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "reference.css": { type: "text/css; charset=utf-8", text: style },
  "search.js": { type: "text/javascript; charset=utf-8", text: `(${search.toString()})();\n` },
};

/** @throws ServiceError `not_found` for anything but the page's own files. */
export const docsAsset = (name: string): Response => {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new ServiceError("not_found");
  return new Response(file.text, {
    headers: { ...baseHeaders, "Cache-Control": "no-cache", "Content-Type": file.type },
  });
};
