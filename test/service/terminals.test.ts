/** What the operator of a chain sees and does with thousands of terminals at once, on both stores. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { createHttpStage, type HttpStage, till, till2 } from "./http-stage.ts";
import { stores } from "./stores.ts";

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
    expect(await names("--silent", "1")).toEqual(all);
    const never = { heard: null, silent_hours: null, journal: null };
    expect((await list())[0]).toMatchObject(never);
    await stage.token();
    expect((await list())[0]).toMatchObject({ heard: expect.stringMatching(/Z$/), silent_hours: 0, journal: null });
    expect(await names("--silent", "1")).toEqual(all.slice(1));
    expect(await names("--shop", "other-shop")).toEqual(all.slice(2));
    expect((await report(7, "a")).status).toBe(201);
    expect((await list())[0]).toMatchObject({ journal: "entry 7" });
    expect((await report(7, "b")).status).toBe(409);
    expect((await list())[0]).toMatchObject({ journal: expect.stringMatching(/^forked 20/) });
    expect((await list())[1]).toMatchObject(never);
    await command("credentials", "revoke", "terminal", till2.merchant_id, till2.device_id);
    expect(await names()).toEqual([all[0], all[2]]);
    await expect(list("--silent", "x")).rejects.toThrow("--silent must be a whole number of hours");
  });
});
