/** A database from before settings were audited: what the first start of this release writes of it, on both stores. */
import { describe, expect, onTestFinished, test } from "vitest";
import { recordFound } from "../../backend/access/setting-entries.ts";
import { systemClock } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { startService } from "../../backend/serve.ts";
import { adhoc } from "../../backend/store/store.ts";
import { createPlace, stores } from "./stores.ts";
import { seed, testKeys } from "./world.ts";

describe.each(stores)("a database from before settings were audited, on %s", (dialect) => {
  test("is taken as it is found, once; from then on each row has its entry", async () => {
    const place = await createPlace(dialect);
    onTestFinished(() => place.dispose());
    const store = await place.open();
    await seed(store);
    const settings = {
      DATABASE_URL: place.url,
      PORT: "0",
      METRICS_PORT: "0",
      LOG_LEVEL: "silent",
    };
    const command = (...words: string[]) => manage(parseCommandLine(words, settings));
    const start = () => {
      const parsed = parseConfig(settings);
      if (!parsed.ok) throw new Error(parsed.problems.join());
      return startService(parsed.config, createLog("silent"));
    };
    const entries = async (...events: readonly unknown[]) =>
      (await command("audit", "--all")).filter(({ event }) => events.includes(event));
    expect(await command("audit", "verify")).toMatchObject([{ settings: "whole", settings_not_recorded_yet: 6 }]);
    await command("merchants", "set", "corner-shop", "--largest", "100.00");
    // A fleet's processes start together; of an SQLite file there is one.
    for (const processes of [dialect === "sqlite" ? 1 : 2, 1]) {
      const running = await Promise.all(Array.from({ length: processes }, start));
      await expect.poll(() => entries("settings_recorded")).toHaveLength(1);
      await Promise.all(running.map((each) => each.stop()));
    }
    // The last start may have been stopped before its look.
    expect(await recordFound({ store, clock: systemClock, keys: testKeys })).toBe(0);
    expect(await entries("settings_recorded")).toHaveLength(1);
    expect((await entries("setting")).map(({ actor, object }) => `${actor}: ${object}`).toSorted()).toEqual([
      "service, as found: bank bank",
      "service, as found: bank other-bank",
      "service, as found: permission of bank bank for every shop",
      "service, as found: permission of bank other-bank for every shop",
      "service, as found: shop other-shop",
      "service: shop corner-shop",
    ]);
    const [whole] = await command("audit", "verify");
    expect(whole).toMatchObject({ settings: "whole" });
    expect(whole).not.toHaveProperty("settings_not_recorded_yet");
    await store.write((tx) =>
      tx.run(
        adhoc((db) => db.insertInto("chain_merchants").values({ chain_id: "x", merchant_id: "y", created_at: 1 })),
      ),
    );
    await expect(command("audit", "verify")).rejects.toThrow(/place of shop y in chain x has no entry in the audit/);
  });
});
