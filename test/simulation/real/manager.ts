/** The manager of the real till and the accountant of its bank: they read books and report while everything is killed around them. */
import type { BooksView, Command, Reply } from "../../../preload/contract.ts";
import { type ReportPast, readReportPast } from "../read-past.ts";
import type { Watch } from "../watch.ts";
import { pause } from "./paced-clock.ts";
import { bankCredential, type Shop } from "./shop.ts";

const pin = "482915";
const everyMs = 700;
const triesMax = 200;

/** One who has a PIN. */
export interface Manager {
  /** Sets the first PIN. */
  begin(): Promise<void>;
  /** Signs in, however long it takes. */
  signIn(): Promise<void>;
  /** Reads both again and again until it is stopped. */
  readOn(): { stop(): Promise<void> };
  /** How often each was read. */
  readonly reads: { readonly books: number; readonly reports: number };
}

/** The bank's whole report over HTTP. */
export const readReportOf = (url: string): Promise<ReportPast> =>
  readReportPast(
    (sent) => fetch(sent.url, { method: sent.method, headers: sent.headers, body: sent.body }),
    url,
    bankCredential,
  );

/** What does not hold at the moment of reading is reported to `watch`. */
export const createManager = ({
  shop,
  watch,
  isPaid,
}: {
  readonly shop: Shop;
  readonly watch: Watch;
  readonly isPaid: (transactionId: string) => boolean;
}): Manager => {
  const reads = { books: 0, reports: 0 };
  const insist = async (command: Command): Promise<void> => {
    let last: Reply | null = null;
    for (let tries = 0; tries < triesMax; tries++) {
      last = await shop.till.dispatch(command);
      if (last?.ok) return;
      await pause(everyMs);
    }
    throw new Error(`the till refuses ${command.type}: ${JSON.stringify(last)}`);
  };
  const signIn = (): Promise<void> => insist({ type: "sign_in", person: "M1", pin, as: "manager" });

  const readBooks = async (): Promise<void> => {
    const day = new Date().toISOString().slice(0, 10);
    const ask: Command = { type: "get_books", from: day, to: day };
    let reply = await shop.till.dispatch(ask);
    if (reply?.ok === false) {
      await shop.till.dispatch({ type: "sign_in", person: "M1", pin, as: "manager" });
      reply = await shop.till.dispatch(ask);
    }
    if (!reply?.ok) return;
    const { totals } = reply.data as BooksView;
    reads.books += 1;
    const handedOut = totals.reduce((sum, { here }) => sum + here.sumMinor, 0);
    const given = watch.cash.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    if (handedOut > given) watch.report(11, "", `the books have ${handedOut} handed out, ${given} were given`);
  };
  const readReport = async (): Promise<void> => {
    const { lines } = await readReportOf(shop.service.url);
    reads.reports += 1;
    for (const { finding, transaction_id: id } of lines)
      if (finding === "matched" && !(isPaid(String(id)) && watch.wasGiven(String(id))))
        watch.report(11, String(id), "matched in the report, and not both paid and given");
  };

  return {
    reads,
    signIn,
    begin: () => insist({ type: "set_manager_pin", name: "Manager", pin }),
    readOn() {
      let goesOn = true;
      const running = (async () => {
        while (goesOn) {
          // Whatever was killed just now gives no answer.
          await readBooks().catch(() => {});
          await readReport().catch(() => {});
          await pause(everyMs);
        }
      })();
      return {
        stop: () => {
          goesOn = false;
          return running;
        },
      };
    },
  };
};
