/** What the operator of a chain sees and does with thousands of terminals at once, on both stores. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { auditPage } from "../../backend/access/audit.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { readCsv } from "../../backend/contract/csv.ts";
import { readEnrolmentLink } from "../../backend/contract/enrolment-link.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { importTerminals } from "../../backend/operate/import.ts";
import { manage } from "../../backend/operate/manage.ts";
import { prepareDatabase } from "../../backend/prepare-database.ts";
import { readDatabaseUrl } from "../../backend/store/database-url.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import type { WasmReader } from "../../renderer/scan/decode/zxing-wasm.ts";
import { nodeWasm } from "../../tools/scan/node-wasm.ts";
import { thoroughOptions } from "../../tools/scan/read-picture.ts";
import { createHttpStage, type HttpStage, till, till2 } from "./http-stage.ts";
import { stores } from "./stores.ts";

/** What the program's own reader finds in the path of an SVG, drawn four dots a module. Plain ZXing misses one drawing in a hundred. */
const readQr = (wasm: WasmReader, size: number, path: string): string | undefined => {
  const [width, scale] = [size * 4, 4];
  const data = new Uint8ClampedArray(width * width).fill(255);
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row += 1)
      data.fill(0, row * width + Number(x) * scale, row * width + (Number(x) + Number(length)) * scale);
  return wasm.read({ data, width, height: width }, ["qr"], thoroughOptions)[0]?.text;
};

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  const command = (...args: string[]) =>
    manage(parseCommandLine(args, { DATABASE_URL: stage.place.url, PUBLIC_URL: "https://cash.example" }));
  beforeEach(async () => {
    stage = await createHttpStage(dialect);
  });
  afterEach(() => stage.dispose());

  test("each terminal with when it was last heard of and the state of its journal, by shop and by silence", async () => {
    const report = async (seq: number, head: string) =>
      stage.call("POST", "/ext/v1/journal-heads", {
        token: await stage.token(),
        json: { seq, head: head.repeat(43), at: new Date(0).toISOString() },
      });
    const list = (...flags: string[]) => command("terminals", "list", ...flags);
    const names = async (...flags: string[]) =>
      (await list(...flags)).map(({ shop, terminal }) => `${shop} ${terminal}`);
    const all = [
      `${till.merchant_id} ${till.device_id}`,
      `${till2.merchant_id} ${till2.device_id}`,
      "other-shop till-1",
    ];
    expect(await names()).toEqual(all);
    expect(await names("--older", "1")).toEqual(all);
    const never = { heard: null, minutes_ago: null, silent: null, version: null, journal: null };
    expect((await list())[0]).toMatchObject(never);
    const token = await stage.token();
    // Heard is who makes a call, here as in "withdrawals list".
    expect((await list())[0]).toMatchObject(never);
    await stage.call("GET", "/ext/v1/till", { token });
    const heard = { heard: expect.stringMatching(/Z$/), minutes_ago: 0, journal: null };
    await expect.poll(async () => (await list())[0]).toMatchObject(heard);
    expect(await names("--older", "1")).toEqual(all.slice(1));
    expect(await names("--shop", "other-shop")).toEqual(all.slice(2));
    expect((await report(7, "a")).status).toBe(201);
    expect((await list())[0]).toMatchObject({ journal: "entry 7" });
    expect((await report(7, "b")).status).toBe(409);
    expect((await list())[0]).toMatchObject({ journal: expect.stringMatching(/^forked 20/) });
    const forks = (await command("audit")).filter(({ event }) => event === "journal_forked");
    expect(forks).toMatchObject([{ address: "127.0.0.1" }]);
    expect((await list())[1]).toMatchObject(never);
    await command("credentials", "revoke", "terminal", till2.merchant_id, till2.device_id);
    expect(await names()).toEqual([all[0], all[2]]);
    await expect(list("--older", "x")).rejects.toThrow("--older must be a whole number of minutes");
  });

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tillcash-import-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const csv = (name: string, ...lines: string[]): string => {
    writeFileSync(join(folder, name), lines.join("\r\n"));
    return join(folder, name);
  };
  const shops = async () =>
    (await command("merchants", "list")).map(({ id, name, largest }) => `${id} ${name} ${largest}`);
  const enrol = async (code: unknown) => (await stage.call("POST", "/ext/v1/enrolments", { json: { code } })).status;

  test("shops from a file, all or none, as a spreadsheet saves it, and once more without harm", async () => {
    const before = await shops();
    const file = csv(
      "shops.csv",
      "\ufeffid;name;largest;support_phone",
      'north;"North ""1"", Köln";300.00;',
      "south;South;;+49 30 123",
      "",
    );
    const run = (...flags: string[]) => command("merchants", "import", file, ...flags);
    expect(await run("--dry-run")).toEqual([{ would_be: "added", count: 2, lines: "2-3" }]);
    expect(await shops()).toEqual(before);
    expect(await run()).toEqual([{ done: "added", count: 2, lines: "2-3" }]);
    const after = [...before, 'north North "1", Köln 300.00', "south South 500.00"];
    expect(await shops()).toEqual(after.sort());
    expect(await run()).toEqual([{ done: "as it was", count: 2, lines: "2-3" }]);
    csv("shops.csv", "id,name,largest", "north,North,300.00", "west,West,", "south,South,500.00");
    expect(await run()).toEqual([
      { done: "changed", count: 1, lines: "2" },
      { done: "added", count: 1, lines: "3" },
      { done: "as it was", count: 1, lines: "4" },
    ]);
    const known = await shops();
    csv("shops.csv", "id,name,currency,step", "east,East,EUR,", "north,,CHF,", "-x,X,,", "other,Other,,0.005");
    await expect(run()).rejects.toThrow(
      /^line 3: shop north hands out EUR.*\nline 4: the ID must be .*\nline 5: 0\.005 is no amount in EUR.*\nnothing was written$/,
    );
    expect(await shops()).toEqual(known);
    expect(await command("audit", "verify")).toMatchObject([{ settings: "whole" }]);
  });

  const refused: [string, (string | Buffer)[], RegExp][] = [
    ["a column that there is not", ["id,nam", "a,b"], /must name the columns id, name/],
    ["a key that is missing", ["name", "b"], /id must be there/],
    ["a line of another length", ["id,name", "a"], /^line 2 has 1 cells, not 2$/],
    ["two lines for one", ["id,name", "a,A", "", "a,B"], /^line 4 is for a, as line 2 is$/],
    ["a quote in the middle", ["id,name", 'a,A "b'], /line 2 has a quote/],
    ["Latin 1", [Buffer.from("id,name\nk,K\u00f6ln", "latin1")], /is not UTF-8/],
  ];
  // The store is not asked.
  test.each(dialect === "sqlite" ? refused : [])("a file with %s is refused", async (_, lines, message) => {
    const file = csv("wrong.csv");
    writeFileSync(file, typeof lines[0] === "string" ? lines.join("\n") : (lines[0] as Buffer));
    await expect(command("merchants", "import", file)).rejects.toThrow(message);
  });

  test("a code for each terminal that has neither key nor code, in one file, each used once, until they are revoked", async () => {
    const file = csv("tills.csv", "shop,terminal", "demo-shop,till-1", "demo-shop,till-8", "other-shop,till-9");
    const [first, second] = [join(folder, `codes-${dialect}-1.csv`), join(folder, `codes-${dialect}-2.csv`)];
    const run = (...flags: string[]) => command("credentials", "import", file, ...flags);
    await expect(run()).rejects.toThrow(/where do the codes go/);
    await expect(run("--out", first, "--days", "31")).rejects.toThrow(/--days must be 1 to 30/);
    expect(await run("--dry-run")).toEqual([
      { would_be: "has a key", count: 1, lines: "2" },
      { would_be: "a code made", count: 2, lines: "3-4" },
    ]);
    expect(await run("--out", first, "--days", "30")).toMatchObject([{ lines: "2" }, { lines: "3-4" }]);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    const codes = (out: string) => readCsv(readFileSync(out, "utf8")).slice(1);
    const [eight, nine] = codes(first);
    expect(eight?.slice(0, 3)).toEqual(["demo-shop", "Demo Shop", "till-8"]);
    expect(readEnrolmentLink(eight?.[5] ?? "")).toEqual({
      serviceUrl: "https://cash.example",
      code: eight?.[3]?.replaceAll("-", ""),
    });
    expect((Date.parse(nine?.[4] ?? "") - Date.now()) / 86_400_000).toBeCloseTo(30, 1);
    expect([await enrol(eight?.[3]), await enrol(eight?.[3])]).toEqual([201, 404]);
    expect(await run("--out", second)).toEqual([
      { done: "has a key", count: 2, lines: "2-3" },
      { done: "has a code", count: 1, lines: "4" },
    ]);
    await expect(run("--out", first)).rejects.toThrow(/cannot be written/);
    rmSync(second);
    await run("--out", second, "--renew");
    expect(await enrol(nine?.[3])).toBe(404);
    expect(await run("--revoke")).toEqual([
      { done: "no code", count: 2, lines: "2-3" },
      { done: "code ended", count: 1, lines: "4" },
    ]);
    expect(await enrol(codes(second)[0]?.[3])).toBe(404);
    csv("tills.csv", "shop,terminal", "demo-shop,1till", "demo-shop1,till");
    await expect(run("--out", join(folder, "never.csv"))).rejects.toThrow("line 3: there is no shop demo-shop1");
    csv("tills.csv", "shop,terminal", "nowhere,till-1", "demo-shop,till-10");
    await expect(run("--out", join(folder, "never.csv"))).rejects.toThrow("line 2: there is no shop nowhere");
    expect(existsSync(join(folder, "never.csv"))).toBe(false);
  });

  test("a sheet to print beside the codes or alone: a page for each shop, each code as text and as a QR code that is read", async () => {
    const tills = ["demo-shop,till-31", "demo-shop,till-32", "other-shop,till-33"];
    const file = csv("sheet-tills.csv", "shop,terminal", ...tills);
    await command("merchants", "set", "other-shop", "--name", 'Köln <b>"Süd" & Co');
    const [out, sheet] = [join(folder, `codes-${dialect}-s.csv`), join(folder, `codes-${dialect}.html`)];
    const run = (...flags: string[]) => command("credentials", "import", file, ...flags);
    await expect(run("--sheet", sheet, "--language", "es")).rejects.toThrow(/--language must be one of en, de, fr, it/);
    await run("--out", out, "--sheet", sheet, "--language", "de", "--days", "30");
    expect(statSync(sheet).mode & 0o777).toBe(0o600);
    const text = readFileSync(sheet, "utf8");
    expect(text).not.toMatch(/<script|<link|src=|url\(|<b>/);
    const titles = [...text.matchAll(/<h1>(.*?)<\/h1>/g)].map(([, name]) => name);
    expect(titles).toEqual(["Demo Shop", "Köln &lt;b&gt;&quot;Süd&quot; &amp; Co"]);
    const codes = readCsv(readFileSync(out, "utf8")).slice(1);
    expect([...text.matchAll(/class="code">(.*?)</g)].map(([, code]) => code)).toEqual(codes.map((line) => line[3]));
    const until = new Intl.DateTimeFormat("de", { dateStyle: "long", timeZone: "UTC" });
    expect(text).toContain(`Gilt einmal, bis ${until.format(Date.parse(codes[0]?.[4] ?? ""))}`);
    const drawn = [...text.matchAll(/viewBox="0 0 (\d+) .*?<path d="(.*?)"/g)];
    const wasm = await nodeWasm();
    expect(drawn.map(([, size, path]) => readQr(wasm, Number(size), path ?? ""))).toEqual(codes.map((line) => line[5]));
    expect(await enrol(codes[2]?.[3])).toBe(201);
    await run("--sheet", join(folder, `alone-${dialect}.html`), "--renew");
    expect(await enrol(codes[0]?.[3])).toBe(404);
    // One of two that is there already takes the other back, and no code counts.
    const never = join(folder, `never-${dialect}.csv`);
    await expect(run("--out", never, "--sheet", sheet, "--renew")).rejects.toThrow(/html cannot be written/);
    expect(existsSync(never)).toBe(false);
  });

  /** What an import by a command beside the service goes through. */
  const importing = async (change: (store: Store) => Store, steps: string[] = []) => {
    const store = await stage.place.open();
    const database = readDatabaseUrl(stage.place.url);
    if (database === null) throw new Error("no address");
    const prepared = await prepareDatabase(store, { database, serviceKey: null, serviceKeyBefore: null }, systemClock);
    prepared.stopReadingTime();
    const clock = {
      ...systemClock,
      after(ms: number, run: () => void) {
        steps.push(`${ms} ms`);
        return systemClock.after(ms, run);
      },
    };
    const settings = { partner: null, partnerSecret: null, proxy: null, database, backups: null };
    const on = { ...settings, ...prepared, random: systemRandom, publicUrl: "https://cash.example" };
    return { ...on, clock, store: change(store) };
  };

  test("refused by the first commit nothing was written and no file is left; by a later one the lines before count", async () => {
    const many = Array.from({ length: 60 }, (_, at) => `demo-shop,many-${at}`);
    /** Somebody takes the shop away when all was tried, before the lines are written. */
    const cut = async (...lines: string[]) => {
      await command("merchants", "add", "late-shop", "--name", "Late");
      const file = csv("many.csv", "shop,terminal", ...lines);
      const out = join(folder, `cut-${dialect}-${lines[0]}.csv`);
      let commits = 0;
      const on = await importing((store) => ({
        ...store,
        async write(unit, about) {
          commits += 1;
          const taken = adhoc((db) => db.deleteFrom("merchants").where("id", "=", "late-shop"));
          if (commits === 4) await store.write((tx) => tx.run(taken));
          return store.write(unit, about);
        },
      }));
      const said = await importTerminals(on, file, { out }).then(String, (error: Error) => error.message);
      const written = adhoc((db) => db.selectFrom("enrolments").selectAll().where("device_id", "like", "many-%"));
      return [said, existsSync(out), (await on.store.read((tx) => tx.all(written))).length];
    };
    const why = "there is no shop late-shop; add it with: merchants import";
    expect(await cut("late-shop,till-1", ...many)).toEqual([`line 2: ${why}\nnothing was written`, false, 0]);
    const mend = "the 50 lines before were written: mend these, and import the file again";
    expect(await cut(...many, "late-shop,till-1")).toEqual([`line 62: ${why}\n${mend}`, true, 50]);
  });

  test("an import lets the service write between its commits, which are small", async () => {
    const tills = Array.from({ length: 120 }, (_, at) => `demo-shop,small-${at}`);
    const steps: string[] = [];
    const on = await importing((store) => {
      const write: Store["write"] = (unit, about) => {
        steps.push("commit");
        return store.write(unit, about);
      };
      return { ...store, write };
    }, steps);
    const file = csv("small.csv", "shop,terminal", ...tills);
    await importTerminals(on, file, { out: join(folder, `small-${dialect}.csv`) });
    const pass = ["commit", "25 ms", "commit", "25 ms", "commit"];
    expect(steps).toEqual(["commit", ...pass, ...pass, "commit"]);
  });

  /** What an import of sixty terminals says, and those of its codes that enrol, where something comes before one of its commits. */
  const withBetween = async (name: string, at: number, meanwhile: (file: string) => Promise<unknown>) => {
    const file = csv(`${name}.csv`, "shop,terminal", ...Array.from({ length: 60 }, (_, n) => `demo-shop,${name}-${n}`));
    const out = join(folder, `${name}-${dialect}.csv`);
    let commits = 0;
    const on = await importing((store) => ({
      ...store,
      async write(unit, about) {
        commits += 1;
        if (commits === at) await meanwhile(file);
        return store.write(unit, about);
      },
    }));
    const said = await importTerminals(on, file, { out }).then(
      (done) => done,
      (error: Error) => error.message,
    );
    const codes = existsSync(out) ? readCsv(readFileSync(out, "utf8")).slice(1) : [];
    const answers = await Promise.all([codes[0], codes.at(-1)].map((line) => line && enrol(line[3])));
    return { said, answers };
  };

  test("of two imports of codes at once the second is refused, and the codes of the first count", async () => {
    const second = (file: string) =>
      expect(
        command("credentials", "import", file, "--renew", "--out", join(folder, `second-${dialect}.csv`)),
      ).rejects.toThrow(/another import of codes is running, which wrote last at/);
    expect(await withBetween("two", 5, second)).toEqual({
      said: [{ done: "a code made", count: 60, lines: "2-61" }],
      answers: [201, 201],
    });
  });

  test("an import that stood still for minutes goes on no more where another one has begun", async () => {
    const out = join(folder, `later-${dialect}.csv`);
    const later = async (file: string) => {
      const on = await importing((store) => store);
      const clock = { ...on.clock, now: () => systemClock.now() + 6 * 60_000 };
      await importTerminals({ ...on, clock }, file, { out, renew: "1" });
    };
    expect(await withBetween("still", 5, later)).toEqual({
      said: "another import of codes has begun meanwhile\nthe 50 lines before were written: mend these, and import the file again",
      answers: [404, 404],
    });
    expect(await enrol(readCsv(readFileSync(out, "utf8"))[1]?.[3])).toBe(201);
  });

  test("a code that somebody else makes for one of the terminals meanwhile stays the only one", async () => {
    let code: unknown;
    const single = async () => {
      code = (await command("credentials", "add", "terminal", "demo-shop", "one-0", "--enrol"))[0]?.code;
    };
    expect(await withBetween("one", 4, single)).toEqual({
      said: "line 2: somebody else has made or ended the code of demo-shop one-0 since this import began\nnothing was written",
      answers: [undefined, undefined],
    });
    expect(await enrol(code)).toBe(201);
  });

  test("a terminal that is revoked is not brought back by a code that waits", async () => {
    const revoke = (device: string) => command("credentials", "revoke", "terminal", "demo-shop", device);
    const [made] = await command("credentials", "add", "terminal", "demo-shop", "till-20", "--enrol", "--days", "7");
    await revoke("till-20");
    expect(await enrol(made?.code)).toBe(404);
    const [rotated] = await command("credentials", "rotate", "terminal", "demo-shop", "till-1", "--enrol");
    await revoke("till-1");
    expect(await enrol(rotated?.code)).toBe(404);
    await expect(revoke("till-1")).rejects.toThrow(/has no credential in use/);
    const out = join(folder, `revoked-${dialect}.csv`);
    const file = csv("tills.csv", "shop,terminal", "demo-shop,till-1");
    expect(await command("credentials", "import", file, "--out", out)).toMatchObject([
      { done: "is revoked", count: 1 },
    ]);
    expect(readCsv(readFileSync(out, "utf8"))).toHaveLength(1);
  });

  test("a new key ends a code that would put another one in its place", async () => {
    const rotate = (...more: string[]) =>
      command("credentials", "rotate", "terminal", "demo-shop", "till-1", ...more).then(([made]) => made);
    const waiting = await rotate("--enrol", "--days", "30");
    await rotate();
    expect(await enrol(waiting?.code)).toBe(404);
  });

  test("a database that was put back does not know which codes were used since: all end", async () => {
    const [waiting] = await command(
      "credentials",
      "add",
      "terminal",
      "demo-shop",
      "till-21",
      "--enrol",
      "--days",
      "30",
    );
    const [reset] = await command("credentials", "reset-manager", "terminal", "demo-shop", "till-1");
    await stage.stop();
    await command("restored", "--since", new Date(Date.now() - 60_000).toISOString());
    await stage.restart();
    expect(await enrol(waiting?.code)).toBe(404);
    const used = { merchant_id: "demo-shop", device_id: "till-1", code: reset?.code };
    expect((await stage.call("POST", "/ext/v1/manager-resets", { json: used })).status).toBe(404);
  });

  test("the audit names each shop and terminal that an import has changed, with what its line says", async () => {
    const shopsFile = csv("shops.csv", "id,name,largest", "north,North,300.00", "demo-shop,Demo Shop,");
    const tills = csv("tills.csv", "shop,terminal", "north,till-1", "demo-shop,till-1");
    await command("merchants", "import", shopsFile, "--dry-run");
    await command("merchants", "import", shopsFile);
    await command("credentials", "import", tills, "--out", join(folder, `audit-${dialect}.csv`));
    await command("credentials", "import", tills, "--revoke");
    const store = await stage.place.open();
    const entries = await store.read((tx) =>
      tx.all(auditPage({ after: 0, from: 0, until: Number.MAX_SAFE_INTEGER, limit: 99 })),
    );
    await store.close();
    const lines = entries.filter(({ actor, event }) => actor.startsWith("operator ") && !event.endsWith(" import"));
    expect(lines.map(({ event, object, detail }) => [event, object, detail])).toEqual([
      ["merchants add", "north", "--name North --largest 300.00"],
      ["enrolment made", "terminal north/till-1", null],
      ["enrolment ended", "terminal north/till-1", null],
    ]);
  });
});
