/** A service that was put back to a copy: what it may have forgotten is reported again, and its cash is given once. */
import { describe, expect, test } from "vitest";
import { problems } from "./books-stage.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";
import { http } from "./stories/at-stage.ts";

const minute = 60_000;
const hour = 60 * minute;
const byHand = { drawer: { kind: "none" } } as const;
const key = { merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" };
const shop = {
  store_name: "Corner",
  restored_at: null as string | null,
  forgot_since: null as string | null,
  kept_head: null as { seq: number; head: string } | null,
};

const iso = (ms: number): string => new Date(ms).toISOString();
/** The service says that it was put back, to a copy of so long ago. */
const restore = (till: Rig, copyAgeMs: number, more: Partial<typeof shop> = {}): string => {
  const nowMs = till.clock.now();
  till.service.shop = { ...shop, restored_at: iso(nowMs), forgot_since: iso(nowMs - copyAgeMs), ...more };
  return iso(nowMs);
};
const reports = (till: Rig): readonly string[] =>
  till.service.requests
    .filter(({ path }) => path === "/transaction/link" || path.endsWith("/undelivered"))
    .map(({ path, body }) => (body as { transaction_id?: string }).transaction_id ?? path.split("/")[4] ?? "");
const answered = (journal: MemoryJournal): readonly string[] =>
  journal.entries
    .map(({ body }) => JSON.parse(body) as { type: string; restoredAt: string })
    .flatMap(({ type, restoredAt }) => (type === "restore_answered" ? [restoredAt] : []));

/** A terminal that has handed out two withdrawals, declared a third, and was acknowledged all of them. */
const busy = async (options: RigOptions = {}) => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal, settings: byHand, ...options });
  till.service.shop = { ...shop };
  for (const number of [1, 2]) {
    await leadToPayable(till, idNumber(number));
    await handOver(till);
    await till.clock.advance(10 * minute);
  }
  await leadToPayable(till, idNumber(3));
  await till.send({ type: "not_handed_out", reason: "customer_left" } as never);
  await till.send({ type: "dismiss" });
  await till.clock.advance(10 * minute);
  expect([...till.service.orders.values()].map(({ status }) => status)).toEqual(["linked", "linked", "undelivered"]);
  till.service.requests.length = 0;
  return { till, journal };
};

describe("what the service may have forgotten", () => {
  test("is reported again as this terminal knows it, also what was acknowledged, and once", async () => {
    const { till, journal } = await busy();
    const restoredAt = restore(till, 2 * hour);
    for (const order of till.service.orders.values()) order.status = "settled";
    await till.clock.advance(5 * minute);
    expect(reports(till)).toEqual([1, 2, 3].map(idNumber));
    const [link] = till.service.calls("/transaction/link");
    // Under the name that it had the first time: another one would be a second hand-out.
    expect(link?.body).toMatchObject({ hand_out_id: till.service.handOuts.get(idNumber(1)) });
    const [undelivered] = till.service.calls("/undelivered");
    const order = till.service.orders.get(idNumber(1));
    expect(link?.body).toMatchObject({
      transaction_id: idNumber(1),
      as_reported: {
        transaction_id_partner: order?.transaction_id_partner,
        amount: "50.00",
        currency: "EUR",
        confirmed_at: order?.confirmed_at,
        settled_at: expect.stringMatching(/Z$/),
        reported_at: expect.stringMatching(/Z$/),
        restored_at: restoredAt,
      },
    });
    expect(undelivered?.body).toMatchObject({ reason: "customer_left", as_reported: { amount: "50.00" } });
    expect([...till.service.orders.values()].map(({ status }) => status)).toEqual(["linked", "linked", "undelivered"]);
    expect(answered(journal)).toEqual([restoredAt]);
    await till.clock.advance(hour);
    expect(reports(till)).toHaveLength(3);
    expect(await problems(till)).toEqual([]);
  });

  /** What the service holds of the journal when the first of the three reports was in it. */
  const firstReported = (journal: MemoryJournal) => {
    const seq = journal.types().indexOf("report_accepted") + 1;
    return { seq, head: `link-${seq}` };
  };

  test("is what came behind the link that the copy has, whatever the clocks said", async () => {
    const { till, journal } = await busy();
    journal.entries = journal.entries.map((entry) => ({ ...entry, at: entry.at - 40 * 24 * hour }));
    restore(till, minute, { kept_head: firstReported(journal) });
    await till.clock.advance(5 * minute);
    expect(reports(till)).toEqual([2, 3].map(idNumber));
    expect(answered(journal)).toHaveLength(1);
  });

  test.each<[string, (kept: { seq: number; head: string }) => typeof shop.kept_head]>([
    ["names none", () => null],
    ["names another journal's", ({ seq }) => ({ seq, head: "another" })],
    ["names one that is not there yet", () => ({ seq: 10_000, head: "link-10000" })],
  ])("goes by clocks and a week more where the service %s", async (_, kept) => {
    const { till, journal } = await busy();
    await till.clock.advance(6 * 24 * hour);
    till.service.requests.length = 0;
    const since = { kept_head: kept(firstReported(journal)) };
    restore(till, minute, since);
    await till.clock.advance(5 * minute);
    expect(reports(till)).toEqual([1, 2, 3].map(idNumber));
    await till.clock.advance(2 * 24 * hour);
    restore(till, minute, since);
    await till.clock.advance(5 * minute);
    expect(reports(till)).toHaveLength(3);
    expect(answered(journal)).toHaveLength(2);
  });

  test.each([
    ["behind", -40],
    ["ahead", 40],
  ])("is found also while the service's clock is %s by days", async (_, days) => {
    const { till, journal } = await busy();
    const aheadMs = days * 24 * hour;
    restore(till, 2 * hour - aheadMs, { restored_at: iso(till.clock.now() + aheadMs) });
    till.service.dateOffMs = aheadMs;
    await till.clock.advance(5 * minute);
    expect(reports(till)).toEqual([1, 2, 3].map(idNumber));
    expect(answered(journal)).toHaveLength(1);
  });

  test("is looked for as soon as a service answers again that was away", async () => {
    const { till, journal } = await busy();
    till.service.fault = () => ({ kind: "silence", why: "refused" });
    await till.clock.advance(2 * minute);
    restore(till, 2 * hour);
    till.service.fault = () => null;
    await till.clock.advance(minute);
    expect([reports(till).length, answered(journal).length]).toEqual([3, 1]);
  });

  test("is repeated from the start by a program that stopped in the middle", async () => {
    const { till, journal } = await busy();
    restore(till, 2 * hour);
    till.service.fault = ({ path }) => (path.endsWith("/undelivered") ? "hang" : null);
    await till.clock.advance(5 * minute);
    expect([reports(till).length >= 3, answered(journal)]).toEqual([true, []]);
    await till.terminal.close();
    till.service.fault = () => null;
    till.service.requests.length = 0;
    const { clock, service } = till;
    const again = await createRig({ journal, clock, service, settings: byHand, idsFrom: 500 });
    await again.clock.advance(minute);
    expect(reports(again)).toEqual([1, 2, 3].map(idNumber));
    expect(answered(journal)).toHaveLength(1);
  });

  test("and is refused becomes the manager's, and the rest goes on", async () => {
    const { till, journal } = await busy();
    restore(till, 2 * hour);
    till.service.fault = ({ path }, nth) =>
      path === "/transaction/link" && nth === 3 ? http(404, { code: "transaction_not_found" }) : null;
    await till.clock.advance(5 * minute);
    expect(reports(till)).toHaveLength(3);
    expect(await problems(till)).toMatchObject([
      { kind: "unresolved", about: "forgotten", transactionId: idNumber(1) },
    ]);
    expect(answered(journal)).toHaveLength(1);
  });

  test("is waited for where the service is silent", async () => {
    const { till, journal } = await busy();
    restore(till, 2 * hour);
    for (const order of till.service.orders.values()) order.status = "settled";
    till.service.fault = ({ path }, nth) => (path === "/transaction/link" && nth < 6 ? "drop" : null);
    await till.clock.advance(10 * minute);
    expect(reports(till).length).toBeGreaterThan(3);
    expect([...till.service.orders.values()].map(({ status }) => status)).toEqual(["linked", "linked", "undelivered"]);
    expect([answered(journal).length, await problems(till)]).toEqual([1, []]);
  });

  test("is repeated once more after another restore, and nothing is after a start", async () => {
    const { till, journal } = await busy();
    restore(till, 2 * hour);
    await till.clock.advance(5 * minute);
    restore(till, 2 * hour);
    await till.clock.advance(5 * minute);
    expect([reports(till).length, answered(journal).length]).toEqual([6, 2]);
    await till.terminal.close();
    const { clock, service } = till;
    const again = await createRig({ journal, clock, service, settings: byHand, idsFrom: 500 });
    await again.clock.advance(10 * minute);
    expect(reports(again)).toHaveLength(6);
  });
});

test.each<[string, number, (till: Rig) => unknown]>([
  ["another restore", 2, (till) => restore(till, 2 * hour)],
  // The same call waits for this one to end.
  ["a new key", 1, (till) => till.terminal.dispatch({ type: "enroll", serviceUrl: "http://service", ...key })],
])("an answer from before %s ends no repeat after it", async (_, sent, before) => {
  const { till } = await busy();
  const { service } = till;
  let release = (): void => {};
  const send = service.send.bind(service);
  service.send = async (request) => {
    const answer = await send(request);
    if (request.path === "/transaction/link") await new Promise<void>((resolve) => (release = resolve));
    return answer;
  };
  restore(till, 2 * hour);
  await till.clock.advance(5 * minute);
  expect(reports(till)).toEqual([idNumber(1)]);
  service.send = send;
  service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
  expect(await before(till)).not.toHaveProperty("code");
  for (const order of service.orders.values()) order.status = "settled";
  for (let step = 0; step < 600 && reports(till).length < 2; step += 1) await till.clock.advance(500);
  expect(reports(till)).toHaveLength(sent);
  release();
  await till.clock.advance(minute);
  service.fault = () => null;
  await till.clock.advance(10 * minute);
  expect([...service.orders.values()].map(({ status }) => status)).toEqual(["linked", "linked", "undelivered"]);
});

test("a report that the service cannot take yet keeps no other one back, and is taken once it can", async () => {
  const { till, journal } = await busy();
  let isUndecided = true;
  till.service.fault = ({ path, body }) =>
    isUndecided && path === "/transaction/link" && (body as { transaction_id: string }).transaction_id === idNumber(1)
      ? http(503, { code: "unavailable" })
      : null;
  const restoredAt = restore(till, 2 * hour);
  for (const order of till.service.orders.values()) order.status = "settled";
  await till.clock.advance(hour);
  expect([...till.service.orders.values()].map(({ status }) => status)).toEqual(["settled", "linked", "undelivered"]);
  expect(answered(journal)).toEqual([]);
  isUndecided = false;
  await till.clock.advance(10 * minute);
  expect(till.service.orders.get(idNumber(1))?.status).toBe("linked");
  expect(answered(journal)).toEqual([restoredAt]);
  expect(await problems(till)).toEqual([]);
});

test("another one's failures are not counted to a report that a gateway refuses for a while", async () => {
  const { till } = await busy();
  const tries = { [idNumber(1)]: 0, [idNumber(2)]: 0 };
  till.service.fault = ({ path, body }) => {
    if (path !== "/transaction/link") return null;
    const { transaction_id: id } = body as { transaction_id: string };
    tries[id] = (tries[id] ?? 0) + 1;
    if (id === idNumber(1)) return http(503, { code: "unavailable" });
    return tries[id] <= 10 ? http(404, { message: "no route" }) : null;
  };
  restore(till, 2 * hour);
  for (const order of till.service.orders.values()) order.status = "settled";
  await till.clock.advance(4 * hour);
  expect(till.service.orders.get(idNumber(2))?.status).toBe("linked");
  expect(await problems(till)).toEqual([]);
});

test.each([
  ["it has no such call", 404],
  ["it is malformed", 400],
])(
  "a report of which a gateway says that %s is the manager's after twelve tries, and the rest goes on",
  async (_, status) => {
    const { till, journal } = await busy();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? http(status, { message: "no" }) : null);
    restore(till, 2 * hour);
    await till.clock.advance(4 * hour);
    expect(till.service.calls("/transaction/link")).toHaveLength(24);
    expect(await problems(till)).toMatchObject([1, 2].map((n) => ({ about: "forgotten", transactionId: idNumber(n) })));
    expect(answered(journal)).toHaveLength(1);
  },
);

describe("cash of money that the service forgot", () => {
  test("is given, and reported as this terminal knows it", async () => {
    const till = await createRig();
    till.service.shop = { ...shop };
    const order = await leadToPayable(till, idNumber(1));
    restore(till, 2 * hour);
    Object.assign(order, { status: "canceled", reason: "restored" });
    await till.clock.advance(5 * minute);
    till.service.fault = ({ path }) =>
      path === "/transaction/link" ? http(201, { ...order, status: "linked" }) : null;
    await handOver(till);
    await till.clock.advance(1_000);
    expect(till.drawer.opens).toBe(1);
    expect(till.service.calls("/transaction/link").at(-1)?.body).toMatchObject({
      as_reported: { transaction_id_partner: order.transaction_id_partner, amount: "50.00" },
    });
    expect(await problems(till)).toEqual([]);
  });

  test("and that it does not know at all is given where the copy is older than the withdrawal", async () => {
    const till = await createRig();
    till.service.shop = { ...shop };
    await leadToPayable(till, idNumber(1));
    restore(till, 2 * hour);
    till.service.orders.clear();
    await till.clock.advance(5 * minute);
    await till.send({ type: "hand_out" });
    expect(till.drawer.opens).toBe(1);
  });

  test("is given however wrong the service's clock was, and named as of before the restore", async () => {
    const till = await createRig();
    till.service.shop = { ...shop };
    till.service.dateOffMs = -40 * 24 * hour;
    await leadToPayable(till, idNumber(1));
    const restoredAt = restore(till, 2 * hour);
    till.service.orders.clear();
    await till.clock.advance(5 * minute);
    await handOver(till);
    expect(till.drawer.opens).toBe(1);
    const link = till.service.calls("/transaction/link").at(-1)?.body as { as_reported: { reported_at: string } };
    expect(link).toMatchObject({ as_reported: { restored_at: restoredAt } });
    // By the service's clock, in which its report is read.
    const offMs = Date.parse(link.as_reported.reported_at) - (till.clock.now() + till.service.dateOffMs);
    expect(Math.abs(offMs)).toBeLessThan(hour);
  });

  test.each([
    ["refused by the copy, which does not know it", http(404, { code: "transaction_not_found" })],
    ["taken by what the copy has replaced since", http(201, { status: "linked" })],
  ])("and whose report was under way when the restore became known is reported again: %s", async (_, said) => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal, settings: byHand });
    till.service.shop = { ...shop };
    await leadToPayable(till, idNumber(1));
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
    await handOver(till);
    await till.terminal.close();
    const restoredAt = restore(till, 2 * hour);
    const { clock, service } = till;
    service.orders.clear();
    service.requests.length = 0;
    // It is sent before this run has heard of the restore, and answered when what else was forgotten is found already.
    const late = new Promise<typeof said>((resolve) => clock.after(2_000, () => resolve(said)));
    service.fault = ({ path, body }) => {
      if (path !== "/transaction/link") return null;
      return "as_reported" in (body as object) ? http(201, { status: "linked" }) : late;
    };
    const again = await createRig({ journal, clock, service, settings: byHand, idsFrom: 500 });
    await clock.advance(5 * minute);
    expect(service.calls("/transaction/link").map(({ body }) => body)).toMatchObject([
      { transaction_id: idNumber(1) },
      { transaction_id: idNumber(1), as_reported: { amount: "50.00", restored_at: restoredAt } },
    ]);
    expect(await problems(again)).toEqual([]);
  });

  test("and that began after a restore is reported without naming it", async () => {
    const till = await createRig();
    restore(till, 2 * hour);
    await till.clock.advance(5 * minute);
    await leadToPayable(till, idNumber(1));
    await handOver(till);
    const [link] = till.service.calls("/transaction/link");
    expect(link?.body).toMatchObject({ as_reported: { amount: "50.00" } });
    expect(link?.body).not.toHaveProperty("as_reported.restored_at");
  });

  test("is not given for a restore that was over before the withdrawal began", async () => {
    const till = await createRig();
    restore(till, 2 * hour);
    await till.clock.advance(3 * hour);
    await leadToPayable(till, idNumber(1));
    till.service.orders.clear();
    await till.clock.advance(5 * minute);
    await till.send({ type: "hand_out" });
    expect([till.drawer.opens, till.screen().kind]).toEqual([0, "unknown"]);
  });

  test("is not given where the service says of no copy that it does not know it", async () => {
    const till = await createRig();
    till.service.shop = { ...shop };
    await leadToPayable(till, idNumber(1));
    till.service.orders.clear();
    await till.clock.advance(5 * minute);
    await till.send({ type: "hand_out" });
    expect([till.drawer.opens, till.screen().kind]).toEqual([0, "unknown"]);
  });
});

describe("a withdrawal that a restore ended", () => {
  test("while it was under way here may have been paid: a manager finds out", async () => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    await till.send({ type: "confirm" });
    restore(till, 2 * hour);
    Object.assign(order, { status: "canceled", reason: "restored" });
    await till.clock.advance(5_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "unclear" });
    expect(await problems(till)).toMatchObject([{ kind: "unresolved", about: "unclear", transactionId: idNumber(1) }]);
  });

  test("and that is shown again may have been paid", async () => {
    const till = await createRig();
    till.service.order({ transaction_id: idNumber(1), status: "canceled", reason: "restored" });
    await till.scan(idNumber(1));
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "unclear" });
    expect(await problems(till)).toEqual([]);
  });
});

describe("a terminal's folder and the service's database, both put back to the moment before cash was given", () => {
  type Order = Awaited<ReturnType<typeof leadToPayable>>;
  interface Restart {
    readonly till: Rig;
    readonly journal: MemoryJournal;
    readonly service: Rig["service"];
    readonly clock: Rig["clock"];
  }
  const start = ({ journal, clock, service }: Omit<Restart, "till">, idsFrom = 500) =>
    createRig({ journal, clock, service, idsFrom });
  /** A till whose cash is paid, or still being paid, and what a copy of its journal has then. */
  const paying = async (status: "settled" | "settling") => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    till.service.shop = { ...shop };
    const order = till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    await till.send({ type: "confirm" });
    order.status = status;
    await till.clock.advance(5_000);
    return { till, journal, order, copy: [...journal.entries] };
  };
  /** Gives the cash, closes the till, and puts both back. */
  const giveAndPutBack = async ({ till, order, copy }: Awaited<ReturnType<typeof paying>>) => {
    const was = order.status as Order["status"];
    order.status = "settled";
    await till.clock.advance(10_000);
    await handOver(till);
    await till.clock.advance(10_000);
    expect(order.status).toBe("linked");
    await till.terminal.close();
    restore(till, 2 * minute);
    order.status = was;
    till.service.requests.length = 0;
    till.service.handOuts.clear();
    const journal = new MemoryJournal();
    journal.entries = [...copy];
    return { till, journal, clock: till.clock, service: till.service };
  };
  const isDoubted = [{ about: "payable" }, { about: "put_back_with_service", transactionId: idNumber(1) }];
  const aboutCash = async (till: Rig) => (await problems(till)).filter(({ kind }) => kind !== "journal");
  const neverOffered = async (till: Rig) => {
    await till.send({ type: "hand_out" });
    expect(till.screen().kind).toBe("unknown");
    expect(till.drawer.opens).toBe(0);
    expect(till.snapshots.map(({ screen }) => screen.kind)).not.toContain("payable");
    expect(await aboutCash(till)).toMatchObject(isDoubted);
  };

  test.each(["settled", "settling"] as const)("%s: it is not offered again, and a manager decides", async (status) => {
    const putBack = await giveAndPutBack(await paying(status));
    const again = await start(putBack);
    for (const order of putBack.service.orders.values()) order.status = "settled";
    await again.clock.advance(10 * minute);
    await neverOffered(again);
    expect(putBack.service.calls("/transaction/link")).toEqual([]);
    await again.terminal.close();
    // The doubt stays with the journal, which has answered the restore by now.
    const later = await start(putBack, 900);
    await later.clock.advance(10 * minute);
    await neverOffered(later);
    const [{ withdrawalId = "" } = {}] = await aboutCash(later);
    await later.send({ type: "dismiss" });
    const said = { type: "decide_withdrawal", withdrawalId, decision: "handed_out", note: "counted" } as const;
    expect(await later.terminal.dispatch(said)).toEqual({ ok: true });
    await later.clock.advance(minute);
    expect(putBack.service.orders.get(idNumber(1))?.status).toBe("linked");
  });

  test.each(["settled", "settling"] as const)(
    "%s: nor before the service has said whether it was put back",
    async (status) => {
      const putBack = await giveAndPutBack(await paying(status));
      for (const order of putBack.service.orders.values()) order.status = "settled";
      let lost = 0;
      putBack.service.fault = ({ path }) => (path.startsWith("/ext/v1/till") && lost++ < 3 ? "drop" : null);
      const again = await start(putBack);
      for (let seconds = 0; seconds < 120; seconds++) {
        await again.clock.advance(1_000);
        expect(again.screen().kind).not.toBe("payable");
      }
      expect(lost).toBeGreaterThan(3);
      await neverOffered(again);
    },
  );

  test.each([
    [404, undefined],
    [404, { message: "no Route matched" }],
    [200, { status: "maintenance" }],
  ])("nor does a gateway say so in its place (%s %s)", async (status, page) => {
    const putBack = await giveAndPutBack(await paying("settled"));
    let pages = 0;
    putBack.service.fault = ({ path }) => (path.startsWith("/ext/v1/till") && pages++ < 3 ? http(status, page) : null);
    const profile = { merchantId: "demo-shop", name: "Corner", limits: null, scaTimeoutSeconds: null, support: null };
    const again = await createRig({ ...putBack, idsFrom: 500, kept: { shop: profile } });
    for (let seconds = 0; seconds < 120; seconds++) {
      await again.clock.advance(1_000);
      expect(again.screen().kind).not.toBe("payable");
    }
    expect(pages).toBeGreaterThan(3);
    await neverOffered(again);
  });

  test.each(["linked", "undelivered"])(
    "settling: nor does it say itself what an operator has decided (%s)",
    async (status) => {
      const putBack = await giveAndPutBack(await paying("settling"));
      for (const order of putBack.service.orders.values())
        Object.assign(order, { status, reason: "decided_by_operator" });
      let lost = 0;
      putBack.service.fault = ({ path }) => (path.startsWith("/ext/v1/till") && lost++ < 3 ? "drop" : null);
      const again = await start(putBack);
      await again.clock.advance(10 * minute);
      expect(putBack.journal.types()).not.toContain("not_handed_out");
      await neverOffered(again);
    },
  );

  test("nor what an operator has decided, where the service was put back alone and the till stops before it has asked again", async () => {
    const { till, journal, order } = await paying("settled");
    await till.send({ type: "hand_out" });
    await till.terminal.close();
    const begun = journal.cut(journal.types().indexOf("hand_out_intended") + 1);
    Object.assign(order, { status: "undelivered", reason: "decided_by_operator" });
    const again = await createRig({ journal: begun, clock: till.clock, service: till.service, idsFrom: 500 });
    await again.clock.advance(minute);
    restore(till, 2 * minute);
    Object.assign(order, { status: "settled", reason: null });
    till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? "drop" : null);
    await again.clock.advance(10 * minute);
    expect(answered(begun)).toHaveLength(1);
    await again.terminal.close();
    till.service.fault = () => null;
    const later = await start({ journal: begun, clock: till.clock, service: till.service }, 900);
    await later.clock.advance(minute);
    await neverOffered(later);
  });

  test("what this run has begun is offered and given, also before the service has said so, and after a lost answer", async () => {
    const { clock, service, terminal } = await createRig();
    await terminal.close();
    service.shop = { ...shop, restored_at: iso(clock.now()), forgot_since: iso(clock.now() - 2 * minute) };
    let isAway = true;
    let lost = 0;
    const order = service.order({ transaction_id: idNumber(1) });
    service.fault = ({ path }) => {
      const isLost = path.startsWith("/ext/v1/till")
        ? isAway
        : path.startsWith("/transaction?") && order.status !== "ready" && lost++ < 2;
      return isLost ? http(503, undefined) : null;
    };
    const till = await createRig({ clock, service });
    await till.scan(idNumber(1));
    await till.send({ type: "confirm" });
    order.status = "settled";
    await clock.advance(minute);
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true });
    isAway = false;
    await clock.advance(10 * minute);
    await handOver(till);
    await clock.advance(minute);
    expect([till.drawer.opens, order.status, await problems(till)]).toEqual([1, "linked", []]);
  });

  test("a service that was put back alone, before the till had heard of it: its cash is offered where the journal has answered the restore", async () => {
    const given = await paying("settled");
    restore(given.till, 2 * minute);
    await given.till.clock.advance(10 * minute);
    expect(answered(given.journal)).toHaveLength(1);
    await given.till.terminal.close();
    const again = await start({ journal: given.journal, clock: given.till.clock, service: given.till.service });
    await again.clock.advance(10_000);
    expect(again.screen().kind).toBe("payable");
  });

  test.each([
    ["says nothing of copies", null],
    ["was never put back", shop],
  ])("nor is anything doubted where the service %s", async (_, said) => {
    const given = await paying("settled");
    await given.till.terminal.close();
    given.till.service.shop = said && { ...said };
    const again = await start({ journal: given.journal, clock: given.till.clock, service: given.till.service });
    await again.clock.advance(10_000);
    expect(again.screen().kind).toBe("payable");
    await handOver(again);
    expect(again.drawer.opens).toBe(1);
  });
});
