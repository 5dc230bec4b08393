/** What a till's journal says it did, withdrawal by withdrawal. */
import { parseAmount } from "../../backend/contract/money.ts";
import { durableEventSchema } from "../../main/terminal/events.ts";
import type { JournalAccount } from "./evidence.ts";
import type { TillMachine } from "./till.ts";

export const readAccounts = (till: TillMachine): readonly JournalAccount[] => {
  const accounts = new Map<string, JournalAccount>();
  for (const body of till.written) {
    const parsed = durableEventSchema.safeParse(JSON.parse(body));
    if (!parsed.success || !("of" in parsed.data)) continue;
    const { type, of } = parsed.data;
    const before = accounts.get(of.withdrawalId);
    accounts.set(of.withdrawalId, {
      till: till.index,
      transactionId: of.transactionId,
      amountMinor: parseAmount(of.amount, of.currency),
      handedOut: type === "handed_out" || (before?.handedOut ?? false),
      open: false,
    });
  }
  const header = till.snapshot?.header;
  for (const open of header?.open ?? []) {
    const account = accounts.get(open.withdrawalId);
    if (account) accounts.set(open.withdrawalId, { ...account, open: true });
  }
  return [...accounts.values()];
};
