/** One call: what it is, how to make it, what it takes and what it answers. */
import { html } from "hono/html";
import {
  type ApiDocument,
  type Content,
  type DocumentedOperation,
  type Example,
  examplesOf,
  nameOf,
  resolve,
} from "./document.ts";
import { fieldsTable, namedTable } from "./fields.ts";
import { code, type Entry, json, line, type Markup, paragraphs } from "./markup.ts";

/** An operation with the place where it is called. */
export interface Call {
  readonly operation: DocumentedOperation;
  readonly method: string;
  /** `/transaction`, or `{partner_url}/api/…` of a call to a bank. */
  readonly path: string;
  readonly toBank: boolean;
}

const schemaOf = (content: Content | undefined) => Object.entries(content ?? {})[0];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** As curl makes it, with the examples of the document. */
export const curlOf = (document: ApiDocument, { operation, method, path }: Call): string => {
  const parameters = operation.parameters ?? [];
  const wanted = parameters.filter(({ required }) => required);
  const at = (place: string) => wanted.filter((parameter) => parameter.in === place);
  const filled = at("path").reduce((url, { name, schema }) => url.replace(`{${name}}`, String(schema.example)), path);
  const query = at("query").map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.example))}`);
  const address = document.servers[0].url + filled + (query.length === 0 ? "" : `?${query.join("&")}`);
  const [type, media] = schemaOf(operation.requestBody?.content) ?? [];
  const example = media && (examplesOf(document, media)[0]?.value as Record<string, unknown>);
  const isForm = type === "application/x-www-form-urlencoded";
  return [
    `curl ${method === "post" && example === undefined ? "-X POST " : ""}${quoted(address)}`,
    ...(operation.security.some((each) => "oauth2" in each) ? ["-H 'Authorization: Bearer ACCESS_TOKEN'"] : []),
    ...at("header").map(({ name, schema }) => `-H ${quoted(`${name}: ${schema.example}`)}`),
    ...(isForm ? Object.entries(example ?? {}).map(([name, value]) => `-d ${quoted(`${name}=${value}`)}`) : []),
    ...(example && !isForm ? [`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(example))}`] : []),
  ].join(" \\\n  ");
};

/** Text as it is, everything else as JSON. */
const exampleBlock = ({ summary, value }: Example): Markup =>
  html`${summary === "" ? "" : html`<p><small>${summary}:</small></p>`}${typeof value === "string" ? code(value) : json(value)}`;

const bodyPart = (document: ApiDocument, call: Call): Markup => {
  const [, media] = schemaOf(call.operation.requestBody?.content) ?? [];
  if (media === undefined) return html``;
  const sent = call.toBank
    ? html`<p>The body, as your server receives it:</p>${examplesOf(document, media).map(exampleBlock)}`
    : html``;
  return html`${fieldsTable("Body", resolve(document, media.schema))}${sent}`;
};

const parametersPart = ({ operation }: Call): Markup => {
  const rows = (operation.parameters ?? []).map(({ name, schema, required }) => ({
    name,
    schema,
    required: required ?? false,
  }));
  return rows.length === 0 ? html`` : namedTable("Parameters and headers", rows);
};

const answersPart = ({ operation }: Call): Markup => {
  const rows = Object.entries(operation.responses).map(([status, { description, content }]) => {
    const [type, media] = schemaOf(content) ?? [];
    const reference = media?.schema.$ref;
    const shape = reference
      ? html`<a href="#schema-${nameOf(reference)}">${nameOf(reference)}</a>`
      : html`${type ?? "none"}`;
    return html`<tr><th scope="row">${status}</th><td>${shape}</td><td>${line(description)}</td></tr>`;
  });
  return html`<table>
<caption>Answers</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Body</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
};

const successPart = (document: ApiDocument, { operation, toBank }: Call): Markup => {
  const success = operation.responses[200] ?? operation.responses[201];
  const [, media] = schemaOf(success?.content) ?? [];
  if (toBank || media === undefined || media.examples === undefined) return html``;
  return html`<p>It answers, for instance:</p>${examplesOf(document, media).map(exampleBlock)}`;
};

const scopesOf = ({ security }: DocumentedOperation): readonly string[] =>
  security.flatMap((each) => each.oauth2 ?? []);

/**
 * The entry of one call: summary, scopes, an example as curl (or the signature, for calls to a bank), fields and
 * answers.
 */
export const operationEntry = (document: ApiDocument, call: Call): Entry => {
  const { operation, method, path, toBank } = call;
  const scopes = scopesOf(operation);
  const needs =
    scopes.length === 0
      ? html``
      : html`<p>Needs a token with the scope ${scopes.map((scope, at) => html`${at === 0 ? "" : " or "}<code>${scope}</code>`)}.</p>`;
  return {
    id: operation.operationId,
    title: operation.summary,
    badge: method.toUpperCase(),
    body: html`<p class="call"><b>${method.toUpperCase()}</b> <code>${path}</code></p>
${paragraphs(operation.description.replaceAll(`](${document.servers[0].url}/docs#`, "](#"))}
${needs}
${toBank ? paragraphs(`**Signature**: ${document.components.securitySchemes.signature.description}`) : code(curlOf(document, call))}
${successPart(document, call)}
${parametersPart(call)}
${bodyPart(document, call)}
${answersPart(call)}`,
  };
};
