/** Processes of a fleet that start at the same moment on a database with nothing in it. */
import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { createSandboxTables } from "../../backend/sandbox/ledger.ts";
import { type Running, startService } from "../../backend/serve.ts";
import { assertEnvironment } from "../../backend/store/settings.ts";
import { adhoc } from "../../backend/store/store.ts";
import { freePort } from "../free-port.ts";
import { bankSecret, startBank } from "./bank-server.ts";
import { createPlace, type Place, stores } from "./stores.ts";

const places: Place[] = [];
const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await Promise.all(places.splice(0).map((place) => place.dispose()));
});
const placeFor = async (isBlank: boolean): Promise<Place> => {
  const place = await createPlace("postgres", { isBlank });
  places.push(place);
  return place;
};
const reasonsOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));

describe.each(stores)("on %s", (dialect) => {
  test("a bank whose key was damaged, or whose address is unsafe, is stopped alone, and named", async () => {
    const place = await createPlace(dialect);
    places.push(place);
    const settings = { DATABASE_URL: place.url, SERVICE_KEY: "a service key of the tests" };
    const command = (...words: string[]) => manage(parseCommandLine(words, settings));
    const bank = await startBank();
    try {
      await command("merchants", "add", "shop", "--name", "Corner Shop");
      const tokens: Record<string, string> = {};
      const secrets: Record<string, string> = {};
      for (const id of ["good", "damaged", "unsafe"]) {
        await command("partners", "add", id, "--url", bank.url);
        await manage(parseCommandLine(["partners", "set-key", id], { ...settings, PARTNER_SECRET: bankSecret }));
        await command("partners", "allow", id, "--all");
        const [added] = await command("credentials", "add", "client", id, "server-1");
        secrets[id] = String(added?.password);
      }
      const store = await place.open();
      await store.write(async (tx) => {
        await tx.first(updatePartner("damaged", { secret: "sealed1:AAAA" }));
        await tx.first(updatePartner("unsafe", { url: "http://bank.example" }));
      });
      await store.close();
      const lines: string[] = [];
      const sink = new Writable({
        write(chunk, _, done) {
          lines.push(String(chunk));
          done();
        },
      });
      const parsed = parseConfig({ ...settings, PORT: "0", METRICS_PORT: "0" });
      if (!parsed.ok) throw new Error(parsed.problems.join());
      const metricsPort = await freePort();
      const config = { ...parsed.config, metrics: { host: "127.0.0.1", port: metricsPort, isAsked: true } };
      const service = await startService(config, createLog("info", sink));
      running.push(service);
      const call = (path: string, body: unknown, headers = {}) =>
        fetch(`http://127.0.0.1:${service.port}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        });
      const ask = async (id: string) => {
        const grant = { grant_type: "client_credentials", scope: "", device_type: "client", device_id: "server-1" };
        tokens[id] ??= (
          (await (await call("/oauth2/authorize", { ...grant, merchant_id: id, password: secrets[id] })).json()) as {
            access_token: string;
          }
        ).access_token;
        const headers = { authorization: `Bearer ${tokens[id]}`, "idempotency-key": randomUUID() };
        const order = { user_id: "ann", amount: "50.00", currency: "EUR", store: "shop" };
        return (await call("/ext/v1/withdrawals", order, headers)).json();
      };
      const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

      expect(await ask("good")).toMatchObject({ status: "ready" });
      for (const id of ["damaged", "unsafe"]) expect(await ask(id)).toMatchObject({ code: "partner_not_configured" });
      expect(await metrics()).toMatch(/^tillcash_unusable_partners 2$/m);
      for (const id of ["damaged", "unsafe"])
        expect(
          lines.filter((line) => line.includes(`"partner":"${id}"`) && line.includes("is not called")),
        ).toHaveLength(1);
      const listed = await command("partners", "list");
      expect(listed.map(({ id, problem }) => [id, problem])).toEqual([
        ["damaged", expect.stringMatching(/^the key of partner damaged cannot be read.*: partners rotate damaged$/)],
        ["good", null],
        ["unsafe", expect.stringMatching(/^the address of partner unsafe must be https/)],
      ]);
      await expect(command("partners", "test", "damaged")).rejects.toThrow(/cannot be read with this SERVICE_KEY/);

      // Mended beside the service that runs: it goes on at once.
      await manage(parseCommandLine(["partners", "set-key", "damaged"], { ...settings, PARTNER_SECRET: bankSecret }));
      await command("partners", "set-url", "unsafe", bank.url);
      for (const id of ["damaged", "unsafe"]) expect(await ask(id)).toMatchObject({ status: "ready" });
    } finally {
      await bank.close();
    }
  });
});

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  test("eight that start together in the sandbox all serve", async () => {
    const place = await placeFor(true);
    const parsed = parseConfig({ DATABASE_URL: place.url, SANDBOX: "1", PORT: "0", DATABASE_CONNECTIONS: "4" });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const starts = await Promise.allSettled(
      Array.from({ length: 8 }, () => startService(parsed.config, createLog("silent"))),
    );
    for (const start of starts) if (start.status === "fulfilled") running.push(start.value);
    expect(reasonsOf(starts)).toEqual([]);
    for (const { port } of running) expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });

  test("the sandbox leaves a database of real shops as it is, also one of the release before", async () => {
    const place = await placeFor(false);
    const store = await place.open();
    await assertEnvironment(store, false);
    const versionLess = (by: number) =>
      store.write((tx) =>
        tx.first(
          adhoc((db) => ({
            compile: () =>
              sql<{
                version: number;
              }>`UPDATE schema_version SET version = version - ${by} WHERE id = 1 RETURNING version`.compile(db),
          })),
        ),
      );
    const before = await versionLess(1);
    const parsed = parseConfig({ DATABASE_URL: place.url, SANDBOX: "1", PORT: "0" });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    await expect(startService(parsed.config, createLog("silent"))).rejects.toThrow(/this database is for real shops/);
    expect(await versionLess(0)).toEqual(before);
  });

  test("a service makes the partitions that its time has none of", async () => {
    const place = await placeFor(false);
    const store = await place.open();
    const partitionsOf = async (table: string) => {
      const found = sql<{ name: string }>`SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = ${table}::regclass ORDER BY name`;
      const rows = await store.read((tx) => tx.all(adhoc((db) => ({ compile: () => found.compile(db) }))));
      return rows.map(({ name }) => String(name)).filter((name) => !name.endsWith("_default"));
    };
    const drop = (name: string) => adhoc((db) => ({ compile: () => sql`DROP TABLE ${sql.table(name)}`.compile(db) }));
    for (const name of await partitionsOf("terminal_references")) await store.write((tx) => tx.run(drop(name)));
    expect(await partitionsOf("terminal_references")).toEqual([]);
    const parsed = parseConfig({ DATABASE_URL: place.url, PORT: "0", METRICS_PORT: "0" });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    running.push(await startService(parsed.config, createLog("silent")));
    const isOfNow = (name: string) => {
      const beganMs = Date.parse(name.slice("terminal_references_".length).replaceAll("_", "-"));
      return beganMs <= Date.now() && Date.now() < beganMs + 7 * 86_400_000;
    };
    await expect.poll(async () => (await partitionsOf("terminal_references")).filter(isOfNow)).toHaveLength(1);
  });

  test("the sandbox's tables are made by whoever is first, as often as all come at once", async () => {
    const place = await placeFor(false);
    const fleet = await Promise.all(Array.from({ length: 16 }, () => place.open()));
    for (let round = 0; round < 60; round += 1) {
      const starts = fleet.map(async (store, n) => {
        for (let turn = 0; turn < n * (round % 10); turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await createSandboxTables(store);
      });
      expect(reasonsOf(await Promise.allSettled(starts))).toEqual([]);
      for (const table of ["sandbox_holds", "sandbox_payments"])
        await fleet[0]?.write((tx) =>
          tx.run(adhoc((db) => ({ compile: () => sql`DROP TABLE ${sql.table(table)}`.compile(db) }))),
        );
    }
  });
});
