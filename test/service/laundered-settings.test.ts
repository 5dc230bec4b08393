/** What somebody changed by SQL is no word of the audit after the next command or start that writes the same row: it goes on being named. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordFound } from "../../backend/access/setting-entries.ts";
import { systemClock } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { startService } from "../../backend/serve.ts";
import type { Query, Store } from "../../backend/store/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { testKeys } from "./world.ts";

type Settings = Readonly<Record<string, string>>;
const old = { SERVICE_KEY: "a service key of the tests" };
const both = { SERVICE_KEY: "another service key of the tests", SERVICE_KEY_BEFORE: old.SERVICE_KEY };
const key = "whsec_aW50cnVkZXIgaW50cnVkZXIgaW50cnVkZXI=";

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  const command = (settings: Settings, ...words: string[]) =>
    manage(parseCommandLine(words, { DATABASE_URL: place.url, PUBLIC_URL: "https://cash.example", ...settings }));
  const sql = async (texts: readonly string[]) => {
    for (const text of texts) {
      const query: Query<unknown> = { kind: "query", name: null, sql: () => ({ text, values: [] }) };
      await store.write((tx) => tx.run(query));
    }
  };
  const serve = async (settings: Settings) => {
    const config = { DATABASE_URL: place.url, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "silent", ...settings };
    const parsed = parseConfig(config);
    if (!parsed.ok) throw new Error(parsed.problems.join());
    let lines = "";
    const write = (chunk: Buffer, _: unknown, done: () => void) => {
      lines += chunk.toString();
      done();
    };
    await (await startService(parsed.config, createLog("warn", new Writable({ write })))).stop();
    return lines;
  };
  const ofBank = (id: string) => ({ PARTNER_ID: id, PARTNER_URL: "https://bank.example", PARTNER_SECRET: key });
  const verify = (settings: Settings = old) =>
    command(settings, "audit", "verify").then(
      () => "whole",
      (error: Error) => error.message,
    );
  const accept = async (settings: Settings = old) => {
    await command(settings, "audit", "accept", "--note", "looked at");
    expect(await verify(settings)).toBe("whole");
  };

  beforeAll(async () => {
    place = await createPlace(dialect);
    store = await place.open();
    await command(old, "partners", "add", "big-bank", "--url", "https://bank.example");
    await command(old, "merchants", "add", "kiosk", "--name", "Kiosk", "--largest", "200.00");
    await command(old, "partners", "allow", "big-bank", "kiosk");
    await command(old, "credentials", "add", "terminal", "kiosk", "till-1");
    await recordFound({ store, clock: systemClock, keys: testKeys });
    await serve({ ...old, ...ofBank("only-bank") });
    expect(await verify()).toBe("whole");
  });
  afterAll(() => place.dispose());

  let acts = 0;
  const another = () => {
    acts += 1;
    return String(acts);
  };
  const setText = () => command(old, "merchants", "set", "kiosk", "--support-text", `Ask ${another()}`);
  const setSlots = () => command(old, "partners", "set", "big-bank", "--slots", another());
  const importShop = () => {
    const file = join(tmpdir(), `tillcash-shops-${process.pid}.csv`);
    writeFileSync(file, `id,support-text\nkiosk,Ask ${another()}\n`);
    return command(old, "merchants", "import", file);
  };
  const limit = ["update merchants set amount_max = 9000000 where id = 'kiosk'"];
  const address = ["update partners set url = 'https://intruder.example' where id = 'big-bank'"];
  const raising =
    dialect === "sqlite"
      ? [
          "create trigger more after update on merchants begin update merchants set amount_max = 9000000 where id = new.id; end",
        ]
      : [
          "create function more() returns trigger language plpgsql as $$ begin new.amount_max := 9000000; return new; end $$",
          "create trigger more before update on merchants for each row execute function more()",
        ];
  const raised = /the largest amount of shop kiosk is 90000.00, its last audited value is 200.00/;

  // Each act is done once before, when it leaves the audit whole.
  test.each<[what: string, texts: readonly string[], act: () => Promise<unknown>, shown: RegExp]>([
    ["a shop's limit, by another setting of the shop", limit, setText, raised],
    ["a shop's limit, by the shop's end", limit, () => command(old, "merchants", "disable", "kiosk"), raised],
    ["a shop's limit, by an import", limit, importShop, raised],
    ["a limit that a trigger changes in the operator's own commit", raising, setText, raised],
    [
      "a limit that a trigger changes from what the operator sets",
      raising,
      () => command(old, "merchants", "set", "kiosk", "--largest", "200.00"),
      raised,
    ],
    [
      "a bank's address, by its number of orders at once",
      address,
      setSlots,
      /the address of bank big-bank is https:\/\/intruder.example, its last audited value is https:\/\/bank.example/,
    ],
    [
      "a bank's key, by the rotation after which it is the one before",
      [`update partners set secret = '${key}', previous_secret = null where id = 'big-bank'`],
      () => command(old, "partners", "rotate", "big-bank", "--force"),
      /the key before the last rotation of bank big-bank is not the one that was audited last/,
    ],
    [
      "a bank's keys, by their encryption",
      [`update partners set secret = '${key}', previous_secret = '${key}' where id = 'big-bank'`],
      () => (dialect === "sqlite" ? serve(old) : command(old, "partners", "encrypt-keys")),
      /the key of bank big-bank is not the one .*; the key before the last rotation of bank big-bank is not the one/,
    ],
    [
      "a key's scope, by its rotation",
      ["update credentials set scopes = 'everything' where owner_id = 'kiosk'"],
      () => command(old, "credentials", "rotate", "terminal", "kiosk", "till-1"),
      /the scope of access of terminal kiosk\/till-1 is everything, its last audited value is transactions/,
    ],
    [
      "the shops of a bank that somebody has deleted, by the start that makes it again",
      ["delete from partner_merchants where partner_id = 'big-bank'", "delete from partners where id = 'big-bank'"],
      () => serve({ ...old, ...ofBank("big-bank") }),
      /the address of bank big-bank is none, .*; permission of bank big-bank for every shop has no entry in the audit/,
    ],
  ])("%s", async (_, texts, act, shown) => {
    await act();
    expect(await verify()).toBe("whole");
    await sql(texts);
    await act();
    if (texts === raising) await sql([dialect === "sqlite" ? "drop trigger more" : "drop function more cascade"]);
    expect(await verify()).toMatch(shown);
    await accept();
    await command(old, "merchants", "set", "kiosk", "--largest", "200.00");
  });

  test("a bank's key that somebody has put there is left as it is, and that is said; once accepted it is encrypted", async () => {
    await command(old, "partners", "add", "third-bank", "--url", "https://third.example");
    await sql([`update partners set secret = '${key}' where id = 'third-bank'`]);
    const next = dialect === "sqlite" ? "audit verify" : "partners encrypt-keys";
    expect(await serve(old)).toContain(`keys of banks are not encrypted yet: ${next}`);
    const encrypt = () => command(old, "partners", "encrypt-keys");
    expect(await encrypt()).toEqual([{ keys_encrypted: 0, keys_left: 1, next: "audit verify" }]);
    await accept();
    expect(await encrypt()).toEqual([{ keys_encrypted: 1 }]);
    expect([await serve(old), await verify()]).toEqual(["", "whole"]);
  });

  test("a revocation that ends a code alone leaves the audit whole, with a key that was revoked before, and without; so does that key again", async () => {
    for (const till of ["till-1", "till-2"]) {
      if (till === "till-1") await command(old, "credentials", "revoke", "terminal", "kiosk", till);
      await command(old, "credentials", "add", "terminal", "kiosk", till, "--enrol");
      await command(old, "credentials", "revoke", "terminal", "kiosk", till);
      expect(await verify(), till).toBe("whole");
    }
    await command(old, "credentials", "add", "terminal", "kiosk", "till-1");
    expect(await verify()).toBe("whole");
  });

  test("a limit, as an entry has it that somebody invents until the command has read it", async () => {
    const invented = `insert into audit (seq, at, event, actor, address, object, detail, key_id, hash)
      select 1000000, at, event, actor, address, object, replace(detail, '20000', '9000000'), key_id, hash
      from audit where seq = (select max(seq) from audit where object = 'shop kiosk')`;
    await sql([invented, ...limit]);
    await setText();
    await sql(["delete from audit where seq = 1000000"]);
    expect(await verify()).toMatch(/the largest amount of shop kiosk is 90000.00, its last audited value is none/);
    await accept();
  });

  test("a bank's address and key, by another service key; of what it leaves as it was nothing is named", async () => {
    await command(old, "partners", "set-url", "big-bank", "https://bank.example");
    await command(old, "partners", "add", "other-bank", "--url", "https://other.example");
    await sql([...address, `update partners set secret = '${key}' where id = 'big-bank'`]);
    await serve(both);
    await command(both, "service-key", "rotate");
    expect(await verify(both)).toMatch(
      /^The settings do not hold: the address of bank big-bank is https:\/\/intruder.example, [^;]*; the key of bank big-bank is not the one that was audited last\.$/,
    );
    await accept(both);
  });
});
