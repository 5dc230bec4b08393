/** The heads of terminals' journals: they only go up, each in its own journal, and a fork shows. */
import { expect, onTestFinished, test } from "vitest";
import { headBesideReport, listJournalHeads, reportJournalHead } from "../../../backend/access/journal-heads.ts";
import { createEnrolment, enrol } from "../../../backend/access/one-time-codes.ts";
import { lookedSetting } from "../../../backend/store/restores.ts";
import { removeSetting, setSetting } from "../../../backend/store/settings.ts";
import { adhoc, UniqueViolation } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const till = { merchantId: "corner-shop", deviceId: "till-1" };
const till2 = { ...till, deviceId: "till-2" };
const otherShop = { ...till, merchantId: "other-shop" };
const name = "terminal corner-shop/till-1";

const head = (seq: number, text = `head-${seq}`, device = till) =>
  reportJournalHead(stage.access, device, { seq, head: text, at: "2026-11-20T09:00:00Z" }, "10.0.0.1");
const links = (device: typeof till, limit = 1_000) => listJournalHeads(stage.access.service, device, limit);
const forked = { code: "journal_forked" };

test("heads go up; a repeat of the newest is answered as it was; anything else is a fork, and audited", async () => {
  const receivedAt = new Date(stage.clock.now()).toISOString();
  const kept = { seq: 3, head: "head-3", at: "2026-11-20T09:00:00.000Z", received_at: receivedAt };
  expect(await head(3)).toEqual(kept);
  stage.clock.jump(1_000);
  expect(await head(3)).toEqual(kept);
  for (const [seq, text] of [
    [3, "other"],
    [2, "head-2"],
  ] as const)
    await expect(head(seq, text)).rejects.toMatchObject(forked);
  expect(stage.logged).toMatchObject([{ event: "journal_forked" }, { event: "journal_forked" }]);
  expect(await head(7, "head-3")).toMatchObject({ seq: 7 });
  expect((await links(till)).heads.map(({ seq }) => seq)).toEqual([7, 3]);
  expect((await links(till, 1)).heads.map(({ seq }) => seq)).toEqual([7]);
  const object = `journal_forked | journal of ${name}`;
  expect(await stage.audited()).toEqual([
    `${object} | number 3 with head other after number 3 with head head-3`,
    `${object} | number 2 with head head-2 after number 3 with head head-3`,
  ]);
});

test("ten forks of one terminal are written in an hour, and the next ones an hour after them", async () => {
  const forks = async (count: number, device = till) => {
    for (let n = 0; n < count; n += 1) await expect(head(1, "other", device)).rejects.toMatchObject(forked);
    return [(await stage.audited()).length, stage.logged.length];
  };
  for (const device of [till, till2]) await head(1, "head-1", device);
  expect(await forks(9)).toEqual([9, 9]);
  stage.clock.jump(3_600_000);
  expect(await forks(2)).toEqual([10, 10]);
  expect(await forks(1, till2)).toEqual([11, 11]);
  stage.clock.jump(1);
  expect(await forks(1)).toEqual([12, 12]);
});

test("each terminal has a journal of its own", async () => {
  await head(5);
  for (const device of [till2, otherShop]) {
    expect((await links(device)).heads).toEqual([]);
    await head(1, "head-1", device);
    expect((await links(device)).heads).toHaveLength(1);
  }
  expect((await links(till)).heads.map(({ seq }) => seq)).toEqual([5]);
});

test("a terminal that is enrolled anew begins its journal anew, as often as that happens", async () => {
  for (let round = 0; round < 3; round += 1) {
    await head(5, `round ${round}`);
    const { code } = await createEnrolment(stage.service, testKeys, till, true);
    await enrol(stage.access, code, "10.0.0.1");
    expect((await links(till)).heads).toEqual([]);
    await head(1, `round ${round}`);
  }
  expect((await links(till)).heads.map((each) => each.head)).toEqual(["round 2"]);
});

const afterRestores = adhoc((db) => db.selectFrom("journal_heads").select("after_restore").orderBy("seq"));

test.each<[string, string | null, number | null]>([
  ["nothing was missed", null, 0],
  ["what was looked for is there", '{"forgotSince":null}', 0],
  ["commits are missing", '{"forgotSince":1793612345678,"isOpen":true}', null],
])(
  "of a head that comes while %s a restore that is said later knows that it came before it, or nothing",
  async (_, value, after) => {
    const { store } = stage;
    if (value !== null) await store.write((tx) => tx.run(setSetting({ name: lookedSetting, value })));
    onTestFinished(async () => void (await store.write((tx) => tx.first(removeSetting({ name: lookedSetting })))));
    await head(5);
    const beside = headBesideReport(till, { seq: 6, head: "head-6", at: "2026-11-20T09:00:00Z" });
    await store.write((tx) => beside.keep(tx, stage.clock.now()));
    expect((await store.read((tx) => tx.all(afterRestores))).map((each) => each.after_restore)).toEqual([after, after]);
  },
);

test("two heads of one number at once: the one is kept, the other one is a fork", async () => {
  let isFirst = true;
  const { store } = stage;
  const raced: typeof store = {
    ...store,
    async write(unit) {
      if (!isFirst) return store.write(unit);
      isFirst = false;
      await head(4, "the other call's");
      throw new UniqueViolation(null);
    },
  };
  Object.assign(stage.service, { store: raced });
  await expect(head(4)).rejects.toMatchObject(forked);
  expect((await links(till)).heads.map((each) => each.head)).toEqual(["the other call's"]);
  let writes = 0;
  const write = () => {
    writes += 1;
    return Promise.reject(new Error("no disk"));
  };
  Object.assign(stage.service, { store: { ...store, write } });
  await expect(head(9)).rejects.toThrow("no disk");
  expect(writes).toBe(1);
});
