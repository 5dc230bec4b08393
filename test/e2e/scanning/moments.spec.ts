/** A scan in each state of a withdrawal, on the real programs: it counts where the till is ready for it, and never while money moves. */
import { setTimeout } from "node:timers/promises";
import { makeEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { openPart } from "../gallery/overlays.ts";
import { chooseWay, managerPin, setManagerPin } from "../stage/set-up.ts";
import { expect, type Shop, test } from "../stage/shop.ts";
import type { ScreenName, TillPage } from "../stage/till-page.ts";
import { scanInTurnWithUsb } from "../stage/usb-scanner.ts";

interface Customers {
  readonly first: string;
  readonly second: string;
}

const openWithTwo = async (
  openShop: (options: { throughProxy: true; holds: true }) => Promise<Shop>,
  amount: string,
) => {
  const shop = await openShop({ throughProxy: true, holds: true });
  const [first, second] = await Promise.all([shop.bank.request(amount), shop.bank.request("70.00")]);
  const till = await shop.openTill();
  await till.shows("ready");
  return { shop, till, first: first.transaction_id, second: second.transaction_id };
};

const asksAbout = (shop: Shop, id: string) =>
  shop.proxy.seen.filter(({ path, body }) => path.includes(id) || body.includes(id));

/** The second customer pushes in: the screen stays, its toast says why, and the service hears nothing. */
const isRefused = async (
  { shop, till, second }: Customers & { shop: Shop; till: TillPage },
  screen: ScreenName,
  toast: Parameters<TillPage["toast"]>[0],
): Promise<void> => {
  await till.shows(screen);
  await till.scanAnywhere(second);
  await till.toast(toast);
  await till.shows(screen);
  expect(asksAbout(shop, second)).toEqual([]);
};

/** It counts: the second customer's amount is asked about. */
const isTaken = async ({ till, second }: Customers & { till: TillPage }): Promise<void> => {
  await till.scanAnywhere(second);
  await till.shows("review");
  await till.showsAmount("€70.00");
};

test("from the look-up to the hand-out: refused until it is done, then taken", async ({ openShop }) => {
  const all = await openWithTwo(openShop, "50.00");
  const { shop, till, first } = all;
  const lookedUp = shop.hold("/transaction?");
  await till.scan(first);
  await isRefused(all, "lookingUp", "busy_lookup");
  lookedUp();
  await isRefused(all, "review", "busy_review");
  await till.showsAmount("€50.00");
  const confirmed = shop.hold("/transaction/confirm");
  await till.press(en.review.confirm);
  await isRefused(all, "confirming", "busy_money");
  confirmed();
  await isRefused(all, "approval", "busy_money");
  await till.showsAmount("€50.00");
  expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
  expect(await shop.bank.decideSca(first, "approved")).toBe(201);
  await isRefused(all, "payable", "busy_money");
  await till.press(en.payable.notHandedOut);
  await till.scanAnywhere(all.second);
  await expect(till.page.getByRole("dialog")).toBeVisible();
  await till.press(en.notHandedOut.back);
  await till.press(en.payable.okByHand);
  await till.shows("done");
  expect(asksAbout(shop, all.second)).toEqual([]);
  await isTaken(all);
  await expect.poll(async () => (await shop.bank.report()).get(first)?.finding).toBe("matched");
});

test("while the bank pays, and while the drawer does not open", async ({ openShop }) => {
  const all = await openWithTwo(openShop, "20.00");
  const { shop, till, first } = all;
  await till.press(en.header.manager);
  await till.page.getByLabel(en.people.pin, { exact: true }).fill(managerPin);
  await till.press(en.people.ok);
  await openPart(till.page, "devices", en.settings.drawer);
  await till.page.getByLabel(en.settings.drawer).selectOption("network");
  await till.page.getByLabel(en.settings.host).fill("127.88.77.66");
  const port = till.page.getByRole("textbox", { name: en.settings.port });
  await port.fill("9109");
  await till.scanAnywhere(all.second);
  await expect(till.page.getByText(en.manager.scanning)).toBeVisible();
  await expect(port).toHaveValue("9109");
  await till.press(en.manager.close);
  await till.scan(first);
  await till.press(en.review.confirm);
  await till.shows("approval");
  const paid = shop.hold(`/transaction?id=${first}&wait=20&status=settling`);
  expect(await shop.bank.decideSca(first, "approved")).toBe(201);
  await isRefused(all, "payment", "busy_money");
  paid();
  await till.press(en.payable.ok);
  await isRefused(all, "drawerFailed", "busy_money");
  await till.press(en.opening.handedOut);
  await till.shows("done");
  await isTaken(all);
});

test("while a withdrawal is rejected, and after its end", async ({ openShop }) => {
  const all = await openWithTwo(openShop, "50.00");
  const { shop, till, first } = all;
  await till.scan(first);
  await till.press(en.review.confirm);
  await till.shows("approval");
  const rejected = shop.hold("/transaction/reject");
  await till.press(en.waiting.reject);
  await isRefused(all, "closing", "busy_money");
  rejected();
  await till.showsEnd("rejected");
  await isTaken(all);
});

test("while it is not known whether money moved: refused in front, taken for the next customer", async ({
  openShop,
}) => {
  const all = await openWithTwo(openShop, "50.08");
  const { shop, till, first } = all;
  await till.scan(first);
  await till.shows("review");
  shop.proxy.breakWith(({ path, body }) => {
    if (!path.includes(first) && !body.includes(first)) return null;
    // The service is there, and says so: without any answer the till would go offline again with each repeat.
    return path === "/transaction/confirm" ? "answer_lost" : { answer: { status: 503, body: { code: "unavailable" } } };
  });
  await till.press(en.review.confirm);
  await till.shows("unknown");
  await isRefused(all, "unknown", "busy_money");
  await till.press(en.unknown.nextCustomer);
  await till.shows("ready");
  await isTaken(all);
});

test("on the set-up form: nothing is asked, nothing is left in it", async ({ openShop }) => {
  const shop = await openShop({ throughProxy: true, enrolled: false });
  const { transaction_id: id } = await shop.bank.request("50.00");
  const till = await shop.openTill();
  await till.shows("setup");
  await chooseWay(till.page, "byKey");
  const field = till.page.getByLabel(en.setup.secret, { exact: true });
  await field.fill("s3cret");
  for (const end of ["Enter", "Tab"] as const) await till.scanAnywhere(id, { msPerKey: 5, end });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("s3cret");
  await till.shows("connect");
  expect(shop.proxy.seen).toEqual([]);
});

test("the provider's code on the first step of the set-up waits for the manager's PIN, then connects by itself", async ({
  openShop,
}) => {
  const shop = await openShop({ throughProxy: true, enrolled: false });
  const till = await shop.openTill();
  await till.shows("setup");
  await till.scanAnywhere(makeEnrolmentLink({ serviceUrl: shop.proxy.url, code: "F1M06XYERJMT" }));
  await setManagerPin(till.page);
  await till.shows("connect");
  await expect(till.page.getByText(en.connection.codeUsed)).toBeVisible();
  await expect(till.page.getByLabel(en.setup.code)).toHaveValue("F1M06XYERJMT");
  await expect(till.page.getByLabel(en.setup.serviceUrl)).toHaveValue(shop.proxy.url);
});

test("two codes 60 ms apart: the first one counts, the second is refused", async ({ openShop }) => {
  const { shop, till, first, second } = await openWithTwo(openShop, "50.00");
  const lookedUp = shop.hold("/transaction?");
  // The browser sends the two over connections of their own, of which the first one is slower.
  let requests = 0;
  await till.page.route("**/bridge/dispatch", async (route) => {
    requests += 1;
    if (requests === 1) await setTimeout(500);
    await route.continue();
  });
  await scanInTurnWithUsb(till.page, [first, second], { msPerKey: 5, end: "Enter" }, 60);
  await till.toast("busy_lookup");
  lookedUp();
  await till.shows("review");
  await till.showsAmount("€50.00");
  expect(asksAbout(shop, second)).toEqual([]);
});
