/** Who did it is in every entry of the journal, in the list of withdrawals, and as a code with what the service is told. */
import { expect, test } from "vitest";
import type { HistoryLine } from "../../../preload/contract.ts";
import { commands } from "../../every-command.ts";
import { idNumber } from "../terminal/rig.ts";
import { type Counter, openCounter, openShop, settle, signInRule } from "./stage.ts";

const id = idNumber(1);
const drawer = { kind: "none" } as const;
const people = { ...signInRule, lockAfterMinutes: 60 };

const shopOf = async (): Promise<Counter> => {
  const shop = await openShop({ settings: { drawer, people } }, 1);
  await shop.signIn("C2");
  return shop;
};
const lineOf = async (shop: Counter): Promise<HistoryLine | undefined> => {
  await shop.signIn("M1");
  const reply = await shop.press({ type: "list_history", before: null, limit: 10 });
  return (reply as { data: HistoryLine[] }).data[0];
};

test("every command of every kind leaves entries that name somebody, and never a name of a person", async () => {
  const shop = await shopOf();
  await shop.signIn("M1");
  await settle(shop);
  for (const command of Object.values(commands)) {
    if (["sign_out", "remove_person", "switch_purpose"].includes(command.type)) continue;
    await shop.press(command);
    await shop.till.clock.advance(100);
  }
  const written = shop.entries().filter(({ type }) => type !== "checkpoint");
  expect(written.length).toBeGreaterThan(10);
  for (const entry of written) expect(entry.actor, JSON.stringify(entry)).toMatch(/^([MC]\d+|counter|terminal)$/);
  expect(JSON.stringify(written)).not.toMatch(/Ida|Cashier 0/);
});

const handOutId = expect.any(String);
const journalHead = expect.any(Object);

test("the link carries the cashier's code, and the list of withdrawals shows it", async () => {
  const shop = await shopOf();
  await settle(shop);
  await shop.press({ type: "hand_out" });
  await shop.till.clock.advance(100);
  expect(shop.till.service.calls("/transaction/link").map(({ body }) => body)).toEqual([
    { transaction_id: id, hand_out_id: handOutId, cashier: "C2", journal_head: journalHead },
  ]);
  expect(await lineOf(shop)).toMatchObject({ outcome: "handed_out", people: ["C2"] });
});

test("every entry names who did it, also who pressed before the service was asked, or that it followed by itself", async () => {
  const shop = await shopOf();
  await settle(shop);
  await shop.till.clock.advance(60_000);
  await shop.press({ type: "hand_out" });
  await shop.till.clock.advance(100);
  expect(shop.entries().map(({ type, actor }) => `${type} ${actor}`)).toEqual([
    "book_opened terminal",
    "act C2",
    "confirm_intended C2",
    "confirm_accepted terminal",
    "settled terminal",
    "hand_out_intended C2",
    "handed_out C2",
    "report_accepted terminal",
  ]);
});

test("a link that is sent after a restart names whoever handed out, not whoever is here now", async () => {
  const shop = await shopOf();
  await settle(shop);
  shop.till.service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
  await shop.press({ type: "hand_out" });
  const next = await shop.restart();
  next.till.service.fault = () => null;
  await next.till.clock.advance(60_000);
  expect(next.till.service.calls("/transaction/link").at(-1)?.body).toEqual({
    transaction_id: id,
    hand_out_id: handOutId,
    cashier: "C2",
    journal_head: journalHead,
  });
});

test("'not handed out' carries the code as well", async () => {
  const shop = await shopOf();
  await settle(shop);
  await shop.press({ type: "not_handed_out", reason: "customer_left" });
  await shop.till.clock.advance(100);
  const sent = shop.till.service.calls("undelivered").map(({ body }) => body);
  expect(sent).toEqual([{ reason: "customer_left", cashier: "C2", journal_head: journalHead }]);
});

test("where nobody signs in the service is told of nobody", async () => {
  const shop = await openCounter({ settings: { drawer } });
  await settle(shop);
  await shop.press({ type: "hand_out" });
  await shop.till.clock.advance(100);
  expect(shop.till.service.calls("/transaction/link").map(({ body }) => body)).toEqual([
    { transaction_id: id, hand_out_id: handOutId, journal_head: journalHead },
  ]);
});
