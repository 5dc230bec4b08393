/** The service answers nonsense, half, late or not at all: a clear screen, and never a second request for the same thing. */
import { en } from "../../renderer/locales/en.ts";
import type { Fault } from "./stage/faulty-proxy.ts";
import { expect, type Shop, test } from "./stage/shop.ts";
import type { TillPage } from "./stage/till-page.ts";

const lookUpFaults: readonly {
  readonly what: string;
  readonly fault: Fault;
  readonly end: "service_down" | "no_network";
}[] = [
  { what: "an HTML page", fault: "html", end: "service_down" },
  { what: "half a JSON", fault: "half_json", end: "service_down" },
  { what: "half an answer", fault: "answer_half", end: "service_down" },
  { what: "nothing", fault: "nothing", end: "service_down" },
  { what: "a cut connection", fault: "cut", end: "service_down" },
  { what: "500", fault: { answer: { status: 500, body: { code: "internal_error" } } }, end: "service_down" },
  {
    what: "another transaction's body",
    fault: { answer: { status: 200, body: { transaction_id: "x" } } },
    end: "service_down",
  },
];

const start = async (openShop: (options: { throughProxy: true }) => Promise<Shop>, amount: string) => {
  const shop = await openShop({ throughProxy: true });
  const { transaction_id: id } = await shop.bank.request(amount);
  const till = await shop.openTill();
  return { shop, till, id };
};

test("whatever the look-up is answered with, once it is well, Try again works", async ({ openShop }) => {
  test.slow();
  const { shop, till } = await start(openShop, "50.00");
  for (const { what, fault } of lookUpFaults)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.00");
      shop.proxy.breakWith((request) => (request.path.startsWith("/transaction") ? fault : null));
      await till.scan(id);
      await expect(till.button(en.ended.retry)).toBeVisible();
      await till.tone("nothing");
      shop.proxy.heal();
      await till.press(en.ended.retry);
      await till.shows("review");
      await till.showsAmount("€50.00");
      await till.press(en.review.reject);
      await till.showsEnd("rejected");
      await till.press(en.ended.nextCustomer);
    });
});

test("offline, the till says so; online again, it goes on", async ({ openShop }) => {
  const { shop, till, id } = await start(openShop, "50.00");
  await shop.proxy.goOffline();
  await till.scan(id);
  await expect(till.button(en.ended.retry)).toBeVisible();
  await till.tone("nothing");
  await expect(till.page.getByText(en.header.offline, { exact: true })).toBeVisible();
  await shop.proxy.goOnline();
  await till.press(en.ended.retry);
  await till.shows("review");
  await expect(till.page.getByText(en.header.online, { exact: true })).toBeVisible();
});

/** What was sent about this withdrawal, each copy. */
const posted = (shop: Shop, what: "confirm" | "link", id: string): readonly string[] =>
  shop.proxy
    .posts(`/transaction/${what}`)
    .map(({ body }) => body)
    .filter((body) => body.includes(id));

/** Whatever happened to the confirm, it is one confirm: the same ids in every copy, and one payment at the end. */
const confirmedOnce = async (shop: Shop, till: TillPage, id: string): Promise<void> => {
  await till.offersCash(30_000);
  await till.handOver();
  await till.shows("done");
  expect(new Set(posted(shop, "confirm", id)).size).toBe(1);
  await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  expect((await shop.bank.payments()).filter(({ reference }) => reference === id)).toHaveLength(1);
};

const doneFaults: readonly { readonly what: string; readonly fault: Fault }[] = [
  { what: "the answer is lost", fault: "answer_lost" },
  { what: "the answer breaks off", fault: "answer_half" },
];

test("the confirm is taken, but its answer is not heard: the till asks and does not repeat", async ({ openShop }) => {
  test.slow();
  const { shop, till } = await start(openShop, "50.08");
  for (const { what, fault } of doneFaults)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.08");
      shop.proxy.breakNext("/transaction/confirm", fault);
      await till.scan(id);
      await till.press(en.review.confirm);
      await confirmedOnce(shop, till, id);
      expect(posted(shop, "confirm", id)).toHaveLength(1);
    });
});

const undoneFaults: readonly { readonly what: string; readonly fault: Fault }[] = [
  { what: "an HTML page", fault: "html" },
  { what: "half a JSON", fault: "half_json" },
  { what: "nothing", fault: "nothing" },
  { what: "a cut connection", fault: "cut" },
  { what: "503", fault: { answer: { status: 503, body: { code: "unavailable" } } } },
];

test("the confirm is not taken: the till asks, then repeats under the same ids", async ({ openShop }) => {
  test.slow();
  const { shop, till } = await start(openShop, "50.08");
  for (const { what, fault } of undoneFaults)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.08");
      shop.proxy.breakNext("/transaction/confirm", fault);
      await till.scan(id);
      await till.press(en.review.confirm);
      await confirmedOnce(shop, till, id);
    });
});

test("silence after the confirm has its own screen, lets the next customer be served, and comes back", async ({
  openShop,
}) => {
  const { shop, till, id } = await start(openShop, "50.08");
  const next = await shop.bank.request("70.00");
  await till.scan(id);
  await till.shows("review");
  shop.proxy.breakWith((request) => {
    if (!request.path.startsWith("/transaction")) return null;
    if (request.path.includes(next.transaction_id) || request.body.includes(next.transaction_id)) return null;
    return request.path === "/transaction/confirm" ? "answer_lost" : "nothing";
  });
  await till.press(en.review.confirm);
  await till.shows("unknown", 30_000);
  await till.tone("never");
  await till.press(en.unknown.nextCustomer);
  await till.scan(next.transaction_id);
  await till.shows("review");
  await till.showsAmount("€70.00");
  await till.press(en.review.reject);
  await till.showsEnd("rejected");
  shop.proxy.heal();
  await till.press(en.ended.nextCustomer);
  await confirmedOnce(shop, till, id);
});

test("whatever the link meets, it is done for the cashier, delivered later, counted once", async ({ openShop }) => {
  test.slow();
  const { shop, till } = await start(openShop, "50.08");
  for (const fault of ["html", "nothing", "answer_lost", "cut"] as const)
    await test.step(fault, async () => {
      const { transaction_id: id } = await shop.bank.request("50.08");
      shop.proxy.breakNext("/transaction/link", fault);
      await till.scan(id);
      await till.press(en.review.confirm);
      await till.handOver();
      await till.shows("done");
      await till.shows("ready");
      await expect.poll(async () => (await shop.bank.report()).get(id)?.finding, { timeout: 30_000 }).toBe("matched");
      expect(new Set(posted(shop, "link", id)).size).toBe(1);
    });
});

test("the service dies while the customer is asked, and comes back", async ({ openShop }) => {
  const { shop, till, id } = await start(openShop, "50.00");
  await till.scan(id);
  await till.press(en.review.confirm);
  await till.shows("approval");
  await shop.killService();
  await shop.restartService();
  expect(await shop.bank.decideSca(id, "approved")).toBe(201);
  await confirmedOnce(shop, till, id);
});
