/**
 * A fleet whose database's clock is wrong for a while, or steps back (README, "A fleet on PostgreSQL"): real processes on a
 * real PostgreSQL, in which a function of this test stands before `clock_timestamp()`.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { ensureBuilt } from "../runner/built.ts";
import { type BackendProcess, startBackend } from "./backend-process.ts";
import { createPlace, type Place, stores } from "./stores.ts";

const scaSeconds = 8;
const minuteMs = 60_000;

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  let place: Place;
  let admin: pg.Client;
  const processes: BackendProcess[] = [];

  beforeAll(ensureBuilt);
  beforeEach(async () => {
    place = await createPlace("postgres");
    admin = new pg.Client({ connectionString: place.url });
    admin.on("error", () => {});
    await admin.connect();
    await admin.query(`
      CREATE TABLE clock_ahead (ms BIGINT NOT NULL, stands_at TIMESTAMPTZ);
      INSERT INTO clock_ahead VALUES (0, NULL);
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
        'SELECT coalesce(stands_at, pg_catalog.clock_timestamp() + ms * interval ''1 millisecond'') FROM public.clock_ahead';
      ALTER DATABASE ${new URL(place.url).pathname.slice(1)} SET search_path = public, pg_catalog`);
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.kill()));
    await admin.end();
    await place.dispose();
  });

  const setAhead = (ms: number) => admin.query("UPDATE clock_ahead SET ms = $1", [ms]);
  const stop = () => admin.query("UPDATE clock_ahead SET stands_at = pg_catalog.clock_timestamp()");
  const start = async (seconds = scaSeconds) => {
    const started = await startBackend({
      DATABASE_URL: place.url,
      SANDBOX: "1",
      SCA_TIMEOUT_SECONDS: String(seconds),
      TOKEN_SECRET: "a token secret that all processes share",
    });
    processes.push(started);
    return connect(started);
  };
  const connect = async (on: BackendProcess) => {
    const call = async (path: string, token: string, body?: unknown) => {
      const response = await fetch(on.url + path, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          "content-type": "application/json",
          "idempotency-key": randomUUID(),
          ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Transaction & { access_token: string } };
    };
    const signIn = async (device_type: string, merchant_id: string, device_id: string, password: string) =>
      (
        await call("/oauth2/authorize", "", {
          ...{ grant_type: "client_credentials", scope: "" },
          ...{ device_type, merchant_id, device_id, password },
        })
      ).body.access_token;
    const till = await signIn("terminal", "demo-shop", "till-1", "till-secret");
    const bank = await signIn("client", "demo-bank", "server-1", "bank-secret");
    const ready = async (): Promise<string> => {
      const order = { user_id: "ann", amount: "50.00", currency: "EUR", store: "demo-shop" };
      const { body } = await call("/ext/v1/withdrawals", bank, order);
      expect(body).toMatchObject({ status: "ready" });
      return body.transaction_id;
    };
    return {
      ready,
      /** A withdrawal that has just been confirmed. */
      async confirmed(): Promise<string> {
        const id = await ready();
        const posId = { transaction_id: id, transaction_id_partner: randomUUID() };
        expect((await call("/transaction/confirm", till, posId)).body).toMatchObject({ status: "awaiting_sca" });
        return id;
      },
      approve: (id: string) => call(`/ext/v1/withdrawals/${id}/sca`, bank, { outcome: "approved" }),
      status: async (id: string) => (await call(`/transaction?id=${id}`, till)).body.status,
    };
  };
  /** What it became once all that was under way has ended. */
  const end = async (on: Awaited<ReturnType<typeof start>>, id: string) => {
    await expect.poll(() => on.status(id)).not.toMatch(/awaiting_sca|settling/);
    return on.status(id);
  };

  test("a clock that was ten minutes ahead for some seconds spoils nothing that is confirmed afterwards", async () => {
    const old = await start(40);
    await setAhead(10 * minuteMs);
    await pause(6_500);
    await setAhead(0);
    await pause(5_000);
    const [next, other] = [await start(40), await start(40)];
    const ids = [await old.confirmed(), await next.confirmed(), await other.confirmed()];
    await pause(3_000);
    // One that starts now ends nothing of theirs, neither withdrawals nor tokens.
    const last = await start(40);
    for (const id of ids) expect(await old.status(id)).toBe("awaiting_sca");
    for (const [n, on] of [next, other, last].entries()) await on.approve(ids[n] ?? "");
    for (const id of ids) expect(await end(next, id)).toBe("settled");
  });

  test("a step back by 200 s and the death of the process that confirmed make no approval last longer", async () => {
    const [first, witness] = [await start(), await start()];
    const [one, two] = [await first.confirmed(), await first.confirmed()];
    // What is written down of the time is at most two seconds old.
    await pause(2_500);
    await Promise.all(processes.splice(0, 1).map((each) => each.kill()));
    await setAhead(-200_000);
    const next = await start();
    await pause(scaSeconds * 1_000);
    for (const [on, id] of [
      [next, one],
      [witness, two],
    ] as const) {
      expect((await on.approve(id)).status).toBe(409);
      expect(await end(next, id)).toBe("canceled");
    }
    const after = await next.confirmed();
    await witness.approve(after);
    expect(await end(witness, after)).toBe("settled");
  });

  test("the same where no process was left to see the step", async () => {
    const first = await start();
    const id = await first.confirmed();
    await pause(2_500);
    await Promise.all(processes.splice(0).map((each) => each.kill()));
    await setAhead(-200_000);
    const next = await start();
    await pause(scaSeconds * 1_000);
    expect((await next.approve(id)).status).toBe(409);
    expect(await end(next, id)).toBe("canceled");
  });

  test("a clock that stands still is one that goes back, to whoever has seen time pass", async () => {
    const [first, second] = [await start(), await start()];
    const id = await first.confirmed();
    await Promise.all(processes.splice(0, 1).map((each) => each.kill()));
    await stop();
    await pause((scaSeconds + 3) * 1_000);
    expect((await second.approve(id)).status).toBe(409);
    expect(await second.status(id)).toBe("canceled");
  });

  test("a confirmation that was not committed yet when the clock went back is ended too", async () => {
    const first = await start();
    const id = await first.ready();
    // Asked for so long ago that it is not of the future after the step.
    await admin.query("UPDATE withdrawals SET created_at = created_at - 300000");
    await pause(2_500);
    await admin.query("BEGIN");
    await admin.query(
      `UPDATE withdrawals SET status = 'awaiting_sca', confirmed_at = created_at + 300000, sca_expires_at = created_at + 308000,
        deadline_at = created_at + 308000, device_id = 'till-1', transaction_id_partner = 'one', history_length = history_length + 1
        WHERE id = $1`,
      [id],
    );
    const beside = new pg.Client({ connectionString: place.url });
    await beside.connect();
    await beside.query("UPDATE clock_ahead SET ms = -200000");
    await beside.end();
    await pause(4_000);
    await admin.query("COMMIT");
    await expect.poll(() => first.status(id)).toBe("canceled");
  });

  test("what is confirmed while the clock is ahead lives no longer than its seconds, and what comes after it is whole", async () => {
    const [first, second] = [await start(), await start()];
    // A bank refuses signatures that are five minutes off.
    await setAhead(4 * minuteMs);
    await pause(6_500);
    const [settled, late] = [await first.confirmed(), await first.confirmed()];
    await second.approve(settled);
    expect(await end(second, settled)).toBe("settled");
    await setAhead(0);
    const next = await start();
    await pause(scaSeconds * 1_000);
    expect((await next.approve(late)).status).toBe(409);
    expect(await end(second, late)).toBe("canceled");
    const after = await first.confirmed();
    await pause(2_000);
    await next.approve(after);
    expect(await end(second, after)).toBe("settled");
  });
});
