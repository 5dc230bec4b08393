/** What a second person is shown to agree to, in every language. */
import i18next from "i18next";
import { expect, test } from "vitest";
import { languages } from "../../../preload/choices.ts";
import type { Command, Snapshot } from "../../../preload/contract.ts";
import { approvalRequest } from "../../../renderer/people/pins.tsx";
import { textsOf } from "../../../renderer/texts/index.ts";

const money = { amount: "70.00", currency: "EUR" };
const snapshot = {
  screen: { kind: "counting", step: "s", money },
  header: { day: { kind: "open", number: 1, openForMs: 0, currency: "EUR" } },
} as unknown as Snapshot;
const count = { pieces: [{ valueMinor: 1_000, count: 2 }], otherMinor: 0 };
const move = {
  type: "move_cash",
  number: 1,
  amountMinor: 2_000,
  count,
  reason: "bank",
  note: "Bag 7",
  moveId: "m",
} as const;
const close: Command = { type: "close_day", number: 1, counts: 1, takeOut: count, reason: "", over: [] };
const asked: readonly (readonly [Command, string])[] = [
  [
    { type: "not_handed_out", step: "s", reason: "till_short" },
    "Not handed out · €70.00 · Not enough cash in the drawer",
  ],
  [{ type: "hand_out", step: "s" }, "Open drawer · €70.00"],
  [{ type: "open_drawer", step: "s" }, "Open again · €70.00"],
  [{ ...move, direction: "in" }, "Cash in · €20.00 · To or from the bank: Bag 7"],
  [{ ...move, direction: "out" }, "Cash out · €20.00 · To or from the bank: Bag 7"],
  [{ type: "no_sale", number: 1, reason: "change", note: "Coins" }, "Open drawer · Change: Coins"],
  [{ type: "no_sale", number: 1, reason: "change", note: "" }, "Open drawer · Change"],
  [{ type: "recount_day", number: 1, counts: 1 }, "Count again"],
  [close, "Take out and close · €20.00"],
  [{ type: "get_day", reveal: true }, "Show the expected sum"],
];

test.each(languages)("each command that wants a second person is named: %s", async (language) => {
  const i18n = i18next.createInstance();
  await i18n.init({ lng: language, resources: { [language]: { translation: await textsOf[language]() } } });
  const shown = asked.map(([command]) => approvalRequest(command, snapshot, i18n.t, language)?.subject ?? null);
  if (language === "en") expect(shown).toEqual(asked.map(([, text]) => text));
  expect(new Set(shown).size).toBe(asked.length);
  expect(shown.filter((text) => text === null || /undefined|\{\{|\.\w+\./.test(text))).toEqual([]);
  expect(approvalRequest(null, snapshot, i18n.t, language)).toBeNull();
  // Another withdrawal came to the screen under the dialog: its amount is not what the command is about.
  const before: Command = { type: "hand_out", step: "before" };
  expect(approvalRequest(before, snapshot, i18n.t, language)?.subject).not.toMatch(/70/);
});
