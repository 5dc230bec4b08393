/** Careless changes to what people read of the past: history, books, figures, files. */
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import type { Defect } from "./defect.ts";
import { inTill, inTransport, rewritten, transactionIn } from "./defect-places.ts";
import { atTwoTills, everybody } from "./worlds.ts";

type Line = Readonly<Record<string, unknown>>;

const reportPath = "/ext/v1/reconciliation";

/** The service's report with each of its lines changed. */
const withLines = (answer: ServiceAnswer, change: (line: Line) => Line): ServiceAnswer => {
  if (answer.kind !== "answer" || answer.status !== 200) return answer;
  const body = answer.body as { readonly lines: readonly Line[] };
  return { ...answer, body: { ...body, lines: body.lines.map(change) } };
};

const isEighth = (id: unknown): boolean => String(id).charCodeAt(3) % 8 === 0;
const inFrancs = <T extends object>(one: T): T => ({ ...one, currency: "CHF" });
const yearEndsAt = Date.UTC(2026, 0, 1);

/** Found by promise 11, or by one that looks earlier. */
export const pastDefects: readonly Defect[] = [
  {
    name: "books paired by the transaction alone",
    text: "the books ask neither which device nor which reference a line of the report has",
    firstSeed: 10,
    world: [atTwoTills],
    programs: inTill(({ transport, secrets }) => {
      const own = new Map<string, unknown>();
      return {
        transport: {
          send: async (request) => {
            const body = request.body as { readonly transaction_id_partner?: string } | undefined;
            if (request.path === "/transaction/confirm") own.set(transactionIn(request), body?.transaction_id_partner);
            const answer = await transport.send(request);
            if (!request.path.startsWith(reportPath)) return answer;
            return withLines(answer, (line) => {
              const reference = own.get(String(line.transaction_id)) ?? line.transaction_id_partner;
              return { ...line, device_id: secrets.load()?.deviceId, transaction_id_partner: reference };
            });
          },
        },
      };
    }),
  },
  {
    name: "money that is due back agrees",
    text: "the books take what was paid and not handed out for closed",
    firstSeed: 7,
    world: [everybody({ cashier: "declares" })],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return request.path.startsWith(reportPath)
        ? withLines(answer, (line) => (line.finding === "undelivered" ? { ...line, finding: "closed" } : line))
        : answer;
    }),
  },
  {
    name: "amounts in another currency agree",
    text: "the till and its books compare the digits of an amount, and take the currency for the shop's",
    firstSeed: 7,
    world: [],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      if (!request.path.startsWith(reportPath))
        return rewritten(answer, (body) => (isEighth(body.transaction_id) ? inFrancs(body) : body));
      return withLines(answer, (line) => (isEighth(line.transaction_id) ? inFrancs(line) : line));
    }),
  },
  {
    name: "the year's history alone",
    text: "history, figures and books begin with the first entry of this year",
    firstSeed: 16,
    world: [],
    programs: inTill(({ journal }) => ({
      journal: {
        ...journal,
        readSlice: (from, limit) => {
          const slice = journal.readSlice(from, limit);
          return { ...slice, entries: slice.entries.filter(({ at }) => at >= yearEndsAt) };
        },
      },
    })),
  },
];
