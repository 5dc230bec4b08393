/** What the credential of a chain reads: its shops' withdrawals, reports and terminals, and nothing else; on both stores. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditPage } from "../../backend/access/audit.ts";
import { silentAfterMs } from "../../backend/access/terminals.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { operatorName } from "../../backend/operate/audited-store.ts";
import { manage } from "../../backend/operate/manage.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { createHttpStage, type HttpStage, otherTill, till, till2 } from "./http-stage.ts";
import { rowsOf } from "./rows.ts";
import { stores } from "./stores.ts";

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  let here: string;
  let there: string;
  let store: Store;
  const command = (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: stage.place.url }));
  const chains = new Map<string, string>();
  const officeOf = (name: string) => ({
    device_type: "chain",
    merchant_id: name,
    device_id: "office",
    password: chains.get(name),
  });
  const addChain = async (name: string, shops: string) => {
    const [made] = await command("credentials", "add", "chain", name, "--shops", shops);
    chains.set(name, String(made?.password));
    return made;
  };
  const get = async (path: string, name = "north") =>
    stage.call("GET", path, { token: await stage.token(officeOf(name)) });
  const ids = async (query = "", name = "north"): Promise<string[]> =>
    (await get(`/ext/v1/withdrawals${query}`, name)).body.withdrawals.map(
      ({ transaction_id }: { transaction_id: string }) => transaction_id,
    );
  const lines = async (query = "", name = "north"): Promise<string[]> =>
    (await get(`/ext/v1/reconciliation${query}`, name)).body.lines.map(
      ({ transaction_id }: { transaction_id: string }) => transaction_id,
    );
  const confirm = async (transaction_id: string, of = {}) => {
    const token = await stage.token({ ...otherTill, ...of });
    const json = { transaction_id, transaction_id_partner: `office-${transaction_id}` };
    expect((await stage.call("POST", "/transaction/confirm", { token, json })).status).toBe(201);
  };

  beforeAll(async () => {
    stage = await createHttpStage(dialect);
    store = await stage.place.open();
    expect(await addChain("north", "demo-shop")).toMatchObject({
      device_type: "chain",
      merchant_id: "north",
      device_id: "office",
      scope: "reports terminals",
      shops: "demo-shop",
    });
    await addChain("south", "other-shop");
    here = await stage.settled("office-1");
    there = await stage.withdrawal("30.00", { store: "other-shop" });
    await confirm(there);
  });
  afterAll(() => stage.dispose());

  test("sees its shops' withdrawals alone, the newest first, by time, store and status, in pages", async () => {
    const newer = await stage.withdrawal("20.00");
    expect(await ids()).toEqual([newer, here]);
    expect(await ids("", "south")).toEqual([there]);
    const [first] = (await get("/ext/v1/withdrawals?limit=1")).body.withdrawals;
    expect(first).toMatchObject({ transaction_id: newer, store: "demo-shop", status: "ready", amount: "20.00" });
    expect(JSON.stringify(first)).not.toContain("customer-77");
    const { next } = (await get("/ext/v1/withdrawals?limit=1")).body;
    expect(await ids(`?limit=1&cursor=${next}`)).toEqual([here]);
    for (const [status, expected] of Object.entries({ ready: [newer], settled: [here], settling: [], linked: [] }))
      expect([status, await ids(`?status=${status}`)]).toEqual([status, expected]);
    expect(await ids("?store=demo-shop&status=settled")).toEqual([here]);
    expect(await ids("?from=2026-01-01&to=2026-01-02")).toEqual([]);
    const [, at] = (await get("/ext/v1/withdrawals")).body.withdrawals.map(
      ({ created_at }: { created_at: string }) => created_at,
    );
    const after = new Date(Date.parse(at) + 1).toISOString();
    expect([await ids(`?from=${after}`), await ids(`?from=${at}&to=${after}`)]).toEqual([[newer], [here]]);
    await command("credentials", "shops", "south", "--add", "demo-shop");
    expect(await ids("", "south")).toEqual([newer, there, here]);
    expect(await ids("?store=other-shop", "south")).toEqual([there]);
    await command("credentials", "shops", "south", "--remove", "demo-shop");
  });

  test("ended ones stay in the list and in the report", async () => {
    const json = { transaction_id: here, cashier: "C2" };
    expect((await stage.call("POST", "/transaction/link", { token: await stage.token(), json })).status).toBe(201);
    expect(await ids("?status=linked")).toEqual([here]);
    expect(await lines()).toEqual([here]);
  });

  test("reads the report over its shops, as JSON and as CSV, with the cashier's code", async () => {
    expect(await lines("", "south")).toEqual([there]);
    await command("credentials", "shops", "south", "--add", "demo-shop");
    expect(await lines("", "south")).toEqual([here, there]);
    const [first] = (await get("/ext/v1/reconciliation", "south")).body.lines;
    expect(first).toMatchObject({ transaction_id: here, cashier: "C2" });
    expect(await lines("?store=other-shop", "south")).toEqual([there]);
    const { stores, totals } = (await get("/ext/v1/reconciliation/stores", "south")).body;
    const [linked, unknown] = [
      { finding: "matched", currency: "EUR", count: 1, amount: "50.08" },
      { finding: "settle_unknown", currency: "EUR", count: 1, amount: "30.00" },
    ];
    expect(stores).toEqual([
      { store: "demo-shop", store_name: "Demo Shop", totals: [linked] },
      { store: "other-shop", store_name: "Other Shop", totals: [unknown] },
    ]);
    expect(totals).toEqual([linked, unknown]);
    const empty = await get("/ext/v1/reconciliation/stores?from=2026-01-01&to=2026-01-02", "south");
    expect(empty.body).toEqual({
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-01-03T00:00:00.000Z",
      stores: [],
      totals: [],
    });
    const { text } = await get("/ext/v1/reconciliation.csv", "south");
    expect(text.trim().split("\r\n")).toHaveLength(3);
    expect(text.split("\r\n")[1]).toMatch(/,C2(,|$)/);
    expect(text).not.toContain("customer-77");
    await command("credentials", "shops", "south", "--remove", "demo-shop");
  });

  test("lists its shops' terminals with version and journal, by store and silence, in pages", async () => {
    const read = async (query = "", name = "south") => (await get(`/ext/v1/terminals${query}`, name)).body;
    const named = async (query?: string, name?: string) =>
      (await read(query, name)).terminals.map(
        ({ store, device_id }: Record<string, string>) => `${store} ${device_id}`,
      );
    const headers = { "user-agent": "Tillcash-Terminal/1.2.3" };
    const token = await stage.token({ ...till, device_id: "till-2", password: till2.password });
    const json = { seq: 7, head: "a".repeat(43), at: "2026-11-20T10:00:00.000Z" };
    expect((await stage.call("POST", "/ext/v1/journal-heads", { token, json, headers })).status).toBe(201);
    await command("credentials", "shops", "south", "--add", "demo-shop");
    const one = async () => (await read()).terminals[1];
    await expect.poll(async () => (await one()).version).toBe("1.2.3");
    expect(await one()).toEqual({
      store: "demo-shop",
      store_name: "Demo Shop",
      device_id: "till-2",
      heard_at: expect.stringMatching(/Z$/),
      silent: false,
      version: "1.2.3",
      journal: { seq: 7, at: json.at, forked_at: null },
    });
    expect((await stage.call("POST", "/ext/v1/journal-heads", { token, json: { ...json, seq: 6 } })).status).toBe(409);
    expect((await one()).journal).toEqual({ seq: 7, at: json.at, forked_at: expect.stringMatching(/Z$/) });
    const all = ["demo-shop till-1", "demo-shop till-2", "other-shop till-1"];
    expect(await named()).toEqual(all);
    expect(await named("", "north")).toEqual(all.slice(0, 2));
    expect([await named("?store=other-shop"), await named("?silent=true")]).toEqual([all.slice(2), []]);
    expect((await read("?limit=2")).next).toBe("demo-shop/till-2");
    expect([await named("?cursor=demo-shop/till-2"), (await read("?limit=3")).next]).toEqual([all.slice(2), null]);
    const heard = adhoc((db) =>
      db
        .updateTable("terminal_contacts")
        .set({ heard_at: Date.now() - silentAfterMs })
        .where("device_id", "=", "till-2"),
    );
    await store.write((tx) => tx.run(heard));
    await command("merchants", "set", "demo-shop", "--opening", "mon-sun 00:00-24:00", "--time-zone", "Europe/Vienna");
    expect([await named("?silent=true"), (await one()).silent]).toEqual([all.slice(1, 2), true]);
    for (const query of ["store=other-shop", "store=nowhere", "silent=no", "cursor=x", "limit=201", "shop=x"])
      expect([query, (await get(`/ext/v1/terminals?${query}`)).status]).toEqual([query, 400]);
    await command("credentials", "shops", "south", "--remove", "demo-shop");
  });

  test("reads a withdrawal's story, and knows nothing of another shop's", async () => {
    const { status, body } = await get(`/ext/v1/transactions/${here}/events`);
    expect([status, body.events.at(-1).to]).toEqual([200, "linked"]);
    const foreign = await get(`/ext/v1/transactions/${there}/events`);
    const nowhere = await get("/ext/v1/transactions/0000000000000000/events");
    expect([foreign.status, foreign.body.code]).toEqual([404, "transaction_not_found"]);
    expect(foreign.body.detail).toBe(nowhere.body.detail);
    for (const path of ["withdrawals", "reconciliation", "reconciliation.csv"])
      for (const store of ["other-shop", "nowhere"]) {
        const answer = await get(`/ext/v1/${path}?store=${store}`);
        expect([path, store, answer.status, answer.body.code]).toEqual([path, store, 400, "validation_failed"]);
      }
  });

  test("its shops are added, taken away and listed by name; each change is in the audit with who made it", async () => {
    await command("credentials", "shops", "north", "--add", "other-shop,demo-shop");
    expect(await ids()).toContain(there);
    expect(await command("credentials", "shops", "north")).toEqual([
      { chain: "north", shop: "demo-shop", name: "Demo Shop" },
      { chain: "north", shop: "other-shop", name: "Other Shop" },
    ]);
    await command("credentials", "shops", "north", "--remove", "other-shop");
    expect(await ids()).not.toContain(there);
    expect((await get(`/ext/v1/transactions/${there}/events`)).status).toBe(404);
    const page = { after: 0, from: 0, until: Number.MAX_SAFE_INTEGER, limit: 99 };
    const entries = await store.read((tx) => tx.all(auditPage(page)));
    const north = entries
      .filter(({ object }) => object.startsWith("chain north"))
      .map(({ event, object, actor }) => [event, object, actor]);
    const operator = operatorName();
    expect(north).toEqual([
      ["chain shop added", "chain north shop demo-shop", operator],
      ["credentials add", "chain north", operator],
      ["chain shop added", "chain north shop other-shop", operator],
      ["chain shop removed", "chain north shop other-shop", operator],
    ]);
    expect(entries.find(({ event }) => event === "credentials add")?.detail).toBe("--shops demo-shop");
  });

  test.each([
    [["credentials", "add", "chain", "west"], /which shops\?/],
    [["credentials", "add", "chain", "west", "--shops", ","], /which shops\?/],
    [["credentials", "add", "chain", "west", "--shops", "demo-shop,nowhere"], /there is no shop nowhere/],
    [["credentials", "add", "chain", "north", "--shops", "other-shop"], /already has a credential/],
    [["credentials", "add", "chain", "a b", "--shops", "demo-shop"], /the NAME must be/],
    [["credentials", "shops", "west"], /there is no chain west/],
    [["credentials", "shops", "north", "--add", "nowhere"], /there is no shop nowhere/],
    [["credentials", "shops", "north", "--add", "other-shop", "--remove", "nowhere"], /there is no shop nowhere/],
    [
      ["credentials", "add", "chain", "west", "--shops", "demo-shop", "--scope", "transactions"],
      /only the scopes reports/,
    ],
    [["credentials", "add", "chain", "west", "--shops", "demo-shop", "--days", "3"], /--days: not for a chain/],
    [["credentials", "add", "terminal", "demo-shop", "t", "--shops", "demo-shop"], /--shops: not for a terminal/],
    [["credentials", "add", "terminal", "demo-shop", "t", "--days", "3"], /--days: not for a terminal without --enrol/],
    [["credentials", "add", "client", "demo-bank", "t", "--enrol"], /--enrol is for terminals/],
    [["credentials", "add", "chain", "north", "--enrol"], /--enrol is for terminals/],
    [["credentials", "rotate", "chain", "north", "--enrol"], /--enrol is for terminals/],
  ])("%j is refused, and nothing is changed", async (args, message) => {
    const all = async () => {
      const { audit, ...rows } = await rowsOf(store, ["credentials", "enrolments", "chain_merchants", "audit"]);
      // Five seconds after its start the running service begins the history's days there.
      return { ...rows, audit: audit.filter(({ event }) => event !== "history_begun") };
    };
    const before = await all();
    await expect(command(...args)).rejects.toThrow(message);
    expect(await all()).toEqual(before);
  });

  test("a chain has the scopes that were asked for, and no others", async () => {
    const [made] = await command("credentials", "add", "chain", "books", "--shops", "demo-shop", "--scope", "reports");
    expect(made).toMatchObject({ scope: "reports", shops: "demo-shop" });
    chains.set("books", String(made?.password));
    expect((await get("/ext/v1/withdrawals", "books")).status).toBe(200);
    expect((await get("/ext/v1/terminals", "books")).status).toBe(403);
  });

  test("the stores of a chain, in pages", async () => {
    const first = (await get("/ext/v1/stores?limit=1", "north")).body;
    expect(first).toMatchObject({ stores: [{ store: "demo-shop", name: "Demo Shop", currency: "EUR" }], next: null });
    await command("credentials", "shops", "north", "--add", "other-shop");
    expect((await get("/ext/v1/stores?limit=1", "north")).body.next).toBe("demo-shop");
    expect((await get("/ext/v1/stores?after=demo-shop", "north")).body.stores).toMatchObject([{ store: "other-shop" }]);
    await command("credentials", "shops", "north", "--remove", "other-shop");
  });

  test("the sums of more than a hundred days are refused, with the bound", async () => {
    const asked = await get("/ext/v1/reconciliation/stores?from=2026-01-01&to=2026-04-11", "north");
    expect([asked.status, asked.body.errors]).toEqual([
      400,
      [{ path: "from", message: "must be at most 100 days before to" }],
    ]);
    expect((await get("/ext/v1/reconciliation/stores?from=2026-01-01&to=2026-04-10", "north")).status).toBe(200);
  });

  test("a new key ends the old one, a revoked chain reads nothing, and added again it has the shops that are named", async () => {
    expect(await addChain("east", "demo-shop, other-shop")).toMatchObject({ shops: "demo-shop other-shop" });
    expect(await command("credentials", "shops", "east")).toHaveLength(2);
    const before = officeOf("east");
    const token = await stage.token(before);
    const [rotated] = await command("credentials", "rotate", "chain", "east");
    await expect.poll(async () => (await stage.call("GET", "/ext/v1/withdrawals", { token })).status).toBe(401);
    expect((await stage.authorize(before)).status).toBe(401);
    const after = { ...before, password: rotated?.password };
    const read = async () =>
      (await stage.call("GET", "/ext/v1/withdrawals", { token: await stage.token(after) })).status;
    expect(await read()).toBe(200);
    await command("credentials", "revoke", "chain", "east");
    await expect.poll(read).toBe(401);
    expect((await stage.authorize(after)).status).toBe(401);
    await addChain("east", "other-shop");
    expect(await ids("", "east")).toEqual([there]);
    // What stays is neither taken away nor added.
    const entries = await store.read((tx) =>
      tx.all(auditPage({ after: 0, from: 0, until: Number.MAX_SAFE_INTEGER, limit: 999 })),
    );
    expect(
      entries.flatMap(({ event, object }) => (object.startsWith("chain east shop ") ? [`${event}: ${object}`] : [])),
    ).toEqual([
      "chain shop added: chain east shop demo-shop",
      "chain shop added: chain east shop other-shop",
      "chain shop removed: chain east shop demo-shop",
    ]);
    // What is named as both is taken away.
    const both = await command("credentials", "shops", "east", "--add", "demo-shop", "--remove", "demo-shop");
    expect(both.map(({ shop }) => shop)).toEqual(["other-shop"]);
  });
});
