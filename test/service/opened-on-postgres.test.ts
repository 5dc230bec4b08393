/** How a service and an operator's commands come to a PostgreSQL: any number of them, by its own clock, and with what is the operator's to do left to him. */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { type OpenedDatabase, onDatabase } from "../../backend/open-database.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { allPartners, insertPartner } from "../../backend/partner/partners.ts";
import { openStore } from "../../backend/store/open.ts";
import { restoredFromSetting } from "../../backend/store/restores.ts";
import { servedWithSetting, setSetting, settingByName } from "../../backend/store/settings.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { confirmIt, createWorld, placeOrder, till } from "./world.ts";

const dayMs = 86_400_000;
const serviceKey = "a service key of the tests, long enough";

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  let place: Place;
  beforeEach(async () => {
    place = await createPlace("postgres");
  });
  afterEach(() => place.dispose());

  const open = async <T>(work: (database: OpenedDatabase) => Promise<T>, warn = vi.fn()): Promise<T> => {
    const parsed = parseConfig({ DATABASE_URL: place.url, SERVICE_KEY: serviceKey });
    if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
    const log = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
    return onDatabase(parsed.config, log as never, openStore, work);
  };
  const opened = (warn = vi.fn()) => open(async (database) => database, warn);
  const setting = (store: Store, name: string) =>
    store.read(async (tx) => (await tx.first(settingByName({ name })))?.value);

  /** How many are about to read the server's clock; other timers last as long, so they are known by who sets them. Fails where none ever was. */
  const watchReaders = () => {
    const [{ after }, { stackTraceLimit }] = [systemClock, Error];
    // What reads barcodes in this process may have set it to none.
    Error.stackTraceLimit = 10;
    const waiting = new Set<symbol>();
    let seen = 0;
    const watched = vi.spyOn(systemClock, "after").mockImplementation((delayMs, run) => {
      const timer = Symbol();
      if (new Error().stack?.includes("readLater")) {
        waiting.add(timer);
        seen += 1;
      }
      const cancel = after(delayMs, () => {
        waiting.delete(timer);
        run();
      });
      return () => {
        waiting.delete(timer);
        cancel();
      };
    });
    onTestFinished(() => {
      watched.mockRestore();
      Error.stackTraceLimit = stackTraceLimit;
    });
    return () => {
      expect(seen).toBeGreaterThan(0);
      return waiting.size;
    };
  };

  test("two services serve at once; neither counts its starts or says under which key it served, and closed it asks no more", async () => {
    const readers = watchReaders();
    const both = [await opened(), await opened()];
    const store = await place.open();
    for (const { close, release } of both) {
      await close();
      release();
    }
    expect(readers()).toBe(0);
    expect([await setting(store, "starts"), await setting(store, servedWithSetting)]).toEqual([undefined, undefined]);
  });

  test("where what comes next fails nobody asks for the time any more", async () => {
    const readers = watchReaders();
    const taken = new Error("the port is taken");
    await expect(open(() => Promise.reject(taken))).rejects.toBe(taken);
    expect(readers()).toBe(0);
  });

  test("nor where a copy that was put back cannot be taken over", async () => {
    const store = await place.open();
    await store.write(async (tx) => {
      await tx.run(setSetting({ name: restoredFromSetting, value: JSON.stringify({ copy: "a.db" }) }));
      await tx.run(adhoc((db) => ({ compile: () => sql`DROP TABLE restores`.compile(db) })));
    });
    const readers = watchReaders();
    await expect(opened()).rejects.toThrow();
    expect(readers()).toBe(0);
  });

  test("a bank's key that is not encrypted stays so until the operator says otherwise, and the log tells of it", async () => {
    const store = await place.open();
    const secret = `whsec_${Buffer.from("a key of this test, 24 b").toString("base64")}`;
    await store.write((tx) => tx.first(insertPartner({ id: "bank", url: "https://bank.example", secret, now: 1 })));
    const warn = vi.fn();
    const { close, release } = await opened(warn);
    await close();
    release();
    expect(warn).toHaveBeenCalledExactlyOnceWith({ keys: 1 }, expect.stringContaining("partners encrypt-keys"));
    expect(await store.read((tx) => tx.all(allPartners({})))).toMatchObject([{ secret }]);
  });

  test("where the server's clock went back what waited for an approval is ended, and the log tells of it", async () => {
    const store = await place.open();
    const { service } = await createWorld(store);
    const order = await confirmIt(service, await placeOrder(service));
    await service.stop();
    await store.write((tx) => tx.run(setSetting({ name: "clock", value: `${systemClock.now() + dayMs} 0` })));
    const warn = vi.fn();
    const { close, release } = await opened(warn);
    await close();
    release();
    expect(warn).toHaveBeenCalledWith({ back_ms: expect.any(Number) }, expect.any(String));
    expect(await getTransaction(service, till, order.transaction_id)).toMatchObject({ status: "canceled" });
  });

  test("migrate says what is to do, does it and says each step, and has no more to do then", async () => {
    const blank = await createPlace("postgres", { isBlank: true });
    onTestFinished(() => blank.dispose());
    const command = (words: string) => manage(parseCommandLine(words.split(" "), { DATABASE_URL: blank.url }));
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void said.mockRestore());
    const plan = await command("migrate --plan");
    expect(plan[0]).toEqual({ step: "migration 1", state: "to do" });
    expect(said).not.toHaveBeenCalled();
    expect(await command("migrate")).toEqual(plan.map(({ step }) => ({ step, state: "done" })));
    expect(said).toHaveBeenCalledWith("migration 1\n");
    expect(await command("migrate --plan")).toEqual([]);
    expect(await command("merchants list")).toEqual([]);
  });
});
