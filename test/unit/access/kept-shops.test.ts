/** What terminals are told of their shop is kept in a process: what ends it, and when. */
import { expect, test } from "vitest";
import { changeSeenMs, maxAgeMs } from "../../../backend/access/credentials.ts";
import { recordSettings } from "../../../backend/access/setting-entries.ts";
import { defaultOptions } from "../../../backend/context.ts";
import { readTill, updateMerchant } from "../../../backend/merchants/merchants.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { applyRestore } from "../../../backend/withdrawals/restored.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const merchantId = "corner-shop";

/** A process that has the shop, and how often it has read it. */
const knowing = async () => {
  const { shops } = stage.another();
  const count = { reads: 0 };
  const read = () =>
    readTill({ ...stage.service, options: defaultOptions }, { merchantId, deviceId: "till-1" }, (name, unit) =>
      shops(name, (tx) => {
        count.reads += 1;
        return unit(tx);
      }),
    );
  const before = await read();
  return { before, read, count };
};
const rename = (name: string, isAudited: boolean) =>
  stage.store.write(async (tx) => {
    await tx.run(updateMerchant(merchantId, { name }));
    if (isAudited) await recordSettings(tx, testKeys, stage.clock.now(), [[["merchants", merchantId], { name }]]);
  });
const newestEntry = () => stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("audit_head").select("seq"))));

test("it is read once in ten minutes while nothing changes", async () => {
  await rename("Corner Shop", true);
  const { read, count } = await knowing();
  for (let ms = 0; ms < maxAgeMs; ms += 60_000) {
    await read();
    stage.clock.jump(60_000);
  }
  expect(count.reads).toBe(1);
  await read();
  expect(count.reads).toBe(2);
});

test("a change is told within a second of its commit", async () => {
  const { read } = await knowing();
  stage.clock.jump(maxAgeMs / 2);
  await read();
  await rename("Corner", true);
  stage.clock.jump(changeSeenMs);
  expect((await read()).store_name).toBe("Corner");
});

test("what a hand in the database has changed is told within ten minutes", async () => {
  const { read, before } = await knowing();
  await rename("By hand", false);
  stage.clock.jump(maxAgeMs - 1);
  expect((await read()).store_name).toBe(before.store_name);
  stage.clock.jump(1);
  expect((await read()).store_name).toBe("By hand");
});

test("a database that was put back has an entry of the same number, and it is another one", async () => {
  await rename("Before", true);
  const { read } = await knowing();
  expect((await read()).restored_at).toBeNull();
  const newest = await newestEntry();
  // The copy lacks the newest entry; the restore's is in its place.
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("audit")));
    await tx.run(adhoc((db) => db.updateTable("audit_head").set({ seq: 0, hash: "" })));
  });
  await applyRestore(stage.service, { forgotSince: stage.clock.now() });
  expect(await newestEntry()).toEqual(newest);
  stage.clock.jump(changeSeenMs);
  expect((await read()).restored_at).not.toBeNull();
});
