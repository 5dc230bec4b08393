/** What the service can be told, and how it says no. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../backend/config.ts";
import { parseStrictJson } from "../../backend/contract/ambiguity.ts";
import { parseCommandLine, UsageError } from "../../backend/operate/arguments.ts";

const dayMs = 86_400_000;
const key = `whsec_${Buffer.from("a key of this test, 24 b").toString("base64")}`;
const outside = { PARTNER_ID: "bank", PARTNER_URL: "https://bank.example/", PARTNER_SECRET: key };

test("the defaults are those of the conventions", () => {
  const result = parseConfig({ SANDBOX: "1" });
  expect(result).toMatchObject({
    ok: true,
    config: {
      host: "127.0.0.1",
      port: 8787,
      database: { kind: "sqlite", path: "./data/service.db" },
      databaseUrl: "sqlite:./data/service.db",
      sandbox: true,
      partner: null,
      tokenSecret: null,
      publicUrl: null,
      scaTimeoutMs: 40_000,
      orderTtlMs: 900_000,
    },
  });
});

const accepted: [string, Record<string, string>, Record<string, unknown>][] = [
  [
    "everything for ever",
    { RETENTION_IDEMPOTENCY_KEY_DAYS: "0", RETENTION_WITHDRAWAL_DAYS: "0" },
    { retention: { idempotency_keys: null, withdrawals: null } },
  ],
  [
    "outside the sandbox",
    outside,
    { sandbox: false, partner: { id: "bank", url: "https://bank.example", secret: key } },
  ],
  ["empty variables count as absent", { ...outside, PORT: "", HOST: "" }, { port: 8787, host: "127.0.0.1" }],
  ["PostgreSQL without TOKEN_SECRET", { ...outside, DATABASE_URL: "postgres://u@h/d" }, { tokenSecret: null }],
  [
    "several hosts",
    { ...outside, DATABASE_URL: "postgres://u:p%2C@one,two:5433/d?target_session_attrs=read-write&application_name=x" },
    {
      database: {
        kind: "postgres",
        hosts: ["postgres://u:p%2C@one/d?application_name=x", "postgres://u:p%2C@two:5433/d?application_name=x"],
        writableOnly: true,
      },
    },
  ],
  [
    "pool and time-outs",
    { ...outside, DATABASE_CONNECTIONS: "4", DATABASE_STATEMENT_TIMEOUT_SECONDS: "30" },
    { databasePool: { connectionsMax: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000 } },
  ],
  [
    "the time-outs of a database that is slow to connect",
    { ...outside, DATABASE_CONNECT_TIMEOUT_SECONDS: "60" },
    { databasePool: { connectionsMax: 16, connectTimeoutMs: 60_000, statementTimeoutMs: 10_000 } },
  ],
  [
    "each kind of data for a time of its own, the books for both times together",
    {
      RETENTION_CHECKIN_DAYS: "1",
      RETENTION_SIGN_IN_DAYS: "2",
      RETENTION_IDEMPOTENCY_KEY_DAYS: "3",
      RETENTION_WITHDRAWAL_DAYS: "4",
      RETENTION_ARCHIVE_DAYS: "5",
    },
    {
      retention: {
        checkins: dayMs,
        sign_ins: 2 * dayMs,
        idempotency_keys: 3 * dayMs,
        withdrawals: 4 * dayMs,
        archive: 9 * dayMs,
      },
    },
  ],
  [
    "books for ever behind the withdrawals' own time",
    { RETENTION_WITHDRAWAL_DAYS: "100", RETENTION_ARCHIVE_DAYS: "0" },
    { retention: { withdrawals: 100 * dayMs, archive: null } },
  ],
  [
    "books for ever because withdrawals are",
    { RETENTION_WITHDRAWAL_DAYS: "0", RETENTION_ARCHIVE_DAYS: "100" },
    { retention: { withdrawals: null, archive: null } },
  ],
  ["copies, the newest seven", { BACKUP_DIR: "/copies" }, { backups: { folder: "/copies", kept: 7 } }],
  ["copies, one", { BACKUP_DIR: "/copies", BACKUPS_KEPT: "1" }, { backups: { folder: "/copies", kept: 1 } }],
  ["no copies", { BACKUPS_KEPT: "3" }, { backups: null }],
  ["metrics where nobody said so", outside, { metrics: { host: "127.0.0.1", port: 9_464, isAsked: false } }],
  ["metrics at a port", { ...outside, METRICS_PORT: "9" }, { metrics: { host: "127.0.0.1", port: 9, isAsked: true } }],
  ["no metrics", { ...outside, METRICS_PORT: "0" }, { metrics: null }],
  ["no metrics of their own in the sandbox", { SANDBOX: "1" }, { metrics: null }],
  [
    "a service key beside the one before",
    { ...outside, SERVICE_KEY: "a".repeat(24), SERVICE_KEY_BEFORE: "b".repeat(24) },
    { serviceKey: "a".repeat(24), serviceKeyBefore: "b".repeat(24) },
  ],
  ["HTTPS", { ...outside, TLS_CERT: "/c", TLS_KEY: "/k" }, { tls: { certFile: "/c", keyFile: "/k" } }],
  ["port 0", { ...outside, PORT: "0" }, { port: 0 }],
  ["SANDBOX=0", { ...outside, SANDBOX: "0" }, { sandbox: false }],
  ["proxies", { ...outside, TRUSTED_PROXIES: "10.0.0.0/8, ::1" }, { trustedProxies: ["10.0.0.0/8", "::1"] }],
  [
    "times for tests",
    { ...outside, SCA_TIMEOUT_SECONDS: "2", ORDER_TTL_SECONDS: "5" },
    { scaTimeoutMs: 2000, orderTtlMs: 5000 },
  ],
  ["no bank of its own: all come from partners add", {}, { sandbox: false, partner: null }],
  [
    "a bank and a public address on this machine",
    { ...outside, PARTNER_URL: "http://127.0.0.1:9", PUBLIC_URL: "http://localhost:1" },
    { publicUrl: "http://localhost:1" },
  ],
  [
    "the sandbox with its bank elsewhere",
    { SANDBOX: "1", PARTNER_URL: "http://bank.test" },
    { partner: { id: "demo-bank", url: "http://bank.test" } },
  ],
  ["the sandbox in the open", { SANDBOX: "1", PUBLIC_URL: "http://cash.test" }, { publicUrl: "http://cash.test" }],
];
test.each(accepted)("accepted: %s", (_, settings, expected) => {
  expect(parseConfig(settings)).toMatchObject({ ok: true, config: expected });
});

const refused: [string, Record<string, string>, RegExp][] = [
  ["a code that is good for no time", { ORDER_TTL_SECONDS: "0" }, /^ORDER_TTL_SECONDS must be a whole number from 1 /],
  [
    "withdrawals that are archived before their keys are forgotten",
    { RETENTION_WITHDRAWAL_DAYS: "30" },
    /^RETENTION_WITHDRAWAL_DAYS must not be shorter than RETENTION_IDEMPOTENCY_KEY_DAYS/,
  ],
  [
    "keys for ever, and withdrawals that are archived",
    { RETENTION_IDEMPOTENCY_KEY_DAYS: "0" },
    /^RETENTION_WITHDRAWAL_DAYS must not be shorter than RETENTION_IDEMPOTENCY_KEY_DAYS/,
  ],
  [
    "a bank by halves",
    { PARTNER_URL: "https://x" },
    /^PARTNER_ID and PARTNER_SECRET are missing: one bank needs all of/,
  ],
  [
    "a key whose last character holds bits of no byte",
    { ...outside, PARTNER_SECRET: "whsec_YSBrZXkgb2YgdGhpcyB0ZXN0LCAyNSBieXRlGB==" },
    /^PARTNER_SECRET must be base64 as an encoder writes it/,
  ],
  [
    "a key that is too long",
    { ...outside, PARTNER_SECRET: `whsec_${Buffer.from(Array.from({ length: 65 }, (_, n) => n)).toString("base64")}` },
    /^PARTNER_SECRET must hold at most 64 bytes/,
  ],
  ["a bank in the open", { ...outside, PARTNER_URL: "http://bank.example" }, /^PARTNER_URL must be https/],
  [
    "a bank where a cloud keeps its keys",
    { ...outside, PARTNER_URL: "https://169.254.169.254/" },
    /^PARTNER_URL must not point to/,
  ],
  ["a public address in the open", { ...outside, PUBLIC_URL: "http://cash.example" }, /^PUBLIC_URL must be https/],
  [
    "a key in no known form",
    { ...outside, PARTNER_SECRET: "my partner's secret, long enough" },
    /^PARTNER_SECRET must be whsec_ and base64/,
  ],
  [
    "a phrase for a key",
    { ...outside, PARTNER_SECRET: "correct horse battery staple!" },
    /^PARTNER_SECRET must be whsec_ and base64/,
  ],
  [
    "a key that is no base64",
    { ...outside, PARTNER_SECRET: "whsec_!!!!" },
    /^PARTNER_SECRET must be whsec_ and base64/,
  ],
  [
    "a key of 23 bytes",
    { ...outside, PARTNER_SECRET: `whsec_${Buffer.from("a key of this test, 23b").toString("base64")}` },
    /^PARTNER_SECRET must hold at least 24 random bytes/,
  ],
  [
    "a key of 7 bytes",
    { ...outside, PARTNER_SECRET: `whsec_${Buffer.from("7 bytes").toString("base64")}` },
    /^PARTNER_SECRET must hold at least 24 random bytes/,
  ],
  [
    "a key of 8 bytes",
    { ...outside, PARTNER_SECRET: `whsec_${Buffer.from("8 bytes!").toString("base64")}` },
    /^PARTNER_SECRET must hold at least 24 random bytes/,
  ],
  [
    "a key of one letter",
    { ...outside, PARTNER_SECRET: `whsec_${"QUFB".repeat(11)}` },
    /^PARTNER_SECRET must be random/,
  ],
  [
    "the sandbox's key",
    { ...outside, PARTNER_SECRET: "whsec_dGlsbGNhc2ggc2FuZGJveDoga25vd24gdG8gYWxsLCB3b3J0aCBub3RoaW5n" },
    /^PARTNER_SECRET must not be one that is published/,
  ],
  [
    "the key of the guide's examples",
    { ...outside, PARTNER_SECRET: "whsec_YW4gZXhhbXBsZSBrZXk6IG5ldmVyIHVzZSB0aGlzIDE=" },
    /^PARTNER_SECRET must not be one that is published/,
  ],
  [
    "the same key in another spelling",
    { ...outside, PARTNER_SECRET: "whsec_YW4gZXhhbXBsZSBrZXk6IG5ldmVyIHVzZSB0aGlzIDF=" },
    /^PARTNER_SECRET must not be one that is published/,
  ],
  ["a bank with a wrong id", { ...outside, PARTNER_ID: "a b" }, /^PARTNER_ID must be/],
  ["a certificate without its key", { ...outside, TLS_CERT: "/c" }, /^TLS_KEY is missing/],
  ["a key without its certificate", { ...outside, TLS_KEY: "/k" }, /^TLS_CERT is missing/],
  ["a service key that is short", { ...outside, SERVICE_KEY: "a".repeat(23) }, /^SERVICE_KEY must have/],
  [
    "a key before that is the present one",
    { ...outside, SERVICE_KEY: "a".repeat(24), SERVICE_KEY_BEFORE: "a".repeat(24) },
    /^SERVICE_KEY_BEFORE must be another one/,
  ],
  ["a key before alone", { ...outside, SERVICE_KEY_BEFORE: "a".repeat(24) }, /^SERVICE_KEY is missing/],
  ["no copy to be kept", { ...outside, BACKUP_DIR: "/copies", BACKUPS_KEPT: "0" }, /^BACKUPS_KEPT must be/],
  [
    "copies of a database in memory",
    { ...outside, BACKUP_DIR: "/copies", DATABASE_URL: "sqlite::memory:" },
    /^BACKUP_DIR is for an SQLite file/,
  ],
  [
    "copies of a PostgreSQL",
    { ...outside, BACKUP_DIR: "/copies", DATABASE_URL: "postgres://u@h/d" },
    /^BACKUP_DIR is for an SQLite file/,
  ],
  ["a port that is none", { ...outside, PORT: "http" }, /^PORT must be/],
  ["a port too high", { ...outside, PORT: "65536" }, /^PORT must be/],
  ["a negative port", { ...outside, PORT: "-1" }, /^PORT must be/],
  ["another database", { ...outside, DATABASE_URL: "mysql://x" }, /^DATABASE_URL must be/],
  ["a database without a path", { ...outside, DATABASE_URL: "sqlite:" }, /^DATABASE_URL must be/],
  ["a short token secret", { ...outside, TOKEN_SECRET: "short" }, /^TOKEN_SECRET must have/],
  ["a public url that is none", { ...outside, PUBLIC_URL: "cash.example" }, /^PUBLIC_URL must be/],
  ["a public url that is no web address", { ...outside, PUBLIC_URL: "file:///x" }, /^PUBLIC_URL must be/],
  ["no time at all", { ...outside, SCA_TIMEOUT_SECONDS: "0" }, /^SCA_TIMEOUT_SECONDS must be/],
  ["a switch that is neither", { ...outside, SANDBOX: "maybe" }, /^SANDBOX must be/],
  ["a proxy by name", { ...outside, TRUSTED_PROXIES: "proxy.internal" }, /^TRUSTED_PROXIES must be/],
  ["a log level that is none", { ...outside, LOG_LEVEL: "loud" }, /^LOG_LEVEL must be/],
];
test.each(refused)("refused: %s", (_, settings, sentence) => {
  const result = parseConfig(settings);
  expect(result.ok ? [] : result.problems).toEqual([expect.stringMatching(sentence)]);
});

test("every problem is told at once", () => {
  const result = parseConfig({ PORT: "x", LOG_LEVEL: "x", PUBLIC_URL: "x" });
  expect(result.ok ? [] : result.problems).toHaveLength(3);
});

describe("command line", () => {
  test("flags win over the environment", () => {
    const line = parseCommandLine(["--sandbox", "--port", "0", "--database-url=sqlite:x.db"], { PORT: "1", HOST: "h" });
    expect(line.settings).toMatchObject({ SANDBOX: "1", PORT: "0", DATABASE_URL: "sqlite:x.db", HOST: "h" });
    expect(line.words).toEqual([]);
  });
  test("a setting and the file of it are not both set, and a flag stands in the file's place", () => {
    for (const name of ["DATABASE_URL", "TOKEN_SECRET"]) {
      const both = { [name]: "a", [`${name}_FILE`]: "/no/such/file" };
      expect(() => parseCommandLine([], both)).toThrow(`${name} and ${name}_FILE are both set`);
    }
    const flagged = parseCommandLine(["--database-url=sqlite:x.db"], { DATABASE_URL_FILE: "/no/such/file" });
    expect(flagged.settings.DATABASE_URL).toBe("sqlite:x.db");
    const all = { DATABASE_URL: "sqlite:y.db", DATABASE_URL_FILE: "/no/such/file" };
    expect(parseCommandLine(["--database-url=sqlite:x.db"], all).settings.DATABASE_URL).toBe("sqlite:x.db");
  });
  describe("a file of a secret", () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "tillcash-secret-"));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const fileOf = (text: string, mode = 0o600) => {
      const file = join(folder, "secret");
      rmSync(file, { force: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    };
    const names = ["TOKEN_SECRET", "SERVICE_KEY", "SERVICE_KEY_BEFORE", "PARTNER_SECRET", "DATABASE_URL"];

    test.each(names)("holds %s, also where the variable is there without a value", (name) => {
      for (const environment of [{}, { [name]: "" }]) {
        const read = parseCommandLine([], { ...environment, [`${name}_FILE`]: fileOf(" a secret\n") });
        expect(read.settings[name]).toBe("a secret");
      }
    });

    test.each(names)(
      "that %s_FILE names and that is empty is refused, and no other secret is made in its place",
      (name) => {
        for (const text of ["", " \n"])
          expect(() => parseCommandLine([], { [`${name}_FILE`]: fileOf(text) })).toThrow(
            new UsageError(`${name}_FILE cannot be read: it is empty`),
          );
      },
    );

    test("is no file where the variable for it is empty, and is refused where there is none", () => {
      expect(parseCommandLine([], { TOKEN_SECRET_FILE: "" }).settings.TOKEN_SECRET).toBeUndefined();
      const none = { SERVICE_KEY_FILE: join(folder, "none") };
      expect(() => parseCommandLine([], none)).toThrow(/^SERVICE_KEY_FILE cannot be read: ENOENT/);
    });

    test("of any mode is taken where there are none, and so is what is no file", () => {
      const { platform } = process;
      onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
      expect(() => parseCommandLine([], { TOKEN_SECRET_FILE: "/dev/null" })).toThrow("it is empty");
      Object.defineProperty(process, "platform", { value: "win32" });
      const open = { TOKEN_SECRET_FILE: fileOf("a secret", 0o666) };
      expect(parseCommandLine([], open).settings.TOKEN_SECRET).toBe("a secret");
    });

    test.runIf(process.platform === "linux")("is not left open, read or refused", () => {
      const before = readdirSync("/proc/self/fd").length;
      parseCommandLine([], { TOKEN_SECRET_FILE: fileOf("a secret") });
      expect(() => parseCommandLine([], { TOKEN_SECRET_FILE: fileOf("a secret", 0o666) })).toThrow();
      expect(readdirSync("/proc/self/fd")).toHaveLength(before);
    });

    test.skipIf(process.platform === "win32").each([
      [0o600, true],
      [0o440, true],
      [0o641, true],
      [0o604, false],
      [0o602, false],
      [0o620, false],
      [0o644, false],
      [0o660, false],
      [0o666, false],
    ])("of the mode %o is taken: %s", (mode, isTaken) => {
      const read = () => parseCommandLine([], { TOKEN_SECRET_FILE: fileOf("a secret", mode) }).settings.TOKEN_SECRET;
      if (isTaken) expect(read()).toBe("a secret");
      else expect(read).toThrow(`others on this machine can use it (mode ${mode.toString(8)})`);
    });
  });

  test.each(["token-secret", "service-key", "service-key-before", "partner-secret"])(
    "no secret comes by --%s",
    (flag) => {
      for (const args of [[`--${flag}`, "x"], [`--${flag}=x`], ["merchants", "list", `--${flag}=x`]])
        expect(() => parseCommandLine(args, {})).toThrow(
          new RegExp(`^--${flag} would be seen in the list of processes`),
        );
      expect(parseCommandLine(["merchants", "add", "x", "--name", flag], {}).flags).toEqual({ name: flag });
    },
  );

  test.each([
    [["--help"], { help: true, version: false, json: false }],
    [["-h"], { help: true, version: false, json: false }],
    [["--version"], { help: false, version: true, json: false }],
    [["--json"], { help: false, version: false, json: true }],
    [["restored", "--since", "TIME", "--long-ago"], { words: ["restored"], flags: { since: "TIME", "long-ago": "1" } }],
    [["partners", "allow", "bank", "--all"], { words: ["partners", "allow", "bank"], flags: { all: "1" } }],
  ])("%j", (args, expected) => expect(parseCommandLine(args, {})).toMatchObject(expected));

  test("a flag that there is not is told without Node's advice", () => {
    expect(() => parseCommandLine(["--frobnicate"], {})).toThrow(new UsageError("Unknown option '--frobnicate'"));
  });

  test("words and flags of a command", () => {
    const line = parseCommandLine(["merchants", "add", "shop", "--name", "Shop", "--json"], {});
    expect(line).toMatchObject({
      words: ["merchants", "add", "shop"],
      flags: { name: "Shop" },
      json: true,
      help: false,
    });
  });
  test.each([[["--unknown"]], [["--port"]], [["--sandbox=maybe"]]])("refused: %j", (args) => {
    expect(() => parseCommandLine(args, {})).toThrow(UsageError);
    expect(() => parseCommandLine(args, {})).toThrow(expect.objectContaining({ name: "UsageError" }));
  });
});

describe("strict JSON", () => {
  const deepest = "[".repeat(32) + "]".repeat(32);
  const right: [string, unknown][] = [
    ['{"a":{"b":1},"c":{"b":2}}', { a: { b: 1 }, c: { b: 2 } }],
    ['[{"a":"a"},{"a":"\\"a\\":"}]', [{ a: "a" }, { a: '"a":' }]],
    ['{"a":"\\\\","b":"\\u00e9\\ud83d\\ude00"}', { a: "\\", b: "é😀" }],
    [' {"constructor" : "x"} ', { constructor: "x" }],
    ["7", 7],
    [deepest, JSON.parse(deepest)],
  ];
  test.each(right)("%s", (text, value) => expect(parseStrictJson(text)).toEqual({ ok: true, value }));

  const wrong: [string, RegExp][] = [
    ["", /not valid/],
    ["{'a':1}", /not valid/],
    ['{"a":1,}', /not valid/],
    ['{"a":NaN}', /not valid/],
    ['{"a":"\n"}', /not valid/],
    ['{"a":1,"a":1}', /twice/],
    ['{"a":1,"\\u0061":2}', /twice/],
    ['{"x":[{"a":1,"b":{},"a":2}]}', /twice/],
    ['{"__proto__":1}', /__proto__/],
    ['{"\\u005f_proto__":1}', /__proto__/],
    ['{"a":"\\u0000"}', /NUL/],
    ['{"\\u0000":1}', /NUL/],
    ['["\\ud800"]', /surrogate/],
    ['{"\\udc00":1}', /surrogate/],
    [`[${deepest}]`, /deeper/],
    ["[".repeat(30_000) + "]".repeat(30_000), /deeper/],
  ];
  test.each(wrong)("refuses %.40s", (text, why) => {
    expect(parseStrictJson(text)).toEqual({ ok: false, why: expect.stringMatching(why) });
  });
});

test("calls are taken for a while after a stop where there may be another process, unless it is said otherwise", () => {
  const drainOf = (settings: Record<string, string>) => {
    const result = parseConfig({ ...outside, ...settings });
    return result.ok ? result.config.drainMs : result.problems;
  };
  const postgres = { DATABASE_URL: "postgres://tillcash@db/tillcash" };
  expect([drainOf({}), drainOf(postgres)]).toEqual([0, 3_000]);
  expect([drainOf({ DRAIN_SECONDS: "7" }), drainOf({ ...postgres, DRAIN_SECONDS: "0" })]).toEqual([7_000, 0]);
});
