/** Two operators who change one shop at the same time, on a database that has more than one writer. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { createPlace, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe.runIf(stores.includes("postgres"))("postgres", () => {
  test("a shop that one disables while the other sets its telephone stays disabled", async () => {
    const place = await createPlace("postgres");
    const [holder, watcher] = [0, 1].map(() => new pg.Client({ connectionString: place.url })) as [
      pg.Client,
      pg.Client,
    ];
    try {
      await Promise.all([holder.connect(), watcher.connect()]);
      const command = (...words: string[]) => manage(parseCommandLine(words, { DATABASE_URL: place.url }));
      const waiting = async () =>
        (
          await watcher.query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rowCount;
      await command("merchants", "add", "corner", "--name", "Corner Shop");
      // Both write the audit last: until this ends neither commits.
      await holder.query("BEGIN");
      await holder.query("SELECT seq FROM audit_head FOR UPDATE");
      const disabled = command("merchants", "disable", "corner");
      await expect.poll(waiting, { interval: 5 }).toBe(1);
      const set = command("merchants", "set", "corner", "--support-phone", "+49 30 1");
      await expect.poll(waiting, { interval: 5 }).toBe(2);
      await holder.query("COMMIT");
      await Promise.all([disabled, set]);
      expect(await command("merchants", "list")).toMatchObject([{ support_phone: "+49 30 1", status: "disabled" }]);
    } finally {
      await Promise.all([holder.end(), watcher.end()]);
      await place.dispose();
    }
  });

  test("no timer is left behind one, nor a look at the database's time", async () => {
    const [place, clock] = [await createPlace("postgres"), new VirtualClock()];
    onTestFinished(() => place.dispose());
    await manage(parseCommandLine(["merchants", "list"], { DATABASE_URL: place.url }), clock);
    expect(clock.timers).toBe(0);
  });

  test("a list of codes takes the audit last: a terminal that enrols meanwhile, and has its code's row, gets it", async () => {
    const place = await createPlace("postgres");
    const folder = mkdtempSync(join(tmpdir(), "tillcash-codes-"));
    const [terminal, watcher] = [0, 1].map(() => new pg.Client({ connectionString: place.url })) as [
      pg.Client,
      pg.Client,
    ];
    try {
      await Promise.all([terminal.connect(), watcher.connect()]);
      const settings = { DATABASE_URL: place.url, PUBLIC_URL: "https://cash.example" };
      const command = (...words: string[]) => manage(parseCommandLine(words, settings));
      await command("merchants", "add", "corner", "--name", "Corner Shop");
      const list = join(folder, "tills.csv");
      writeFileSync(list, "shop,terminal\ncorner,till-1\ncorner,till-2\n");
      await command("credentials", "import", list, "--out", join(folder, "first.csv"));
      for (const flags of [["--renew", "--out", join(folder, "again.csv")], ["--revoke"]]) {
        await terminal.query("BEGIN");
        await terminal.query("SELECT 1 FROM enrolments WHERE device_id = 'till-2' AND used_at IS NULL FOR UPDATE");
        const imported = command("credentials", "import", list, ...flags);
        const waiting =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        await expect.poll(async () => (await watcher.query(waiting)).rowCount, { interval: 5 }).toBe(1);
        await terminal.query("SELECT seq FROM audit_head FOR UPDATE NOWAIT");
        await terminal.query("COMMIT");
        expect(await imported).toMatchObject([{ count: 2 }]);
      }
    } finally {
      await Promise.all([terminal.end(), watcher.end()]);
      await place.dispose();
      rmSync(folder, { recursive: true });
    }
  });
});
