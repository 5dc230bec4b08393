/** The service answers nonsense, half, late or not at all: a clear screen, and never a second request for the same thing. */
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import type { Fault } from "./stage/faulty-proxy.ts";
import { expect, type Shop, test } from "./stage/shop.ts";
import type { TillPage } from "./stage/till-page.ts";

interface Case {
  readonly what: string;
  readonly fault: Fault;
}

const lookUpFaults: readonly (Case & { readonly end: "service_down" | "no_network" })[] = [
  { what: "an HTML page", fault: "html", end: "service_down" },
  { what: "half a JSON", fault: "half_json", end: "service_down" },
  { what: "half an answer", fault: "answer_half", end: "service_down" },
  { what: "nothing", fault: "nothing", end: "no_network" },
  { what: "a cut connection", fault: "cut", end: "service_down" },
  { what: "500", fault: { answer: { status: 500, body: { code: "internal_error" } } }, end: "service_down" },
  {
    what: "another transaction's body",
    fault: { answer: { status: 200, body: { transaction_id: "x" } } },
    end: "service_down",
  },
];

type OpenShop = (options: { throughProxy: true }) => Promise<Shop>;

const open = async (openShop: OpenShop) => {
  const shop = await openShop({ throughProxy: true });
  return { shop, till: await shop.openTill() };
};

const start = async (openShop: OpenShop, amount: string) => {
  const opened = await open(openShop);
  const { transaction_id: id } = await opened.shop.bank.request(amount);
  return { ...opened, id };
};

test("whatever the look-up is answered with, once it is well, Try again works", async ({ openShop }) => {
  test.slow();
  const { shop, till } = await open(openShop);
  for (const { what, fault, end } of lookUpFaults)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.00");
      shop.proxy.breakWith((request) => (request.path.startsWith("/transaction") ? fault : null));
      await till.scan(id);
      await till.showsEnd(end);
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
  // Long before it would be asked by itself again: the connection's end is enough.
  await expect(till.page.getByText(en.header.offline, { exact: true })).toBeVisible({ timeout: 15_000 });
  await till.scanAnywhere(id);
  await expect(till.button(en.ended.retry)).toBeVisible();
  await till.tone("nothing");
  await shop.proxy.goOnline();
  await till.press(en.ended.retry);
  await till.shows("review");
  await expect(till.page.getByText(en.header.online, { exact: true })).toBeVisible();
});

/** Sent along once the service is known to take it, so that the first copy may be without it. */
const withoutExtension = (body: string): string => JSON.stringify({ ...JSON.parse(body), as_reported: undefined });

/** Whose they are, each once however many copies were sent: two that differ in anything else count as two. */
const differentPosts = (shop: Shop, what: "confirm" | "link"): readonly string[] =>
  [...new Set(shop.proxy.posts(`/transaction/${what}`).map(({ body }) => withoutExtension(body)))]
    .map((body) => (JSON.parse(body) as { transaction_id: string }).transaction_id)
    .sort();

/**
 * The last one is served now. Whatever happened to its confirm, it is one confirm: the same ids in every copy, and one
 * payment at the end; nor is there any other confirm or payment than of those who were served.
 */
const confirmedOnce = async (shop: Shop, till: TillPage, ...served: readonly string[]): Promise<void> => {
  await till.offersCash();
  await till.handOver();
  await till.shows("done");
  expect(differentPosts(shop, "confirm")).toEqual(served.toSorted());
  // No second copy before the service was asked.
  expect(shop.proxy.callsAbout(served.at(-1) ?? "").join(" ")).not.toContain("confirm confirm");
  await expect.poll(async () => (await shop.bank.report()).get(served.at(-1) ?? "")?.finding).toBe("matched");
  expect((await shop.bank.payments()).map(({ reference }) => reference).sort()).toEqual(served.toSorted());
};

/** Confirms for one customer after the other, each with a fault of its own at this call. `served`, which `then` looks at, has all of them so far. */
const serveEach = async (
  { shop, till }: { readonly shop: Shop; readonly till: TillPage },
  served: string[],
  call: "confirm" | "link",
  cases: readonly Case[],
  then: () => Promise<void>,
): Promise<void> => {
  for (const { what, fault } of cases)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.08");
      served.push(id);
      shop.proxy.breakNext(`/transaction/${call}`, fault);
      await till.scan(id);
      await till.press(en.review.confirm);
      await then();
    });
};

const doneFaults: readonly Case[] = [
  { what: "the answer is lost", fault: "answer_lost" },
  { what: "the answer breaks off", fault: "answer_half" },
];

const undoneFaults: readonly Case[] = [
  { what: "an HTML page", fault: "html" },
  { what: "half a JSON", fault: "half_json" },
  { what: "nothing", fault: "nothing" },
  { what: "a cut connection", fault: "cut" },
  { what: "503", fault: { answer: { status: 503, body: { code: "unavailable" } } } },
];

const linkFaults = (["html", "nothing", "answer_lost", "cut"] as const).map((fault) => ({ what: fault, fault }));

test("the confirm is taken or not, but nobody hears: the till asks, and repeats under the same ids what was not; whatever the link meets, it is done for the cashier, delivered later, counted once", async ({
  openShop,
}) => {
  test.slow();
  const { shop, till } = await open(openShop);
  const served: string[] = [];
  await serveEach({ shop, till }, served, "confirm", doneFaults, async () => {
    await confirmedOnce(shop, till, ...served);
    expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(served.length);
  });
  await serveEach({ shop, till }, served, "confirm", undoneFaults, () => confirmedOnce(shop, till, ...served));
  const linked: string[] = [];
  const before = differentPosts(shop, "link");
  await serveEach({ shop, till }, linked, "link", linkFaults, async () => {
    const finding = async () => (await shop.bank.report()).get(linked.at(-1) ?? "")?.finding;
    await till.handOver();
    await till.shows("done");
    await till.shows("ready");
    await expect.poll(finding).toBe("matched");
    expect(differentPosts(shop, "link")).toEqual([...before, ...linked].sort());
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
  await till.shows("unknown");
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
