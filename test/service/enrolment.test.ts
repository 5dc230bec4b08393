/** Enrolment by code, reported journals, what a terminal is told, and the audit of it all, on both stores. */
import { BinaryBitmap, GlobalHistogramBinarizer, QRCodeReader, RGBLuminanceSource } from "@zxing/library";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appendAudit, auditPage } from "../../backend/access/audit.ts";
import { loadKeptServiceKey, serviceKeysFrom } from "../../backend/access/secrets.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage, table } from "../../backend/operate/manage.ts";
import { qrText } from "../../backend/operate/qr-text.ts";
import { readDatabaseUrl } from "../../backend/store/database-url.ts";
import { adhoc } from "../../backend/store/store.ts";
import { createHttpStage, type HttpStage } from "./http-stage.ts";
import { stopClocks } from "./stop-clocks.ts";
import { createPlace, stores } from "./stores.ts";

const serviceKey = "a service key of the tests";

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  const command = (...args: string[]) =>
    manage(
      parseCommandLine(args, {
        DATABASE_URL: stage.place.url,
        SERVICE_KEY: serviceKey,
        PUBLIC_URL: "https://cash.example",
      }),
    );
  /** Every code and every key that was given. */
  const given: string[] = [];
  const enrol = async (code: unknown, headers: Record<string, string> = {}) => {
    const answer = await stage.call("POST", "/ext/v1/enrolments", {
      json: { code },
      headers: { "x-forwarded-for": "203.0.113.9", ...headers },
    });
    if (answer.status === 201) given.push(answer.body.password);
    return answer;
  };
  const codeFor = async (device: string, verb = "add") => {
    const [made] = await command("credentials", verb, "terminal", "demo-shop", device, "--enrol");
    const code = String(made?.code);
    given.push(code, code.replaceAll("-", ""));
    return code;
  };
  const signedIn = async (device: string): Promise<string> => {
    const { body } = await enrol(await codeFor(device));
    return (await stage.authorize({ ...body, device_type: "terminal" })).body.access_token;
  };
  const events = async () => (await command("audit")).map(({ event }) => event);
  beforeAll(async () => {
    stage = await createHttpStage(dialect, { SERVICE_KEY: serviceKey, TRUSTED_PROXIES: "127.0.0.1" });
  });
  afterAll(() => stage.dispose());

  test("a code turns into an access key, once, however it is typed", async () => {
    const [made] = await command("credentials", "add", "terminal", "demo-shop", "till-20", "--enrol");
    expect(made).toEqual({
      merchant_id: "demo-shop",
      device_id: "till-20",
      code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/),
      valid_until: expect.any(String),
      enrolment: `tillcash:enrol?url=https%3A%2F%2Fcash.example&code=${String(made?.code).replaceAll("-", "")}`,
    });
    const typed = String(made?.code).toLowerCase().replaceAll("-", " ");
    const { status, body, headers } = await enrol(typed);
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(body).toEqual({
      merchant_id: "demo-shop",
      store_name: "Demo Shop",
      device_id: "till-20",
      password: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await stage.authorize({ ...body, device_type: "terminal" })).status).toBe(201);
    expect((await enrol(typed)).status).toBe(404);
  });

  test("two uses of one code at once give one key", async () => {
    const code = await codeFor("till-21");
    const statuses = (await Promise.all([enrol(code), enrol(code), enrol(code)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 404, 404]);
  });

  test("a newer code ends the older; one for a device with a key replaces the key and its tokens", async () => {
    const [first, second] = [await codeFor("till-22"), await codeFor("till-22")];
    expect((await enrol(first)).status).toBe(404);
    const key = { ...(await enrol(second)).body, device_type: "terminal" };
    const token = (await stage.authorize(key)).body.access_token;
    await expect(codeFor("till-22")).rejects.toThrow(/already has a credential/);
    await expect(codeFor("till-404", "rotate")).rejects.toThrow(/no credential in use/);
    expect((await enrol(await codeFor("till-22", "rotate"))).status).toBe(201);
    expect((await stage.authorize(key)).body.error).toBe("invalid_client");
    await expect.poll(async () => (await stage.call("GET", "/ext/v1/till", { token })).status).toBe(401);
  });

  test("a code is dead after 24 hours", async () => {
    const [made] = await command("credentials", "add", "terminal", "demo-shop", "till-23", "--enrol");
    const hours = (Date.parse(String(made?.valid_until)) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
    const store = await stage.place.open();
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("enrolments").set({ expires_at: 1 }).where("device_id", "=", "till-23"))),
    );
    expect((await enrol(made?.code)).status).toBe(404);
  });

  test("guessing codes is slowed down by address, and others go on", async () => {
    stopClocks();
    const from = { "x-forwarded-for": "198.51.100.77" };
    const statuses: number[] = [];
    for (let at = 0; at < 8; at += 1) statuses.push((await enrol("0000-0000-0000", from)).status);
    expect(statuses.slice(0, 5)).toEqual([404, 404, 404, 404, 404]);
    expect(statuses.slice(5)).toEqual([429, 429, 429]);
    expect((await enrol(await codeFor("till-24"))).status).toBe(201);
    for (const wrong of ["", 7, null, "x".repeat(65)]) expect((await enrol(wrong)).status).toBe(400);
  });

  test("--enrol is for terminals behind https alone", async () => {
    await expect(command("credentials", "add", "client", "demo-bank", "s", "--enrol")).rejects.toThrow(
      /^--enrol is for/,
    );
    const open = { DATABASE_URL: stage.place.url, SERVICE_KEY: serviceKey, PUBLIC_URL: "http://cash.example" };
    const line = ["credentials", "add", "terminal", "demo-shop", "till-25", "--enrol"];
    await expect(manage(parseCommandLine(line, open))).rejects.toThrow(/^PUBLIC_URL must be the https address/);
  });

  test("a terminal is told its shop's name, limits, the time to approve, and whom to ask", async () => {
    const token = await signedIn("till-30");
    const read = async () => (await stage.call("GET", "/ext/v1/till", { token })).body;
    expect(await read()).toEqual({
      store_name: "Demo Shop",
      currency: "EUR",
      amount_min: "10.00",
      amount_max: "500.00",
      amount_step: "0.01",
      sca_timeout_seconds: 40,
      support: null,
      server_time: expect.stringMatching(/^\d{4}-.*Z$/),
      forgot_since: null,
      restored_at: null,
      kept_head: null,
    });
    await command("merchants", "set", "demo-shop", "--support-phone", "+49 30 123456");
    // Within a second: until then nothing was seen to have changed.
    await expect.poll(async () => (await read()).support).toEqual({ text: null, phone: "+49 30 123456" });
  });

  test("a journal's head goes forward; cut, forked and restored ones are refused and written to the audit", async () => {
    const token = await signedIn("till-31");
    const at = "2026-11-21T18:00:00.000Z";
    const report = async (seq: number, head: string) => {
      const { status, body } = await stage.call("POST", "/ext/v1/journal-heads", { token, json: { seq, head, at } });
      return [status, body.code ?? body.seq];
    };
    expect(await report(10, "ten")).toEqual([201, 10]);
    expect(await report(10, "ten")).toEqual([201, 10]);
    expect(await report(25, "twenty-five")).toEqual([201, 25]);
    expect(await report(25, "another")).toEqual([409, "journal_forked"]);
    expect(await report(10, "ten")).toEqual([409, "journal_forked"]);
    expect(await report(26, "twenty-six")).toEqual([201, 26]);
    const { heads } = (await stage.call("GET", "/ext/v1/journal-heads", { token })).body;
    expect(heads.map(({ seq, head }: { seq: number; head: string }) => [seq, head])).toEqual([
      [26, "twenty-six"],
      [25, "twenty-five"],
      [10, "ten"],
    ]);
    const newest = await stage.call("GET", "/ext/v1/journal-heads?limit=1", { token });
    expect(newest.body.heads).toMatchObject([{ seq: 26, head: "twenty-six" }]);
    for (const limit of ["0", "1001", "one"])
      expect((await stage.call("GET", `/ext/v1/journal-heads?limit=${limit}`, { token })).status).toBe(400);
    expect((await events()).filter((event) => event === "journal_forked").length).toBe(2);
    const again = (
      await stage.authorize({ ...(await enrol(await codeFor("till-31", "rotate"))).body, device_type: "terminal" })
    ).body.access_token;
    const anew = await stage.call("POST", "/ext/v1/journal-heads", { token: again, json: { seq: 1, head: "one", at } });
    expect(anew.status).toBe(201);
    for (const wrong of [
      { seq: 0, head: "x", at },
      { seq: 1.5, head: "x", at },
      { seq: 40, head: "a b", at },
      { seq: 40, head: "x", at: "noon" },
    ])
      expect((await stage.call("POST", "/ext/v1/journal-heads", { token: again, json: wrong })).status).toBe(400);
  });

  test("a key that reports forks without end leaves ten lines in the audit", async () => {
    const token = await signedIn("till-33");
    const at = "2026-11-21T18:00:00.000Z";
    const report = async (head: string) =>
      (await stage.call("POST", "/ext/v1/journal-heads", { token, json: { seq: 1, head, at } })).status;
    expect(await report("mine")).toBe(201);
    const before = (await events()).filter((event) => event === "journal_forked").length;
    for (let n = 0; n < 30; n += 1) expect(await report(`other-${n}`)).toBe(409);
    expect((await events()).filter((event) => event === "journal_forked").length).toBe(before + 10);
  });

  test("heads that come at once are kept or refused, and never a failure of ours", async () => {
    const token = await signedIn("till-32");
    const at = "2026-11-21T18:00:00.000Z";
    const report = async (seq: number, head: string) =>
      (await stage.call("POST", "/ext/v1/journal-heads", { token, json: { seq, head, at } })).status;
    for (let seq = 1; seq <= 20; seq += 1) {
      expect(await Promise.all(Array.from({ length: 6 }, () => report(2 * seq, `same-${seq}`)))).toEqual(
        Array.from({ length: 6 }, () => 201),
      );
      const forked = await Promise.all(Array.from({ length: 6 }, (_, n) => report(2 * seq + 1, `own-${n}`)));
      expect(forked.toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    }
  });

  test("the audit says who did what, when, from where; and leaves secrets and users' ids out", async () => {
    await stage.authorize({
      merchant_id: "demo-shop",
      device_id: "till-66",
      device_type: "terminal",
      password: "guess",
    });
    await command("partners", "allow", "other-bank", "demo-shop");
    await command("users", "block", "demo-bank", "customer-77");
    const rows = await command("audit", "--json");
    const find = (event: string) => rows.find((row) => row.event === event);
    expect(rows.findLast((row) => row.event === "sign_in_refused")).toMatchObject({
      actor: "terminal demo-shop/till-66",
      object: "terminal demo-shop/till-66",
    });
    expect(find("enrolled")).toMatchObject({
      actor: "terminal demo-shop/till-20",
      address: "203.0.113.9",
      time: expect.stringMatching(/^20\d\d-.*Z$/),
    });
    expect(find("enrolment_refused")).toMatchObject({ address: "203.0.113.9" });
    expect(find("partners allow")).toMatchObject({
      object: "other-bank demo-shop",
      actor: expect.stringMatching(/^operator /),
      address: null,
    });
    expect(find("merchants set")).toMatchObject({ object: "demo-shop", detail: "--support-phone +49 30 123456" });
    expect(find("users block")?.object).toMatch(/^demo-bank user [0-9a-f]{16}$/);
    expect(given.length).toBeGreaterThan(10);
    for (const secret of ["customer-77", "guess", ...given]) expect(JSON.stringify(rows)).not.toContain(secret);
    expect((await command("audit", "--from", "2020-01-01", "--to", "2020-12-31")).length).toBe(0);
    await expect(command("audit", "--from", "yesterday")).rejects.toThrow(/^--from must be a day/);
    await command("users", "unblock", "demo-bank", "customer-77");
  });

  test("entries that were added, changed, deleted or cut off show", async () => {
    // It seals its history when it likes, which is an entry too.
    await stage.stop();
    const store = await stage.place.open();
    const write = (build: Parameters<typeof adhoc>[0]) => store.write((tx) => tx.run(adhoc(build)));
    const entries = (await command("audit", "--all")).length;
    expect(await command("audit", "verify")).toMatchObject([{ audit: "whole", entries }]);
    const auditError = () =>
      command("audit", "verify").then(
        () => "whole",
        (error: Error) => error.message,
      );

    const [newest] = await store.read((tx) =>
      tx.all(adhoc((db) => db.selectFrom("audit").selectAll().orderBy("seq", "desc"))),
    );
    if (newest === undefined) throw new Error("an empty audit");
    const added = { ...newest, seq: newest.seq + 1 };
    await write((db) => db.insertInto("audit").values(added));
    expect(await auditError()).toBe(`The audit does not hold: entry ${added.seq} was changed.`);
    await write((db) => db.deleteFrom("audit").where("seq", "=", added.seq));
    await write((db) => db.updateTable("audit").set({ actor: "nobody" }).where("seq", "=", 3));
    expect(await auditError()).toBe("The audit does not hold: entry 3 was changed.");
    const changed = (await command("audit", "--all")).find(({ number }) => number === 3);
    expect(changed?.actor).toBe("nobody");
    await write((db) => db.deleteFrom("audit").where("seq", "=", 3));
    expect(await auditError()).toBe("The audit does not hold: entry 3 is missing.");
    await write((db) => db.deleteFrom("audit").where("seq", "<", 10_000));
    expect(await auditError()).toBe("The audit does not hold: entry 1 was cut off.");
  });

  test("a SERVICE_KEY that came later leaves what was written before it whole, and an earlier key rewrites nothing", async () => {
    const other = await createPlace(dialect);
    const env = { DATABASE_URL: other.url, PUBLIC_URL: "https://cash.example" };
    const unkeyed = (...args: string[]) => manage(parseCommandLine(args, env));
    const keyed = (...args: string[]) => manage(parseCommandLine(args, { ...env, SERVICE_KEY: serviceKey }));
    await unkeyed("merchants", "add", "shop-1", "--name", "Shop 1");
    await unkeyed("merchants", "set", "shop-1", "--name", "Shop One");
    expect(await unkeyed("audit", "verify")).toMatchObject([{ audit: "whole", entries: 4 }]);
    await keyed("merchants", "disable", "shop-1");
    expect(await keyed("audit", "verify")).toMatchObject([{ audit: "whole", entries: 6, before_this_service_key: 4 }]);
    // Without the operator's key nobody can go on, and an entry under the old key after one under the new one shows.
    await expect(unkeyed("merchants", "enable", "shop-1")).rejects.toThrow(/SERVICE_KEY is missing/);
    const store = await other.open();
    const database = readDatabaseUrl(other.url);
    const kept = database && (await loadKeptServiceKey(store, database));
    if (!kept) throw new Error("no key was kept");
    const entry = { event: "merchants enable", actor: "thief", address: null, object: "shop-1", detail: null };
    await store.write((tx) => appendAudit(tx, serviceKeysFrom(kept, false), 0, entry));
    await expect(keyed("audit", "verify")).rejects.toThrow(/entry 7 was written under another SERVICE_KEY/);
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("audit").where("seq", "=", 7))));
    const old = await store.read((tx) =>
      tx.all(auditPage({ after: 0, from: 0, until: Number.MAX_SAFE_INTEGER, limit: 9 })),
    );
    expect(old).toHaveLength(6);
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("audit").set({ actor: "nobody" }).where("seq", "=", 2))),
    );
    await expect(keyed("audit", "verify")).rejects.toThrow(/entry 2 was changed/);
    await other.dispose();
  });

  test("what strangers call themselves cannot steer the operator's screen", () => {
    expect(table([{ actor: "terminal \u001b[2Jx\u202e/y" }])).toBe("actor\nterminal ?[2Jx?/y");
    // One row that no screen is wide enough for stands below itself.
    const long = "x".repeat(170);
    expect(table([{ database: long, ended: 3 }])).toBe(`database  ${long}\nended     3`);
  });
});

test("a reader finds the enrolment in the QR code on the screen", () => {
  const uri = "tillcash:enrol?url=https%3A%2F%2Fcash.example&code=7F3K9Q2M4XTZ";
  const escapeSign = String.fromCharCode(27);
  const lines = qrText(uri)
    .split("\n")
    .map((line) => line.replace(`${escapeSign}[30;107m`, "").replace(`${escapeSign}[0m`, ""));
  const scale = 4;
  const [width, height] = [(lines[0]?.length ?? 0) * scale, lines.length * 2 * scale];
  const light = new Uint8ClampedArray(width * height).map((_, at) => {
    const [x, y] = [Math.floor((at % width) / scale), Math.floor(at / width / scale)];
    const cell = lines[Math.floor(y / 2)]?.[x] ?? " ";
    return cell === "█" || cell === (y % 2 === 0 ? "▀" : "▄") ? 0 : 255;
  });
  const bitmap = new BinaryBitmap(new GlobalHistogramBinarizer(new RGBLuminanceSource(light, width, height)));
  expect(new QRCodeReader().decode(bitmap).getText()).toBe(uri);
});
