/**
 * Deliberate defects, so that the checker is known to see: each is the real terminal or service behind ports that
 * misbehave as a careless change would make it. The product has no switch for any of them.
 */

import type { Transport } from "../../main/terminal/ports.ts";
import {
  done,
  inBankCalls,
  inDatabase,
  inTill,
  inTransport,
  isLost,
  isSettle,
  isStart,
  lateJournal,
  otherAmounts,
  rewritten,
  transactionIn,
  withoutProblems,
} from "./defect-places.ts";
import type { Programs } from "./programs.ts";

export interface Defect {
  readonly name: string;
  /** What a change would have to do to bring it about. */
  readonly text: string;
  readonly programs: Programs;
}

export const defects: readonly Defect[] = [
  {
    name: "journal after send",
    text: "the till writes its journal when the answer has come, not before the request leaves",
    programs: inTill((ports) => {
      const { late, flush } = lateJournal(ports);
      const send: Transport["send"] = async (request) => {
        const answer = await ports.transport.send(request);
        flush();
        return answer;
      };
      return { journal: late, transport: { send } };
    }),
  },
  {
    name: "settle without the deadline check",
    text: "an approval is taken whenever it comes while the row still waits: no `deadline_at > now`, and an expiry is left to others",
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql.startsWith('update "withdrawals" set "status" = ?, "deadline_at" = ?') && values[0] === "settling"
            ? sql.replace('"deadline_at" > ?', "? is not null")
            : sql,
          values,
          keep,
        ),
    })),
  },
  {
    name: "link dropped on 500",
    text: "a link that gets no answer or a 5xx counts as told",
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return request.path === "/transaction/link" && isLost(answer) ? done : answer;
    }),
  },
  {
    name: "link given up after two silences",
    text: "a link that has got no answer or a 5xx twice counts as told; no single fault can show it",
    programs: inTransport((send) => {
      const lost = new Map<string, number>();
      return async (request) => {
        const answer = await send(request);
        if (request.path !== "/transaction/link" || !isLost(answer)) return answer;
        const count = (lost.get(transactionIn(request)) ?? 0) + 1;
        lost.set(transactionIn(request), count);
        return count >= 2 ? done : answer;
      };
    }),
  },
  {
    name: "link without the shop",
    text: "the UPDATE of a link does not ask for the merchant: a terminal of the same name in another shop links",
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql.startsWith('update "withdrawals"') && values[0] === "linked"
            ? sql.replace('"merchant_id" = ?', "? is not null")
            : sql,
          values,
          keep,
        ),
    })),
  },
  {
    name: "confirm retried with a new id",
    text: "each repeat of a confirm carries another `transaction_id_partner`",
    programs: inTransport((send) => {
      const tries = new Map<string, number>();
      return (request) => {
        if (request.path !== "/transaction/confirm") return send(request);
        const count = (tries.get(transactionIn(request)) ?? 0) + 1;
        tries.set(transactionIn(request), count);
        const body = request.body as { transaction_id_partner: string };
        const other = { ...body, transaction_id_partner: `${body.transaction_id_partner}.${count}` };
        return send(count === 1 ? request : { ...request, body: other });
      };
    }),
  },
  {
    name: "double delivery without dedupe",
    text: "each try of a Settle order has a `webhook-id` of its own, so the bank cannot drop repeats",
    programs: inBankCalls((transport) => {
      let count = 0;
      return (request) => {
        count += 1;
        const id = `${request.headers["webhook-id"]}_${count}`;
        return transport.post({ ...request, headers: { ...request.headers, "webhook-id": id } });
      };
    }),
  },
  {
    name: "settling taken for settled",
    text: "the till offers cash as soon as the order to pay is out",
    programs: inTransport(
      (send) => async (request) =>
        rewritten(await send(request), (body) => (body.status === "settling" ? { ...body, status: "settled" } : body)),
    ),
  },
  {
    name: "another till's confirm taken for one's own",
    text: "the till does not look at whose confirm the service took",
    programs: inTransport((send) => {
      const own = new Map<string, unknown>();
      return async (request) => {
        if (request.path === "/transaction/confirm")
          own.set(transactionIn(request), (request.body as { transaction_id_partner: string }).transaction_id_partner);
        return rewritten(await send(request), (body) => {
          const id = own.get(String(body.transaction_id));
          return id !== undefined && body.transaction_id_partner !== null
            ? { ...body, transaction_id_partner: id }
            : body;
        });
      };
    }),
  },
  {
    name: "reject without an answer taken for done",
    text: "the till frees itself when its reject times out, whatever became of the customer's approval",
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return request.path === "/transaction/reject" && isLost(answer) ? done : answer;
    }),
  },
  {
    name: "recovery without a journal",
    text: "a till that starts again begins with an empty head",
    programs: inTill(({ journal }) => ({ journal: { ...journal, read: () => ({ entries: [], damaged: [] }) } })),
  },
  {
    name: "recovery from the checkpoint alone",
    text: "a till that starts again does not read what was written after its last checkpoint",
    programs: inTill(({ journal }) => ({
      journal: {
        ...journal,
        read: (latest) => {
          const { entries, damaged } = journal.read(latest);
          const all = [...entries];
          const isCheckpoint = all[0]?.body.startsWith('{"type":"checkpoint"') ?? false;
          return { entries: isCheckpoint ? all.slice(0, 1) : all, damaged };
        },
      },
    })),
  },
  {
    name: "calls without a time-out",
    text: "the till waits for an answer as long as it takes",
    programs: inTransport((send) => (request) => send({ ...request, timeoutMs: 3_600_000 })),
  },
  {
    name: "drawer opened again after silence",
    text: "a drawer that does not answer is told to open once more, and nobody pressed for it",
    programs: inTill(({ drawer }) => ({
      drawer: {
        ...drawer,
        open: async () => {
          const result = await drawer.open();
          return result === "unknown" ? drawer.open() : result;
        },
      },
    })),
  },
  {
    name: "awaiting approval taken for denied",
    text: "the terminal shows a customer who has not answered yet as one who has denied",
    programs: inTransport(
      (send) => async (request) =>
        rewritten(await send(request), (body) =>
          body.status === "awaiting_sca" && request.method === "GET"
            ? { ...body, status: "canceled", reason: "sca_denied" }
            : body,
        ),
    ),
  },
  {
    name: "problems left out of the checkpoint",
    text: "the service names other amounts; what nobody has explained yet is gone from the header after the next start",
    programs: inTill((ports) => ({ ...otherAmounts(ports), journal: withoutProblems(ports.journal) })),
  },
  {
    name: "hold as short as the approval",
    text: "the bank is asked to hold the money for 40 s from the order, and not until the last approval that counts",
    programs: inBankCalls((transport) => (request) => {
      if (!isStart(request.url)) return transport.post(request);
      const order = JSON.parse(request.body) as { dateOfTransaction: string };
      const expiryTimeOfTheOrder = new Date(Date.parse(order.dateOfTransaction) + 40_000).toISOString();
      return transport.post({ ...request, body: JSON.stringify({ ...order, expiryTimeOfTheOrder }) });
    }),
  },
  {
    name: "the bank's silence taken for a no",
    text: "a Settle order without an answer closes the withdrawal as failed",
    programs: inBankCalls(
      (transport) => (request) =>
        transport.post(request).catch((error: unknown) => {
          if (!isSettle(request.url) || !(error instanceof Error) || error.message !== "timeout") throw error;
          return { status: 200, body: JSON.stringify({ status: "declined" }) };
        }),
    ),
  },
  {
    name: "Settle order outside the commit",
    text: "the outbox row is written a moment after the move to `settling`, and only by the process that made it",
    programs: inDatabase((engine, { clock }) => ({
      query: (sql, values, keep) => {
        if (!sql.startsWith('insert into "outbox"')) return engine.query(sql, values, keep);
        clock.after(20, () => {
          if (!engine.inTransaction()) engine.query(sql, values, keep);
        });
        return { rows: [], changes: 1 };
      },
    })),
  },
];
