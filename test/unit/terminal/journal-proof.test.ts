/** A journal proves what was done: whoever rewrites its file is seen by the key. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { type KeyStore, openJournalKeys } from "../../../main/host/secrets.ts";
import { keyMarker } from "../../../main/terminal/journal/chain.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { flipKeyStore } from "../hosts/flip-key-store.ts";
import { problems } from "./books-stage.ts";
import { forgeJournal } from "./forge-journal.ts";
import { journalFolder } from "./journal-folder.ts";
import { noise, setFormat } from "./journal-stage.ts";
import { createRig, handOver, idNumber, leadToPayable } from "./rig.ts";

const here = journalFolder();
const { open } = here;

const sale = (number: number, amount = "50.00"): string => {
  const id = `W${number}`;
  const of = { withdrawalId: id, transactionId: id, partnerId: `till-1.a.${id}`, amount, currency: "EUR", shop: "s" };
  return JSON.stringify({ type: "handed_out", of, by: "cashier" });
};

/** Ten hand-outs behind the entry that says under which key. */
const fill = async (): Promise<void> => {
  const journal = await open();
  for (let number = 1; number <= 10; number++) journal.append(number, [sale(number)]);
  journal.close();
};

const check = async (keyStore: KeyStore | null = flipKeyStore) => {
  const journal = await open(keyStore);
  const found = journal.verify();
  const atStart = journal.read().damaged;
  journal.close();
  return { ...found, atStart };
};

test("the first entry says under which key, and all is sound", async () => {
  await fill();
  const journal = await open();
  const [first] = [...journal.read().entries];
  expect(JSON.parse(first?.body ?? "")).toMatchObject({ type: "journal_keyed", after: "nothing" });
  journal.close();
  expect(await check()).toMatchObject({ entries: 11, damaged: [], unchecked: 0, atStart: [] });
});

describe("with the chain computed anew", () => {
  test.each<[string, (bodies: string[]) => string[]]>([
    ["a rewritten amount", (bodies) => bodies.map((body) => body.replace("50.00", "5.00"))],
    ["a deleted hand-out", (bodies) => bodies.filter((body) => !body.includes('"W4"'))],
    ["an added one", (bodies) => [...bodies, sale(11, "500.00")]],
    ["no body, but every hash", (bodies) => bodies],
  ])("%s shows, at the start and in the check", async (_, change) => {
    await fill();
    forgeJournal(here.path, change);
    const found = await check();
    expect(found.damaged.length).toBeGreaterThan(0);
    expect(found.atStart.length).toBeGreaterThan(0);
  });

  test("without any key it shows, also when the next start puts it under one", async () => {
    await fill();
    forgeJournal(here.path, (bodies) => bodies.slice(1).map((body) => body.replace("50.00", "5.00")));
    setFormat(here.path, 2);
    expect((await check()).damaged).toEqual([{ sequence: 10, why: "key" }]);
    const journal = await open();
    journal.append(99, [sale(12)]);
    expect(journal.verify().damaged).toEqual([{ sequence: 11, why: "key" }]);
    expect(journal.read().damaged).toEqual([{ sequence: 11, why: "key" }]);
    journal.close();
  });

  test("under the forger's own key it shows, also when that key is put into the file", async () => {
    await fill();
    const secret = Buffer.alloc(32, 7);
    const own = (bodies: string[]) => [keyMarker("0123456789abcdef", "nothing"), ...bodies.slice(1)];
    const behind = '{"type":"checkpoint","damagedEntries":0,"installation":null,"open":[],"cashGiven":[]}';
    forgeJournal(here.path, (bodies) => [...own(bodies), behind, sale(11)], secret);
    expect((await check()).atStart).toEqual([{ sequence: 12, why: "key" }]);
    forgeJournal(here.path, own, secret);
    expect((await check()).damaged[0]).toEqual({ sequence: 1, why: "key" });
    const file = join(here.folder, "journal-key.json");
    const document = JSON.parse(readFileSync(file, "utf8")) as { keys: object[] };
    const data = JSON.stringify({ secret: secret.toString("base64"), isUpgrading: false });
    document.keys.push({ id: "0123456789abcdef", kind: "plain", data: Buffer.from(data).toString("base64") });
    writeFileSync(file, JSON.stringify(document));
    expect((await check()).damaged[0]).toEqual({ sequence: 1, why: "key" });
  });

  test("an open payment is not offered from such a journal: a manager says what became of it", async () => {
    const journal = await open();
    const till = await createRig({ journal });
    const order = await leadToPayable(till, idNumber(1));
    await handOver(till);
    order.status = "settled";
    await till.terminal.close();
    forgeJournal(here.path, (bodies) =>
      bodies.slice(1).filter((body) => !/hand_out|handed_out|drawer|report_accepted/.test(body)),
    );
    const again = await createRig({ journal: await open(), clock: till.clock, service: till.service, idsFrom: 90 });
    await again.clock.advance(60_000);
    expect(again.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    expect(await problems(again)).toContainEqual(
      expect.objectContaining({ kind: "open", decisions: ["handed_out", "not_handed_out", "leave_to_books"] }),
    );
    await again.terminal.close();
  });
});

describe("a journal of a version without keys", () => {
  const fillPlain = (file: string): void => {
    const journal = openJournal(file, 0);
    for (let number = 1; number <= 3; number++) journal.append(number, [sale(number)]);
    journal.close();
  };

  test("is brought under one at once, with those beside it, and what lay before is chained to it", async () => {
    fillPlain(here.path);
    fillPlain(join(here.folder, "journal.other.db"));
    (await open()).close();
    expect(await check()).toMatchObject({ entries: 4, damaged: [] });
    const journal = await open();
    expect([...journal.readOther("other").entries]).toHaveLength(4);
    expect(journal.readOther("other").damaged).toEqual([]);
    journal.close();
    const database = new DatabaseSync(here.path);
    const marker = database.prepare("SELECT at, previous, hash FROM journal WHERE sequence = 4").get() ?? {};
    forgeJournal(here.path, (bodies) => bodies.map((body) => body.replace("50.00", "5.00")));
    // The entry that names the key stays what it was: it continues what really lay before.
    const putBack = database.prepare("UPDATE journal SET at = ?, previous = ?, hash = ? WHERE sequence = 4");
    putBack.run(...Object.values(marker));
    database.close();
    expect((await check()).damaged).toEqual([{ sequence: 4, why: "hash" }]);
  });

  test("is brought under one although one beside it is damaged, which is told when that one is put in use", async () => {
    fillPlain(here.path);
    writeFileSync(join(here.folder, "journal.other.db"), noise);
    const journal = await open();
    expect(journal.open()).toEqual({ kind: "open" });
    expect(journal.verify()).toEqual({ entries: 4, damaged: [], unchecked: 0 });
    expect(readFileSync(join(here.folder, "journal.other.db"), "utf8")).toBe(noise);
    journal.switchTo("other", "first");
    expect(journal.verify()).toEqual({ entries: 0, damaged: [{ sequence: 0, why: "unreadable" }], unchecked: 0 });
    journal.close();
  });

  test("comes back from a power cut on that way", async () => {
    fillPlain(here.path);
    const keys = await openJournalKeys(here.folder, flipKeyStore);
    const cut = {
      ...keys,
      isUpgrading: true,
      upgraded() {
        throw new Error("no power");
      },
    };
    expect(openJournal(here.path, 0, "write", openNodeDatabase, cut).open().kind).toBe("unavailable");
    (await open()).close();
    expect(await check()).toMatchObject({ entries: 4, damaged: [] });
  });
});

describe("the two hosts in turn", () => {
  test("go on under a key each can read; the browser host says what it cannot check, the desktop what proves nothing", async () => {
    await fill();
    const browser = await open(null);
    browser.append(20, [sale(20)]);
    expect(browser.verify()).toMatchObject({ entries: 13, damaged: [], unchecked: 11 });
    browser.close();
    const desktop = await open();
    desktop.append(21, [sale(21)]);
    expect(desktop.verify()).toMatchObject({ entries: 15, damaged: [{ sequence: 12, why: "key" }] });
    desktop.close();
  });

  test("a browser host's key is taken over by the desktop, and sealed", async () => {
    const browser = await open(null);
    browser.append(1, [sale(1)]);
    browser.close();
    expect(await check()).toMatchObject({ entries: 2, damaged: [] });
    const desktop = await open();
    desktop.append(2, [sale(2)]);
    desktop.close();
    expect(readFileSync(join(here.folder, "journal-key.json"), "utf8")).toContain('"encrypted"');
    expect(readFileSync(join(here.folder, "journal-key.json"), "utf8")).not.toContain('"plain"');
  });
});

test("a file of keys that cannot be read is not replaced", async () => {
  await fill();
  writeFileSync(join(here.folder, "journal-key.json"), "{ half");
  await expect(open()).rejects.toThrow("journal-key.json");
  expect(readFileSync(join(here.folder, "journal-key.json"), "utf8")).toBe("{ half");
});
