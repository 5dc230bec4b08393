/** What a line of the books says about a side that nothing is known of. */
import i18next from "i18next";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { BookLine } from "../../../preload/contract.ts";
import { BookLines } from "../../../renderer/history/period-page.tsx";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };

await i18next.init({ lng: "en", resources: { en: { translation: en } } });

const line: BookLine = {
  transactionId: "7F3K9Q2M4XJ8A1WN",
  terminalReference: "till-1.1",
  at: "2026-11-22T08:00:00Z",
  explanation: "unclear_here",
  noted: "unclear",
  cleared: null,
  here: { withdrawalId: "w-1", outcome: "unclear", money: { amount: "150.00", currency: "EUR" } },
  there: null,
};

const shown = (hasService: boolean): string =>
  renderToStaticMarkup(<BookLines lines={[line]} hasService={hasService} />);

test("only a service that was asked is said not to know a withdrawal", () => {
  expect(shown(true)).toContain(en.books.unknownThere);
  expect(shown(false)).not.toContain(en.books.unknownThere);
  expect(shown(false)).toContain(en.books.explain.unclear_here);
});
