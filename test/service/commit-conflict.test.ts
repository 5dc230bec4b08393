/** A server that refuses a COMMIT for a conflict, as distributed engines do, and PostgreSQL under SERIALIZABLE. */
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";

/** The first COMMIT with a new partner is refused; a sequence counts on whatever is taken back. */
const refuseFirstCommit = (code: string) => `
  CREATE SEQUENCE commits;
  CREATE FUNCTION refuse_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('commits') = 1 THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER refuse_first AFTER INSERT ON partners DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION refuse_first()`;

describe.runIf(stores.includes("postgres"))("postgres", () => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    runs.length = 0;
    place = await createPlace("postgres");
    pauses.length = 0;
    store = await place.open({
      ...systemClock,
      after(ms, run) {
        pauses.push(ms);
        return systemClock.after(ms, run);
      },
    });
  });
  afterEach(() => place.dispose());

  const refuse = async (code: string) => {
    const admin = new pg.Client({ connectionString: place.url });
    await admin.connect();
    await admin.query(refuseFirstCommit(code));
    await admin.end();
  };
  const runs: string[] = [];
  const pauses: number[] = [];
  const add = (id: string, about?: string) =>
    store.write((tx) => {
      runs.push(id);
      return tx.run(adhoc((db) => db.insertInto("partners").values({ id, url: null, secret: null, created_at: 0 })));
    }, about);
  const ids = async () =>
    (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom("partners").select("id").orderBy("id"))))).map(
      ({ id }) => id,
    );

  test.each(["40001", "40P01"])("%s: nothing of it is there, so the unit runs again", async (code) => {
    await refuse(code);
    await add("a");
    expect([await ids(), runs]).toEqual([["a"], ["a", "a"]]);
    // Half of it is jitter, of which half is drawn where nobody says how much.
    expect(pauses).toContain(3.75);
  });

  test("units that shared the commit run again by themselves", async () => {
    await refuse("40001");
    await Promise.all(["a", "b", "c"].map((id) => add(id, id)));
    expect(await ids()).toEqual(["a", "b", "c"]);
    const [shared, again] = [runs.slice(0, 3), runs.slice(3)];
    expect([shared, again.sort()]).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
  });

  test("refused for anything else the outcome is left open: the caller asks again", async () => {
    await refuse("XX000");
    await expect(add("a")).rejects.toMatchObject({ code: "unavailable" });
    expect([await ids(), runs]).toEqual([[], ["a"]]);
  });
});
