/** The phone page says what the service knows, also when something fails after the bank was asked. */
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { updateMerchant } from "../../backend/merchants/merchants.ts";
import { ServiceError } from "../../backend/service-error.ts";
import type { Store } from "../../backend/store/store.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { firstOf, openDispute } from "../../backend/withdrawals/closed.ts";
import { createBrowser } from "./browser.ts";
import { callAs, partnerSecret, type Stage, startStage } from "./sandbox-stage.ts";
import { createPlace, type Place } from "./stores.ts";

let place: Place;
let store: Store;
let stage: Stage;
let orders = 0;
/** `Partner-Reference` of the last order. */
let reference: string | string[] | undefined;
/** What the bank answers to the next Settle orders; then it accepts. */
let settles: [status: number, word: string][] = [];
const bank = createServer((request, response) => {
  orders += 1;
  reference = request.headers["partner-reference"];
  const [status, word] = (request.url?.endsWith("/settlewithdrawal") ? settles.shift() : undefined) ?? [
    200,
    "accepted",
  ];
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ status: word }));
});

beforeAll(async () => {
  await new Promise<void>((done) => bank.listen(0, "127.0.0.1", done));
  const address = bank.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  place = await createPlace("sqlite");
  store = await place.open();
  stage = await startStage(store, { boundPartners: new Map([["demo-bank", { url, secret: partnerSecret }]]) });
});
afterAll(async () => {
  await stage.stop();
  bank.close();
  await place.dispose();
});

const additionalData = {
  brand: "Demo Bank",
  userId: "ann",
  balance: "300.00",
  currency: "EUR",
  urlBack: "https://bank.example/",
};

/** Opens a page and asks for 50.00 while the store takes only so many writes more, and none or all but `failures` from then on. */
const submitWith = async (writesLeft: number, referenceId = "r", failures = Number.POSITIVE_INFINITY) => {
  const caller = await callAs(stage, "bank");
  const checkin = await caller.post<{ destination_url: string }>("/api/v7/partnerCheckin", {
    referenceId,
    additionalData,
  });
  const browser = createBrowser();
  const page = await browser.open(checkin.body.destination_url);
  const write = store.write;
  let left = writesLeft;
  store.write = (unit) => {
    left -= 1;
    return left >= 0 || left < -failures ? write(unit) : Promise.reject(new ServiceError("unavailable"));
  };
  const reply = await browser
    .submit(`${page.url}/withdrawal`, { after: "", amount: "50", store: "demo-shop" })
    .finally(() => {
      store.write = write;
    });
  return { reply, again: await browser.open(page.url), reload: () => browser.open(page.url) };
};

test.each([
  ["while the database stays away", Number.POSITIVE_INFINITY],
  ["where the database failed once", 1],
])("a withdrawal that the bank has secured is never called not begun, %s", async (_, failures) => {
  orders = 0;
  const { reply, again } = await submitWith(1, "r", failures);
  expect(orders).toBeGreaterThan(0);
  for (const { html } of [reply, again]) expect(html).not.toMatch(/could not start|Nothing was charged/);
  expect(again.html).toMatch(/data-status="(requested|ready)"/);
});

test("the bank's own name for the check-in goes along with the order, as far as it may be a reference", async () => {
  await submitWith(9, "checkin-8842");
  expect(reference).toBe("checkin-8842");
  for (const referenceId of ["two words", "ü", "x".repeat(65)]) {
    const { again } = await submitWith(9, referenceId);
    expect([again.html.includes('data-status="ready"'), reference]).toEqual([true, undefined]);
  }
});

test("a code's time runs from when it was asked for, however often its page is opened", async () => {
  const { reload } = await submitWith(9);
  const leftMs = async () => Number(/data-left-ms="(\d+)"/.exec((await reload()).html)?.[1]);
  const first = await leftMs();
  await expect.poll(leftMs).toBeLessThan(first);
});

test("a withdrawal goes on under the name that its shop had when it was asked for", async () => {
  const { reload } = await submitWith(9);
  const rename = (name: string) => store.write((tx) => tx.first(updateMerchant("demo-shop", { name })));
  await rename("Another Name");
  const { html } = await reload().finally(() => rename("Demo Shop"));
  expect([html.includes("Demo Shop"), html.includes("Another Name")]).toEqual([true, false]);
});

test("one that was never begun is said to be so, and no bank was asked", async () => {
  orders = 0;
  const { reply, again } = await submitWith(0);
  expect(orders).toBe(0);
  expect(reply.html).toContain("We could not start the withdrawal just now. Nothing was charged.");
  expect(again.html).toContain("How much cash?");
});

test.each<[what: string, answers: [number, string][], said: string]>([
  ["at once", [[200, "declined"]], en.failed.detail],
  [
    "after a try that it never answered",
    [
      [500, "broken"],
      [200, "declined"],
    ],
    en.restored.detail,
  ],
])("no money is said to have moved only where the bank has said no %s", async (_, answers, said) => {
  settles = answers;
  const { again, reload } = await submitWith(Number.POSITIVE_INFINITY);
  const id = /name="transaction_id" value="([0-9A-Z]{16})"/.exec(again.html)?.[1] ?? "";
  await (await callAs(stage, "till")).post("/transaction/confirm", { transaction_id: id, transaction_id_partner: id });
  await (await callAs(stage, "bank")).post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" });
  await expect.poll(async () => (await reload()).html, { timeout: 15_000 }).toContain('data-status="failed"');
  const { html } = await reload();
  expect([en.failed.detail, en.restored.detail].filter((text) => html.includes(text))).toEqual([said]);
});

test("what has ended without cash is not said to have moved no money once it is disputed", async () => {
  const { again, reload } = await submitWith(Number.POSITIVE_INFINITY);
  const id = /name="transaction_id" value="([0-9A-Z]{16})"/.exec(again.html)?.[1] ?? "";
  await (await callAs(stage, "bank")).post(`/ext/v1/withdrawals/${id}/cancel`, {});
  expect((await reload()).html).toContain(en.userCanceled.detail);
  await store.write((tx) => firstOf(tx, openDispute, { id, now: Date.now() }));
  const { html } = await reload();
  const said = [en.userCanceled.detail, en.restored.detail].filter((text) => html.includes(text));
  expect([html.includes('data-status="canceled"'), said]).toEqual([true, [en.restored.detail]]);
});

test("a page that could not be read is read again without scripts too", async () => {
  const { reload } = await submitWith(9);
  const read = store.read;
  store.read = () => Promise.reject(new ServiceError("unavailable"));
  const { html } = await reload().finally(() => {
    store.read = read;
  });
  expect(html).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
  expect((await reload()).html).toContain('data-status="ready"');
});

test("a bank in the place of the sandbox's has pages of its own: the sandbox's approval page, which knows nothing of it, is no way", async () => {
  const { again, reload } = await submitWith(Number.POSITIVE_INFINITY);
  const id = /name="transaction_id" value="([0-9A-Z]{16})"/.exec(again.html)?.[1] ?? "";
  const till = await callAs(stage, "till");
  await till.post("/transaction/confirm", { transaction_id: id, transaction_id_partner: "till-1-0001" });
  const page = await reload();
  expect(page.html).toContain('data-status="awaiting_sca"');
  expect(page.html).not.toContain("/sandbox/bank/sca/");
});
