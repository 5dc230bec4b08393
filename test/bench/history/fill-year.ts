/** Writes this year’s withdrawals, from its first day to now, into a terminal's own journal, under its own keys, as the terminal writes them. */
import path from "node:path";
import { openJournalKeys } from "../../../main/host/secrets.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { seededRandom } from "../../random.ts";

const batch = 500;
const transactionOf = (number: number): string => `7F3K${String(number).padStart(12, "0")}`;

const entriesOf = (number: number, fraction: number): readonly object[] => {
  const of = {
    withdrawalId: `01JD${String(number).padStart(22, "0")}`,
    transactionId: transactionOf(number),
    partnerId: `till-1.7k3f9q.01JD${String(number).padStart(22, "0")}`,
    amount: `${Math.ceil(fraction * 50) * 10}.00`,
    currency: "EUR",
    shop: "demo-shop",
  };
  const cashier = fraction < 0.5 ? "C2" : "C3";
  const begun = { type: "confirm_intended", of, actor: cashier, sinceScanMs: 2_000 + Math.round(fraction * 9_000) };
  const accepted = { type: "confirm_accepted", of, status: "awaiting_sca", actor: "terminal" };
  if (fraction > 0.93) return [begun, accepted, { type: "closed", of, outcome: "sca_timeout", actor: "terminal" }];
  return [
    begun,
    accepted,
    { type: "settled", of, actor: "terminal" },
    { type: "hand_out_intended", of, approvedBy: null, actor: cashier },
    { type: "drawer_opened", of, actor: "terminal" },
    { type: "handed_out", of, by: "cashier", actor: cashier },
    { type: "report_accepted", of, report: "link", actor: "terminal" },
  ];
};

/** @param folder the terminal's, with its journal and its keys; nothing else may run on it. */
export const fillYear = async (folder: string, withdrawals: number): Promise<void> => {
  const file = path.join(folder, "journal.db");
  const journal = openJournal(file, Date.now(), "write", openNodeDatabase, await openJournalKeys(folder, null));
  const random = seededRandom(1);
  const nowMs = Date.now();
  const startMs = new Date(new Date(nowMs).getFullYear(), 0, 1).getTime();
  const waiting: string[] = [];
  for (let number = 0; number < withdrawals; number++) {
    const atMs = startMs + ((nowMs - startMs) * number) / withdrawals;
    waiting.push(...entriesOf(number, random()).map((entry) => JSON.stringify(entry)));
    if (waiting.length < batch && number < withdrawals - 1) continue;
    journal.append(atMs, waiting.splice(0));
  }
  journal.close();
};
