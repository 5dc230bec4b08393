/** What should never be scanned, pressed or pasted: each ends in a clear screen and sends nothing twice. */
import { isTransactionId, makeTransactionId } from "../../backend/contract/ids.ts";
import { asUs, foreignLayouts } from "../../renderer/scan/keyboard/interpret.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { expect, type Shop, test } from "./stage/shop.ts";
import { handOutButton, type TillPage } from "./stage/till-page.ts";

const lookUps = (shop: Shop, id: string): number =>
  new Set(shop.proxy.seen.filter((request) => request.path === `/transaction?id=${id}`)).size;

/**
 * The same id with one character changed: right length and alphabet, wrong check. Not every such text: where it has a Y or a Z, one in
 * thirty is an id again as a scanner types it under a German layout, and is looked up.
 */
const misread = (id: string): string => {
  const isRefused = (text: string) =>
    foreignLayouts.every((layout) => !isTransactionId(asUs(text, layout).toUpperCase()));
  const others = [..."ABCDEFGH"].filter((first) => !id.startsWith(first)).map((first) => first + id.slice(1));
  if (others.some(isTransactionId)) throw new Error("one wrong character must not pass the check");
  return others.find(isRefused) ?? "no such text";
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
  // The first one is no id: a machine that hangs for a moment behind a whole one takes what has come for the scan.
  { what: "two codes in one", text: (id) => misread(id) + id },
];

/** Back to Ready for the next customer, with nothing confirmed. */
const turnAway = async (till: TillPage): Promise<void> => {
  await till.press(en.review.reject);
  await till.showsEnd("rejected");
  await till.press(en.ended.nextCustomer);
  await till.shows("ready");
};

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

test("what is no code of a withdrawal is refused before any request, and pasted text opens a withdrawal or nothing", async ({
  openShop,
}) => {
  const { shop, till } = await ready(openShop);
  for (const { what, text } of garbage)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.00");
      const before = shop.proxy.seen.length;
      await expect(till.page.getByText(en.toasts.not_an_id)).toBeHidden();
      await till.scan(text(id));
      await till.toast("not_an_id");
      await till.shows("ready");
      expect(shop.proxy.seen.slice(before).filter((request) => request.path.startsWith("/transaction?"))).toEqual([]);
      await till.scan(id);
      await till.shows("review");
      await turnAway(till);
    });

  const asked = () => shop.proxy.seen.filter((request) => request.path.startsWith("/transaction?")).length;
  for (const { what, text, opens } of pasted)
    await test.step(what, async () => {
      const { transaction_id: id } = await shop.bank.request("50.00");
      const before = asked();
      await till.press(en.ready.type);
      await till.paste(text(id));
      if (opens) {
        await till.press(en.entry.lookUp);
        await till.shows("review");
        await turnAway(till);
        return;
      }
      await till.shows("entry");
      await expect(till.button(en.entry.lookUp)).toBeDisabled();
      expect(await till.page.title()).not.toBe("broken");
      expect(asked()).toBe(before);
      await till.press(en.entry.back);
      await till.shows("ready");
    });
});

test("a code that does not exist has its own screen, and one that is finished gives no cash a second time", async ({
  openShop,
}) => {
  const { shop, till } = await ready(openShop);
  await till.scan(makeTransactionId(crypto.getRandomValues(new Uint8Array(15))));
  await till.showsEnd("unknown_barcode");
  await till.tone("nothing");
  await till.press(en.ended.nextCustomer);
  await till.shows("ready");

  const { transaction_id: id } = await shop.bank.request("50.08");
  await till.scan(id);
  await till.scanAnywhere(id);
  await till.shows("review");
  expect(lookUps(shop, id), "scanned twice at once, looked up once").toBe(1);
  await till.press(en.review.confirm);
  await till.handOver();
  await till.shows("done");
  await till.shows("ready");

  await till.scan(id);
  await till.showsEnd("already_used");
  await till.scansNoPayment();
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  expect(shop.proxy.posts("/transaction/link")).toHaveLength(1);
  expect(await shop.bank.payments()).toHaveLength(1);
});

test("buttons pressed twice in one frame do one thing once", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.08");
  await till.scan(id);
  await till.pressTwiceInOneFrame(en.review.confirm);
  await till.shows("payable");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  await till.pressTwiceInOneFrame(handOutButton);
  await till.shows("done");
  await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  expect(shop.proxy.posts("/transaction/link")).toHaveLength(1);

  const { transaction_id: next } = await shop.bank.request("50.00");
  await till.scan(next);
  await till.pressTwiceInOneFrame(en.review.confirm, en.review.reject);
  await till.shows("approval");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(2);
  expect(shop.proxy.posts("/transaction/reject")).toHaveLength(0);
});

/** Until a screen is there and a second longer, by the page's clock, so that a slow machine mashes no slower. */
const mash = async ({ page }: TillPage, keys: readonly string[], untilTitle: string): Promise<void> => {
  const title = page.getByRole("heading", { level: 1, name: untilTitle, exact: true });
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  const pressesMax = 500;
  for (let [count, more] = [0, 16]; more > 0 && count < pressesMax; count++) {
    if (await title.isVisible()) more -= 1;
    const key = keys[count % keys.length] ?? "Enter";
    await page.keyboard.down(key);
    // As long as a hand holds a key; quicker ones are a scanner's.
    await page.clock.runFor(50);
    await page.keyboard.up(key);
    await page.clock.runFor(10);
  }
  // Hands off for a moment.
  await page.clock.runFor(500);
  await page.clock.resume();
};

test("keys mashed while the screen changes do not carry over to the next one", async ({ openShop }) => {
  const { shop, till } = await ready(openShop);
  const { transaction_id: id } = await shop.bank.request("50.08");
  await till.page.clock.install();
  await till.scan(id);
  await till.shows("review");
  await mash(till, ["F9", "Enter", "a"], en.payable.title);
  await till.shows("payable");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  expect(shop.proxy.posts("/transaction/link")).toHaveLength(0);
  await till.handOver();
  await till.shows("done");
});
