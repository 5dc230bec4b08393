/** What should never be scanned, pressed or pasted: each ends in a clear screen and sends nothing twice. */
import { isTransactionId, makeTransactionId } from "../../backend/contract/ids.ts";
import { en } from "../../renderer/locales/en.ts";
import { expect, type Shop, test } from "./stage/shop.ts";
import { handOutButton, type TillPage } from "./stage/till-page.ts";

const lookUps = (shop: Shop, id: string): number =>
  new Set(shop.proxy.seen.filter((request) => request.path === `/transaction?id=${id}`)).size;

/** The same id with one character changed: right length and alphabet, wrong check. */
const misread = (id: string): string => {
  const other = `${id.startsWith("A") ? "B" : "A"}${id.slice(1)}`;
  if (isTransactionId(other)) throw new Error("one wrong character must not pass the check");
  return other;
};

const ready = async (openShop: (options: { throughProxy: true }) => Promise<Shop>) => {
  const shop = await openShop({ throughProxy: true });
  const till = await shop.openTill();
  return { shop, till };
};

const garbage: readonly { readonly what: string; readonly text: (id: string) => string }[] = [
  { what: "an article number", text: () => "4006381333931" },
  { what: "a cut-off code", text: (id) => id.slice(0, 12) },
  { what: "a code with one wrong character", text: misread },
  { what: "two codes in one", text: (id) => id + id },
];

for (const { what, text } of garbage)
  test(`${what} is refused before any request`, async ({ openShop }) => {
    const { shop, till } = await ready(openShop);
    const { transaction_id: id } = await shop.bank.request("50.00");
    const before = shop.proxy.seen.length;
    await till.scan(text(id));
    await till.toast("not_an_id");
    await till.shows("ready");
    expect(shop.proxy.seen.slice(before).filter((request) => request.path.startsWith("/transaction?"))).toEqual([]);
    await till.scan(id);
    await till.shows("review");
  });

test("a code that does not exist has its own screen", async ({ openShop }) => {
  const { till } = await ready(openShop);
  await till.scan(makeTransactionId(crypto.getRandomValues(new Uint8Array(15))));
  await till.showsEnd("unknown_barcode");
  await till.tone("nothing");
  await till.press(en.ended.nextCustomer);
  await till.shows("ready");
});

test("the code of a finished withdrawal gives no cash a second time", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.08");
  await till.scan(id);
  await till.press(en.review.confirm);
  await till.handOver();
  await till.shows("done");
  await till.shows("ready");
  await till.scan(id);
  await expect(till.page.getByRole("heading", { level: 1 })).not.toHaveText(en.ready.title);
  await till.scansNoPayment();
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  expect(shop.proxy.posts("/transaction/link")).toHaveLength(1);
  expect(await shop.bank.payments()).toHaveLength(1);
});

test("one code scanned twice at once is looked up once", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.00");
  await till.scan(id);
  await till.scanAnywhere(id);
  await till.shows("review");
  expect(lookUps(shop, id)).toBe(1);
});

test("a second code while one is reviewed changes nothing", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const first = await shop.bank.request("50.00");
  const second = await shop.bank.request("70.00");
  await till.scan(first.transaction_id);
  await till.shows("review");
  await till.scanAnywhere(second.transaction_id);
  await till.toast("busy_review");
  await till.shows("review");
  await till.showsAmount("€50.00");
  expect(lookUps(shop, second.transaction_id)).toBe(0);
});

test("a scan while money is moving changes nothing", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const first = await shop.bank.request("50.00");
  const second = await shop.bank.request("70.00");
  await till.scan(first.transaction_id);
  await till.press(en.review.confirm);
  await till.shows("approval");
  await till.scanAnywhere(second.transaction_id);
  await till.toast("busy_money");
  await till.showsAmount("€50.00");
  expect(lookUps(shop, second.transaction_id)).toBe(0);
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
});

const pasted: readonly { readonly what: string; readonly text: (id: string) => string; readonly opens: boolean }[] = [
  { what: "NUL, escape and line ends around it", text: (id) => `\u0000\u001b${id}\r\n\t`, opens: true },
  {
    what: "right-to-left marks and zero-width blanks in it",
    text: (id) => `\u202e${id.slice(0, 8)}\u200b${id.slice(8)}`,
    opens: true,
  },
  { what: "markup", text: () => `<img src=x onerror="document.title='broken'">`, opens: false },
  { what: "100,000 characters", text: () => "A".repeat(100_000), opens: false },
];

for (const { what, text, opens } of pasted)
  test(`pasted text with ${what}`, async ({ openShop }) => {
    const { shop, till } = await ready(openShop);
    const { transaction_id: id } = await shop.bank.request("50.00");
    await till.press(en.ready.type);
    await till.paste(text(id));
    if (opens) {
      await till.press(en.entry.lookUp);
      await till.shows("review");
      return;
    }
    await till.shows("entry");
    await expect(till.button(en.entry.lookUp)).toBeDisabled();
    expect(await till.page.title()).not.toBe("broken");
    expect(shop.proxy.seen.filter((request) => request.path.startsWith("/transaction?"))).toEqual([]);
  });

test("Confirm pressed twice in one frame confirms once", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.00");
  await till.scan(id);
  await till.pressTwiceInOneFrame(en.review.confirm);
  await till.shows("approval");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
});

test("Confirm and Reject pressed in one frame do one of the two", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.00");
  await till.scan(id);
  await till.pressTwiceInOneFrame(en.review.confirm, en.review.reject);
  await till.shows("approval");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  expect(shop.proxy.posts("/transaction/reject")).toHaveLength(0);
});

test("two presses on the hand-out in one frame link once", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.08");
  await till.scan(id);
  await till.press(en.review.confirm);
  await till.shows("payable");
  await till.pressTwiceInOneFrame(handOutButton);
  await till.shows("done");
  await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  expect(shop.proxy.posts("/transaction/link")).toHaveLength(1);
});

const mash = async (till: TillPage, keys: readonly string[], untilTitle: string): Promise<void> => {
  const title = till.page.getByRole("heading", { level: 1, name: untilTitle, exact: true });
  // A screen stays closed to mashed keys for 1.5 s, which is a few hundred presses on a fast machine.
  const pressesMax = 4000;
  for (let count = 0; count < pressesMax && !(await title.isVisible()); count++)
    await till.page.keyboard.press(keys[count % keys.length] ?? "Enter");
};

test("keys mashed while the screen changes do not carry over to the next one", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.08");
  await till.scan(id);
  await till.shows("review");
  await mash(till, ["F9", "Enter", "a"], en.payable.title);
  await till.shows("payable");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  expect(shop.proxy.posts("/transaction/link")).toHaveLength(0);
  await till.handOver();
  await till.shows("done");
});
