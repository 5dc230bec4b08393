/** What the cashier and the customer see of the time for the approval is one instant (conventions, "Deadlines that people see"). */
import { expect, test } from "vitest";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import { scaPage } from "../../backend/sandbox/pages.ts";
import { sandboxTexts } from "../../backend/sandbox/texts.ts";
import { withdrawalPage } from "../../backend/websdk/pages/withdrawal.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { createRig, idNumber } from "./terminal/rig.ts";

const leftMs = (markup: string): number => Number(/role="timer"[^>]*data-left-ms="(\d+)"/.exec(markup)?.[1]);
const wholeMs = (markup: string): number => Number(/data-whole-ms="(\d+)"/.exec(markup)?.[1]);

test("terminal, customer's page and bank's page count to the same instant, and all end at nought", async () => {
  const till = await createRig();
  const order = till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  await till.send({ type: "confirm" });

  const phone = async (): Promise<string> =>
    String(
      await withdrawalPage({
        texts: en,
        row: {
          id: order.transaction_id,
          status: "awaiting_sca",
          reason: null,
          amount: 5_000,
          currency: "EUR",
          expires_at: Date.parse(String(order.expires_at)),
          sca_expires_at: Date.parse(String(order.sca_expires_at)),
          confirmed_at: Date.parse(String(order.confirmed_at)),
          linked_at: null,
        },
        isInDoubt: false,
        shopName: "Demo Shop",
        nowMs: till.clock.now(),
        brand: "Demo Bank",
        liveHref: "/live",
        cancelAction: "/cancel",
        againHref: null,
        backHref: null,
        scaHref: null,
      }),
    );
  const bank = async (): Promise<string> =>
    String(
      await scaPage({
        texts: en,
        own: sandboxTexts.en,
        transaction: { ...order, status: "awaiting_sca" } as never,
        hold: { shop: "Demo Shop", amount: 5_000, currency: "EUR" } as never,
        nowMs: till.clock.now(),
        action: "/sca",
        liveHref: "/live",
        backHref: null,
      }),
    );

  for (const passedMs of [0, 700, 12_000, 23_000]) {
    await till.clock.advance(passedMs);
    const screen = till.screen();
    if (screen.kind !== "waiting" || screen.countdown === null) throw new Error(`the terminal shows ${screen.kind}`);
    expect(leftMs(await phone())).toBe(screen.countdown.remainingMs);
    expect(leftMs(await bank())).toBe(screen.countdown.remainingMs);
    expect(wholeMs(await phone())).toBe(screen.countdown.totalMs);
  }
  await till.clock.advance(2_000);
  expect(till.screen().kind).not.toBe("waiting");
  for (const markup of [await phone(), await bank()])
    expect(markup).toContain(`data-soon-ms="${scaLastSeconds * 1000}"`);
  expect(leftMs(await phone())).toBe(0);
  expect(leftMs(await bank())).toBe(0);
});
