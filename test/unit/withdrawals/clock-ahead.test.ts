/** What a clock that was ahead has left open, once the time is right again: ended now, as if its time were over. */
import { beforeEach, expect, test } from "vitest";
import { copiedAtSetting, leftToCommand, restoredFromSetting } from "../../../backend/store/restores.ts";
import { addSetting, removeSetting } from "../../../backend/store/settings.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { oneOrArchived } from "../../../backend/withdrawals/closed.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { endFuture, endUncertain } from "../../../backend/withdrawals/sweep.ts";
import { id, nowMs, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const dayMs = 86_400_000;
const [soon, later] = [nowMs + 5_000, nowMs + 5_001];
const readRow = () => stage.store.read((tx) => oneOrArchived(tx, id, 0));
const marks = () =>
  stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("settings").select("value").where("name", "=", restoredFromSetting))),
  );
beforeEach(() =>
  stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("settings").where("name", "=", restoredFromSetting)));
    await tx.run(adhoc((db) => db.deleteFrom("tokens")));
  }),
);

const ways = {
  start: () => endFuture(stage.service),
  "step back": () => stage.store.write((tx) => endUncertain(tx, stage.service, nowMs)),
};
type Way = keyof typeof ways;
const both = Object.keys(ways) as Way[];

const cases: readonly (readonly [what: string, row: Partial<Row>, endedAt: readonly Way[], as: string])[] = [
  ["asked for now", { status: "ready", created_at: nowMs }, [], "order_expired"],
  ["asked for in five seconds", { status: "ready", created_at: soon }, [], "order_expired"],
  ["asked for later than that", { status: "ready", created_at: later }, both, "order_expired"],
  ["at its bank, asked for later", { status: "requested", created_at: later }, both, "partner_unreachable"],
  ["confirmed a while ago", { status: "awaiting_sca", confirmed_at: 1 }, ["step back"], "sca_timeout"],
  ["confirmed in five seconds", { status: "awaiting_sca", confirmed_at: soon }, ["step back"], "sca_timeout"],
  ["confirmed later than that", { status: "awaiting_sca", confirmed_at: later }, both, "sca_timeout"],
  ["being paid, whenever that began", { status: "settling", confirmed_at: later, deadline_at: null }, [], ""],
];
test.each(cases.flatMap(([what, ...of]) => both.map((way) => [what, way, ...of] as const)))(
  "one that was %s, at a %s",
  async (_, way, row, endedAt, reason) => {
    await stage.put({ confirmed_at: null, settled_at: null, deadline_at: nowMs + dayMs, ...row });
    await ways[way]();
    const isEnded = endedAt.includes(way);
    expect(await readRow()).toMatchObject(isEnded ? { reason, closed_at: nowMs } : { status: row.status });
    // Whoever counts them is told by `endUncertain` alone whether there are more.
    expect(stage.counted.transitions).toHaveLength(isEnded && way === "start" ? 1 : 0);
  },
);

const many = (count: number) =>
  stage.put(
    ...Array.from({ length: count }, (_, n) => ({
      ...{
        id: `MANY${n}`,
        status: "ready" as const,
        confirmed_at: null,
        deadline_at: nowMs + dayMs,
        created_at: later,
      },
    })),
  );

test("a start ends all of them before anything else, and counts each", async () => {
  await many(501);
  await ways.start();
  expect(stage.counted.transitions).toEqual(Array.from({ length: 501 }, () => "ready>expired"));
});

test.each([
  [499, [true]],
  [500, [false, true]],
])("a step back ends %i in units of 500, and says which was the last: %j", async (count, said) => {
  await many(count);
  for (const isLast of said) expect(await ways["step back"]()).toBe(isLast);
  const open = await stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("withdrawals").select("id").where("deadline_at", "is not", null))),
  );
  expect(open).toEqual([]);
});

const token = (token_hash: string, created_at: number, expires_at: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db.insertInto("tokens").values({ token_hash, credential_id: "c", scopes: "", created_at, expires_at }),
      ),
    ),
  );
const restoring = () => stage.store.write((tx) => endUncertain(tx, stage.service, nowMs, true));
test.each<[string, () => Promise<unknown>]>([...Object.entries(ways), ["restore", restoring]])(
  "at a %s a token of more than five seconds ahead lasts for a day from now",
  async (_, end) => {
    await token("usual", soon, nowMs + 9 * dayMs);
    await token("ahead", later, nowMs + 9 * dayMs);
    await token("short", later, nowMs + dayMs - 1);
    await end();
    const tokens = await stage.store.read((tx) =>
      tx.all(adhoc((db) => db.selectFrom("tokens").select(["token_hash", "expires_at"]).orderBy("token_hash"))),
    );
    expect(tokens.map(({ token_hash: of, expires_at: at }) => [of, at - nowMs])).toEqual([
      ["ahead", dayMs],
      ["short", dayMs - 1],
      ["usual", 9 * dayMs],
    ]);
  },
);

test("what is open in a copy is left to its restore, which is marked where an operator is about to say so", async () => {
  await stage.put({ status: "awaiting_sca", confirmed_at: later, settled_at: null, deadline_at: nowMs + dayMs });
  expect(await restoring()).toBe(true);
  expect(await marks()).toEqual([{ value: leftToCommand }]);
  expect(await ways["step back"]()).toBe(true);
  expect(await readRow()).toMatchObject({ status: "awaiting_sca" });
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.deleteFrom("settings").where("name", "=", restoredFromSetting))),
  );
  await stage.store.write((tx) => tx.run(addSetting({ name: restoredFromSetting, value: "a copy" })));
  expect(await restoring()).toBe(true);
  expect([await marks(), (await readRow())?.status]).toEqual([[{ value: "a copy" }], "awaiting_sca"]);
});

test("where nothing is to be ended nothing is written: PostgreSQL takes no empty list", async () => {
  const names = await stage.namesOf((service) => endFuture(service));
  expect(names).toEqual(["tokens_shorten_future", "expire_future"]);
});

test("a copy that was marked when it was made needs no other mark", async () => {
  const copied = { name: copiedAtSetting, value: "1" };
  await stage.store.write((tx) => tx.run(addSetting(copied)));
  expect([await ways["step back"](), await marks()]).toEqual([true, []]);
  await stage.store.write((tx) => tx.run(removeSetting(copied)));
});
