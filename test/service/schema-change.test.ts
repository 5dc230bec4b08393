/** A newer release changes tables under this one's feet: its processes go on (README, "A fleet on PostgreSQL"). */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { adhoc, type Store, statement } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { type Place, stores } from "./stores.ts";
import { approve, confirmIt, placeOrder, till, type World } from "./world.ts";
import { databasePerTest } from "./world-stage.ts";

const ddl = (store: Store, text: string) =>
  store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) }))));

describe.each(stores)("%s", (dialect) => {
  let place: Place;
  let store: Store;
  let world: World;
  databasePerTest(dialect, { inRealTime: true }, (stage) => {
    ({ place, store, world } = stage);
  });

  /** A whole withdrawal, its statements and all. */
  const handOut = async () => {
    const asked = await placeOrder(world.service);
    await confirmIt(world.service, asked);
    const approved = await approve(world.service, asked);
    const settled = await getTransaction(world.service, till, asked.transaction_id, {
      waitMs: 5_000,
      whileStatus: approved.status,
    });
    expect(settled.status).toBe("settled");
    return (await linkTransaction(world.service, till, asked.transaction_id)).status;
  };

  test("a column more in every table stops no statement that was prepared before", async () => {
    expect(new Set(await Promise.all(Array.from({ length: 30 }, handOut)))).toEqual(new Set(["linked"]));
    for (const table of ["withdrawals", "outbox", "merchants", "partners", "customers", "checkins", "credentials"]) {
      const other = await place.open();
      await ddl(other, `ALTER TABLE ${table} ADD COLUMN added_later TEXT`);
    }
    expect(new Set(await Promise.all(Array.from({ length: 30 }, handOut)))).toEqual(new Set(["linked"]));
  });

  test.runIf(dialect === "postgres")(
    "a column of another type: what connections have prepared is prepared anew",
    async () => {
      const urlOf = statement("t_url_of", (db, p: { id: string }) =>
        db.selectFrom("partners").select(["id", "created_at"]).where("id", "=", p.id),
      );
      const read = () => store.read((tx) => tx.first(urlOf({ id: "bank" })));
      const reads = () => Promise.all(Array.from({ length: 64 }, read));
      const write = () => store.write((tx) => tx.first(urlOf({ id: "bank" })));
      await reads();
      await ddl(store, "ALTER TABLE partners ALTER COLUMN created_at TYPE INTEGER");
      expect(new Set((await reads()).map((row) => Number(row?.created_at)))).toEqual(new Set([0]));
      await ddl(store, "ALTER TABLE partners ALTER COLUMN created_at TYPE BIGINT");
      const written = await Promise.all(Array.from({ length: 64 }, write));
      expect(new Set(written.map((row) => Number(row?.created_at)))).toEqual(new Set([0]));
    },
  );
});
