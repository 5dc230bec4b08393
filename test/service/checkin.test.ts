/** Partner Checkin, and the address that opens once. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTokens } from "../../backend/access/credentials.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import {
  block,
  checkIn,
  findCheckin,
  isCheckinId,
  linkCheckin,
  openCheckin,
  unblock,
} from "../../backend/checkin/check-in.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { createService, type RunningService } from "../../backend/withdrawals/service.ts";
import { bank, createHttpStage, type HttpStage } from "./http-stage.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { Bank, Counted, quiet, testKeys } from "./world.ts";

const additionalData = {
  brand: "Demo Bank",
  userId: "customer-1",
  balance: "120.00",
  currency: "EUR",
  urlBack: "https://bank.example/back?x=1",
};
const body = { referenceId: " ref 1", additionalData };
/** How long a link may be opened, and how long the page goes on. */
const [linkMs, sessionMs] = [600_000, 3_600_000];

describe.each(stores)("check-in over HTTP on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect, { PUBLIC_URL: "https://cash.example/till/" });
  });
  afterAll(() => stage.dispose());

  const call = async (json: unknown) =>
    stage.call("POST", "/api/v7/partnerCheckin", { token: await stage.token(bank), json });

  test("a new user gets an address below PUBLIC_URL", async () => {
    const answer = await call(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: "new",
      destination_url: expect.stringMatching(/^https:\/\/cash\.example\/till\/websdk\/[\w-]+\?token=[\w-]{43}$/),
      expires_at: expect.stringMatching(/Z$/),
    });
    expect(stage.log()).not.toMatch(/customer-1|120\.00|bank\.example/);
  });

  const invalid: [string, Record<string, unknown>][] = [
    ["additionalData.balance", { balance: "120.0" }],
    ["additionalData.balance", { balance: "-1.00" }],
    ["additionalData.balance", { balance: 120 }],
    ["additionalData.balance", { balance: "1e3" }],
    ["additionalData.balance", { balance: "120.00", currency: "JPY" }],
    ["additionalData.currency", { currency: "eur" }],
    ["additionalData.urlBack", { urlBack: "javascript:alert(1)" }],
    ["additionalData.urlBack", { urlBack: "http://bank.example/" }],
    ["additionalData.urlBack", { urlBack: "/back" }],
    ["additionalData.userId", { userId: "" }],
    ["additionalData.userId", { userId: "a\nb" }],
    ["additionalData.brand", { brand: undefined }],
  ];
  test.each(invalid)("%s in %j", async (path, wrong) => {
    const answer = await call({ ...body, additionalData: { ...additionalData, ...wrong } });
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
  });

  test.each([
    ["https://bank.example", 200],
    ["http://localhost:3000/x", 200],
    ["http://127.0.0.2/", 200],
    ["http://[::1]:80/", 200],
    ["http://bank.example/", 400],
    ["http://localhost.evil.example/", 400],
    ["http://127.0.0.1.evil.example/", 400],
    ["https://user:word@bank.example/", 400],
    ["https://:word@bank.example/", 400],
    ["https://user@bank.example/", 400],
    ["ftp://localhost/", 400],
    ["data:text/html,x", 400],
    ["javascript:alert(1)", 400],
    ["", 400],
  ])("urlBack %s: %s", async (urlBack, status) => {
    expect((await call({ ...body, additionalData: { ...additionalData, urlBack } })).status).toBe(status);
  });
});

describe.each(stores)("an address on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let service: RunningService;
  const at = { now: systemClock.now() };
  const clock = { ...systemClock, now: () => at.now };
  const client = { partnerId: "bank" };
  beforeAll(async () => {
    place = await createPlace(dialect);
    store = await place.open();
    const transport = new Bank();
    service = createService({
      store,
      clock,
      random: systemRandom,
      transport,
      log: quiet,
      telemetry: new Counted(),
      keys: testKeys,
    });
  });
  afterAll(() => place.dispose());

  const write = (query: Parameters<typeof adhoc>[0]) => store.write((tx) => tx.run(adhoc(query)));
  const tokens = { hash: (secret: string) => createTokens(service, "secret of the test").hash(secret) };
  const address = async (userId: string) => {
    const reply = await checkIn(
      service,
      tokens,
      client,
      { ...body, additionalData: { ...additionalData, userId } },
      "http://x",
    );
    const url = new URL(reply.destination_url ?? "http://none/");
    return {
      status: reply.status,
      id: url.pathname.split("/").at(-1) ?? "",
      token: url.searchParams.get("token") ?? "",
    };
  };

  test("opens once, then goes on with a session; the user is active from then on", async () => {
    const { id, token, status } = await address("Anna");
    expect(status).toBe("new");
    expect((await address("anna")).status).toBe("new");
    const [first, second] = await Promise.all([
      openCheckin(service, tokens, id, token),
      openCheckin(service, tokens, id, token),
    ]);
    const opened = first ?? second;
    expect([first, second].filter((each) => each === null)).toHaveLength(1);
    expect(opened?.checkin).toMatchObject({
      // As the bank writes it, which its orders name.
      ...{ partner_id: "bank", user_id: "Anna", reference_id: body.referenceId },
      ...{ created_at: at.now, opened_at: at.now, expires_at: at.now + 600_000 },
      ...{ brand: additionalData.brand, url_back: additionalData.urlBack },
      balance: 12_000,
      currency: "EUR",
      transaction_id: null,
    });
    expect((await address("anna")).status).toBe("active");
    const session = opened?.session ?? "";
    expect(await findCheckin(service, tokens, id, session)).toEqual(opened?.checkin);
    expect(await findCheckin(service, tokens, id, token)).toBeNull();
    at.now += sessionMs;
    expect(await findCheckin(service, tokens, id, session)).toBeNull();
  });

  test("is worth nothing after ten minutes, with another token, or for another check-in", async () => {
    const one = await address("ben");
    const two = await address("ben");
    expect(await openCheckin(service, tokens, one.id, two.token)).toBeNull();
    expect(await openCheckin(service, tokens, one.id, "")).toBeNull();
    at.now += linkMs - 1;
    expect(await openCheckin(service, tokens, one.id, one.token)).not.toBeNull();
    at.now += 1;
    expect(await openCheckin(service, tokens, two.id, two.token)).toBeNull();
  });

  test.each([
    ["user_id", { user_id: "rich" }, { user_id: "poor" }],
    ["partner_id", { partner_id: "other-bank" }, { partner_id: "bank" }],
    ["balance", { balance: 1_000_000 }, { balance: 12_000 }],
    ["currency", { currency: "JPY" }, { currency: "EUR" }],
  ])("opens for nobody, and goes on for nobody, while its %s is changed in the database", async (_, lie, truth) => {
    const { id, token } = await address("poor");
    const set = (to: Partial<RowOf<"checkins">>) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("checkins").set(to).where("id", "=", id))));
    await set(lie);
    expect(await openCheckin(service, tokens, id, token)).toBeNull();
    await set(truth);
    const opened = await openCheckin(service, tokens, id, token);
    expect(opened?.checkin).toMatchObject({ partner_id: "bank", user_id: "poor", balance: 12_000, currency: "EUR" });
    const session = opened?.session ?? "";
    await set(lie);
    expect(await findCheckin(service, tokens, id, session)).toBeNull();
    await set(truth);
    expect(await findCheckin(service, tokens, id, session)).toEqual(opened?.checkin);
  });

  test("a link and a session last no longer than they did, whatever is written beside them", async () => {
    const set = (id: string, to: Partial<RowOf<"checkins">>) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("checkins").set(to).where("id", "=", id))));
    const [late, used] = [await address("ben"), await address("ben")];
    const session = (await openCheckin(service, tokens, used.id, used.token))?.session ?? "";
    at.now += linkMs;
    await set(late.id, { expires_at: at.now + 1 });
    expect(await openCheckin(service, tokens, late.id, late.token)).toBeNull();
    await set(used.id, { opened_at: at.now });
    expect(await findCheckin(service, tokens, used.id, session)).not.toBeNull();
    at.now += sessionMs - 1;
    expect(await findCheckin(service, tokens, used.id, session)).not.toBeNull();
    at.now += 1;
    await set(used.id, { opened_at: at.now });
    expect(await findCheckin(service, tokens, used.id, session)).toBeNull();
  });

  test("a link and a session that the release before has given out go on", async () => {
    const { id } = await address("ben");
    const set = (to: Partial<RowOf<"checkins">>) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("checkins").set(to).where("id", "=", id))));
    const [link, session] = ["L".repeat(43), "S".repeat(43)] as const;
    await set({ token_hash: tokens.hash(link) });
    expect(await openCheckin(service, tokens, id, link)).not.toBeNull();
    await set({ session_hash: tokens.hash(session) });
    expect(await findCheckin(service, tokens, id, session)).toMatchObject({ user_id: "ben" });
  });

  test("a link whose digest was written beside another customer's check-in does not open that", async () => {
    const [poor, rich] = [await address("ben"), await address("ann")];
    const set = (id: string, token_hash: string) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("checkins").set({ token_hash }).where("id", "=", id))));
    await set(poor.id, "elsewhere");
    await set(rich.id, tokens.hash(poor.token));
    expect(await openCheckin(service, tokens, rich.id, poor.token)).toBeNull();
  });

  test("the hash of a link or session, written beside a token, is no token, nor the other way round", async () => {
    const issuer = createTokens(service, "secret of the test");
    const key = { id: "0123456789abcdef", secret_hash: "x" };
    const row = { ...key, kind: "client", owner_id: "bank", device_id: "server", scopes: "withdrawals", created_at: 0 };
    await write((db) => db.insertInto("credentials").values(row as never));
    const token = await issuer.issue(key, ["withdrawals"]);
    const [ben, ann] = [await address("ben"), await address("ann")];
    await write((db) =>
      db
        .updateTable("checkins")
        .set({ token_hash: tokens.hash(`${token}`) })
        .where("id", "=", ann.id),
    );
    expect(await openCheckin(service, tokens, ann.id, `${token}`)).toBeNull();
    const session = (await openCheckin(service, tokens, ben.id, ben.token))?.session ?? "";
    await write((db) =>
      db
        .updateTable("checkins")
        .set({ session_hash: tokens.hash(`${token}`) })
        .where("id", "=", ben.id),
    );
    expect(await findCheckin(service, tokens, ben.id, `${token}`)).toBeNull();
    for (const secret of [ben.token, session]) {
      await write((db) => db.updateTable("tokens").set({ token_hash: tokens.hash(secret) }));
      expect(await issuer.find(secret)).toBeNull();
    }
    await write((db) => db.updateTable("tokens").set({ token_hash: tokens.hash(`${token}`) }));
    expect(await issuer.find(`${token}`)).toMatchObject({ ownerId: "bank" });
  });

  test("a blocked user gets none, one that is out does not open, and one that is open goes on no more", async () => {
    const { id, token } = await address("carl");
    for (const partnerId of ["bank", "other-bank"]) await block(service, { partnerId, userId: "carl" });
    expect(await address("carl")).toMatchObject({ status: "blocked", token: "" });
    expect(await openCheckin(service, tokens, id, token)).toBeNull();
    await unblock(service, { partnerId: "bank", userId: "carl" });
    expect((await address("carl")).status).toBe("active");
    // Another bank's user of that name stays blocked.
    await unblock(service, { partnerId: "other-bank", userId: "carl" });
    const dora = await address("dora");
    const session = (await openCheckin(service, tokens, dora.id, dora.token))?.session ?? "";
    await block(service, { partnerId: "bank", userId: "Dora" });
    expect(await findCheckin(service, tokens, dora.id, session)).toBeNull();
    await unblock(service, { partnerId: "bank", userId: "dora" });
    expect(await findCheckin(service, tokens, dora.id, session)).not.toBeNull();
    // However the id was written when the user came in, and when the user was blocked.
    for (const [came, blocked, comes] of [
      ["Emil", "emil", "EMIL"],
      ["çaĞrı", "ÇAĞRı", "Çağrı"],
    ] as const) {
      const first = await address(came);
      expect(await openCheckin(service, tokens, first.id, first.token)).not.toBeNull();
      expect(await address(comes)).toMatchObject({ status: "active" });
      await block(service, { partnerId: "bank", userId: blocked });
      expect(await address(comes)).toMatchObject({ status: "blocked" });
    }
    await expect(unblock(service, { partnerId: "bank", userId: "carl" })).rejects.toMatchObject({ code: "not_found" });
    // A release before wrote the id as it came, in a row that is older than the block's.
    const before = { partner_id: "bank", user_id: "Fritz", created_at: 0, blocked_at: null };
    await write((db) => db.insertInto("customers").values(before));
    const fritz = await address("fritz");
    await block(service, { partnerId: "bank", userId: "fritz" });
    expect(await address("Fritz")).toMatchObject({ status: "blocked" });
    expect(await openCheckin(service, tokens, fritz.id, fritz.token)).toBeNull();
  });

  test("a page that is open goes on where nothing is kept of its user", async () => {
    const { id, token } = await address("gone");
    const session = (await openCheckin(service, tokens, id, token))?.session ?? "";
    await write((db) => db.deleteFrom("customers").where("user_id", "=", "gone"));
    expect(await findCheckin(service, tokens, id, session)).toMatchObject({ user_id: "gone" });
  });

  test("leads to one withdrawal at a time, whichever tab was faster", async () => {
    const { id, token } = await address("dora");
    const opened = await openCheckin(service, tokens, id, token);
    if (opened === null) throw new Error("did not open");
    const won = await Promise.all(["A", "B"].map((transaction) => linkCheckin(service, opened.checkin, transaction)));
    expect(won.filter(Boolean)).toHaveLength(1);
    const now = await findCheckin(service, tokens, id, opened.session);
    expect(now?.transaction_id).toBe(won[0] ? "A" : "B");
    if (now !== null) expect(await linkCheckin(service, now, "C")).toBe(true);
  });
});

test.each([
  ["a", true],
  ["A-z_0", true],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ["", false],
  ["/a", false],
  ["a/", false],
])("%j is looked up as a check-in's id: %s", (text, isId) => expect(isCheckinId(text)).toBe(isId));
