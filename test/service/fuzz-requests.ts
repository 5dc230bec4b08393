/** Draws malformed and hostile requests from the OpenAPI document and from a list of classics, for ever, from a seed. */
import { seededRandom } from "../random.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is walked, whatever it holds
type Node = any;

/** One request to send; `operation` says what it was drawn for. */
export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Bytes for the socket instead, for what no client library would send. */
  readonly raw: string | null;
}

/** What the service knows: so that requests get behind the first checks. */
export interface Pool {
  readonly tokens: readonly string[];
  /** Ids of somebody else's transactions, and other text worth trying as an id. */
  readonly ids: readonly string[];
}

/** A number in [0, 1). */
export type Draw = () => number;

/** Values that have broken programs before. */
const classics: readonly unknown[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00x",
  "\ufeff",
  "\u202e",
  "😀".repeat(50),
  "A".repeat(300),
  "A".repeat(66_000),
  "' OR '1'='1",
  "'; DROP TABLE withdrawals; --",
  '" OR ""="',
  "1 UNION SELECT * FROM users",
  "%27%20OR%201%3D1",
  "\\",
  "#{7*7}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "../../../etc/passwd",
  "..%2f..%2f",
  "C:\\con",
  "\r\nSet-Cookie: a=b",
  "%0d%0aX: y",
  "=cmd|'/C calc'!A0",
  "null",
  "undefined",
  "NaN",
  "true",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "0",
  "-0",
  "-1",
  "1e400",
  "9".repeat(400),
  "0x10",
  "50.00",
  "50.005",
  "-50.00",
  "1e2",
  "٥٠.٠٠",
  "999999999999999999.99",
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  9_007_199_254_740_992,
  [],
  {},
  [[]],
  [null],
  { length: 1e9 },
  { toString: 1 },
  { $gt: "" },
  ["a", "b"],
  "2026-02-30",
  "9999-12-31T23:59:59.999Z",
  "-271821-04-20T00:00:00.000Z",
  "275760-09-13",
];

const rawClassics = (path: string, token: string): readonly string[] => {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;
  return [
    `${head}X-Request-Id: a\r\n b\r\nContent-Length: 0\r\n\r\n`,
    `${head}X-Request-Id: a\rSet-Cookie: b=c\r\nContent-Length: 0\r\n\r\n`,
    `${head}Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
    `${head}Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{}`,
    `${head}Content-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}`,
    `GET ${path}\x00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET ${path}?id=\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\nHost: x\r\n\r\n`,
    `GET http://user:word@else.where${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET //${path} HTTP/1.1\r\nHost: evil.example:99999\r\nConnection: close\r\n\r\n`,
    `${"x".repeat(20_000)}\r\n\r\n`,
  ];
};

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

/** The same document, pool and seed give the same requests. */
export class Fuzzer {
  readonly #document: Node;
  readonly #pool: Pool;
  readonly #draw: Draw;
  readonly #operations: readonly { readonly path: string; readonly method: string; readonly operation: Node }[];

  constructor(document: Node, pool: Pool, seed: number) {
    this.#document = document;
    this.#pool = pool;
    this.#draw = seededRandom(seed);
    this.#operations = Object.entries<Node>(document.paths).flatMap(([path, item]) =>
      Object.entries<Node>(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    );
  }

  #chance(share: number): boolean {
    return this.#draw() < share;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#draw() * from.length)] as T;
  }

  next(): FuzzRequest {
    const { path, method, operation } = this.#pick(this.#operations);
    const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(this.#wellFormed(this.#text())));
    const target = filled + this.#query(operation.parameters ?? []);
    const token = this.#pick(this.#pool.tokens);
    const content = operation.requestBody?.content ?? null;
    return {
      operation: `${method} ${path}`,
      method: this.#chance(0.05) ? this.#pick(methods) : method,
      path: target.slice(0, 8_000),
      headers: this.#headers(token, content),
      body: content === null && !this.#chance(0.1) ? null : this.#body(content),
      raw: this.#chance(0.03) ? this.#pick(rawClassics(path, token)) : null,
    };
  }

  #wellFormed(text: string): string {
    return text.toWellFormed();
  }

  #text(): string {
    return this.#chance(0.5) ? this.#pick(this.#pool.ids) : asText(this.#pick(classics)).slice(0, 500);
  }

  #query(parameters: readonly Node[]): string {
    const pairs: string[] = [];
    for (const parameter of parameters.filter((each) => each.in === "query")) {
      if (this.#chance(0.2)) continue;
      // A held answer is no hang: waits are only ever out of range here.
      const value =
        parameter.name === "wait" ? this.#pick(["0", "-1", "26", "1e9", "x"]) : this.#value(parameter.schema, 0);
      pairs.push(`${parameter.name}=${encodeURIComponent(this.#wellFormed(asText(value)))}`);
      if (this.#chance(0.05)) pairs.push(`${parameter.name}=again`);
    }
    if (this.#chance(0.1))
      pairs.push(this.#pick(["__proto__=1", "a[b]=c", "%", "%zz=%", "=", "&&&", "x".repeat(3_000)]));
    return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  }

  #headers(token: string, content: Node): Record<string, string> {
    const headers: Record<string, string> = {};
    if (!this.#chance(0.05))
      headers.authorization = this.#chance(0.9)
        ? `Bearer ${token}`
        : this.#pick(["Bearer", "Basic eA==", `bearer ${token} x`, `Bearer ${"x".repeat(4_000)}`]);
    if (content !== null && !this.#chance(0.05))
      headers["content-type"] = this.#chance(0.9)
        ? "application/json"
        : this.#pick([
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=utf-16",
            "multipart/form-data; boundary=x",
            ";",
            "application/xml",
          ]);
    if (this.#chance(0.1))
      headers["x-request-id"] = this.#pick(["a", "x".repeat(256), "\u00e4\u00ff", "a b", "'\"<>", "\t"]);
    if (this.#chance(0.7))
      headers["idempotency-key"] = this.#chance(0.8)
        ? `fuzz-${Math.floor(this.#draw() * 1e9)}`
        : this.#pick(["", " ", "k".repeat(300), "same", "\u00e4"]);
    if (this.#chance(0.02)) headers["content-encoding"] = "gzip";
    return headers;
  }

  #body(content: Node): Buffer {
    const schema = content?.["application/json"]?.schema ?? {};
    const value = this.#chance(0.9) ? this.#value(schema, 0) : this.#pick(classics);
    let text = JSON.stringify(value) ?? "";
    if (this.#chance(0.15)) text = this.#spoil(text);
    const bytes = Buffer.from(text);
    if (this.#chance(0.03) && bytes.length > 2) bytes[Math.floor(this.#draw() * bytes.length)] = 0xff;
    return bytes;
  }

  /** What JSON.stringify would never write. */
  #spoil(text: string): string {
    const at = Math.floor(this.#draw() * text.length);
    return this.#pick([
      text.slice(0, at),
      text.slice(0, at) + this.#pick(["\0", "\n", '"', "}", "\\u0000", "\\ud800", "NaN", "//x"]) + text.slice(at),
      text.replace("{", '{"__proto__":{"admin":true},'),
      text.replace("{", '{"transaction_id":"1","transaction_id":"2",'),
      text.replace("{", `{"deep":${"[".repeat(5_000)}${"]".repeat(5_000)},`),
      text.replace("{", '{"\\u0061":1,"a":2,'),
      text.replace(/"[^"]*"$/, "1e999"),
      text + text,
      `\ufeff${text}`,
      text.padEnd(65_537, " "),
    ]);
  }

  #value(schema: Node, depth: number): unknown {
    if (this.#chance(0.12) || depth > 5) return this.#pick(classics);
    const node =
      schema?.$ref === undefined ? (schema ?? {}) : this.#document.components.schemas[schema.$ref.split("/").at(-1)];
    if (node.type === "object" || node.properties !== undefined) {
      const entries = Object.entries<Node>(node.properties ?? {}).filter(() => !this.#chance(0.08));
      const made: Record<string, unknown> = Object.fromEntries(
        entries.map(([name, each]) => [name, this.#value(each, depth + 1)]),
      );
      if (this.#chance(0.1))
        made[String(this.#pick(["extra", "constructor", "", "a".repeat(100)]))] = this.#pick(classics);
      return made;
    }
    if (node.enum !== undefined) return this.#pick(node.enum);
    if (node.example !== undefined && this.#chance(0.5)) return node.example;
    if (node.type === "boolean") return this.#chance(0.5);
    if (node.type === "number" || node.type === "integer") return Math.floor(this.#draw() * 100) - 10;
    return this.#pick([
      ...this.#pool.ids,
      "EUR",
      "50.00",
      "20.08",
      "other-shop",
      "client_credentials",
      "customer",
      "https://bank.example/x",
    ]);
  }
}
