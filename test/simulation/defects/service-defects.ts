/** Careless changes to the service. */
import { copiedAtSetting, restoredFromSetting } from "../../../backend/store/restores.ts";
import { realPrograms } from "../programs.ts";
import type { Defect } from "./defect.ts";
import { inBankCalls, inDatabase, isEvent, isSettle, isStart } from "./defect-places.ts";
import {
  everybody,
  failover,
  failoverUnsaid,
  fleet,
  inYen,
  often,
  putBack,
  putBackTwice,
  served,
  silentBank,
  turn,
} from "./worlds.ts";

const taken = { status: 200, body: "" };

/** Each must be caught by the checker. */
export const serviceDefects: readonly Defect[] = [
  {
    name: "settle without the deadline check",
    text: "an approval is taken whenever it comes while the row still waits: no `deadline_at > now`, and an expiry is left to others",
    firstSeed: 5,
    world: [everybody({ customer: "approves_late" })],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql.startsWith(`update "withdrawals" set "status" = 'settling', "deadline_at" = null`)
            ? sql.replace('"deadline_at" > ?', "? is not null")
            : sql,
          values,
          keep,
        ),
    })),
  },
  {
    name: "link without the shop",
    text: "the UPDATE of a link does not ask for the merchant: a terminal of the same name in another shop links",
    firstSeed: 2,
    world: [],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql.startsWith(`update "withdrawals" set "status" = 'linked'`)
            ? sql.replace('"merchant_id" = ?', "? is not null")
            : sql,
          values,
          keep,
        ),
    })),
  },
  {
    name: "an operator's word of the cash is the last",
    text: "what a terminal reports otherwise than an operator had decided is noted, and is no dispute",
    world: null,
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql.replace("coalesce(disputed_at, cast(? as bigint))", "case when ? is null then null end"),
          values,
          keep,
        ),
    })),
  },
  {
    name: "double delivery without dedupe",
    text: "each try of a Settle order has a `webhook-id` of its own, so the bank cannot drop repeats",
    firstSeed: 5,
    world: [silentBank],
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
    name: "two digits for every currency",
    text: "a Start order names its amount with two minor digits, also where the currency has none or three",
    firstSeed: 22,
    world: [inYen],
    programs: inBankCalls((transport) => (request) => {
      if (!isStart(request.url)) return transport.post(request);
      const order = JSON.parse(request.body) as { amount: string };
      const amount = Number(order.amount).toFixed(2);
      return transport.post({ ...request, body: JSON.stringify({ ...order, amount }) });
    }),
  },
  {
    name: "two digits for every currency in an event",
    text: "a status event names its amount with two minor digits, also where the currency has none or three",
    firstSeed: 16,
    world: [inYen],
    programs: inBankCalls((transport) => (request) => {
      if (!isEvent(request.url)) return transport.post(request);
      const event = JSON.parse(request.body) as { transaction: { amount: string } };
      const amount = Number(event.transaction.amount).toFixed(2);
      return transport.post({
        ...request,
        body: JSON.stringify({ ...event, transaction: { ...event.transaction, amount } }),
      });
    }),
  },
  {
    name: "a day's report that ends at noon",
    text: "the report of a day leaves out what was confirmed in its second half; the whole one has it",
    firstSeed: 20,
    world: [],
    programs: {
      ...realPrograms,
      bootService: async (ports) => {
        const service = await realPrograms.bootService(ports);
        const handle: typeof service.handle = (sent) =>
          service.handle({ ...sent, url: sent.url.replace(/to=[-\d]+$/, "$&T12:00:00.000Z") });
        return { ...service, handle };
      },
    },
  },
  {
    name: "a transaction that SQLite has ended taken for open",
    text: "what a unit asks for after a failure that rolled its transaction back is a commit of its own",
    firstSeed: 14,
    world: [often({ serviceStatementFails: 0.02 })],
    programs: inDatabase((engine) => {
      const isOver = (sql: string) => ["COMMIT", "ROLLBACK"].includes(sql) && !engine.inTransaction();
      return {
        inTransaction: () => true,
        exec: (sql) => (isOver(sql) ? undefined : engine.exec(sql)),
        query: (sql, values, keep) => (isOver(sql) ? { rows: [], changes: 0 } : engine.query(sql, values, keep)),
      };
    }),
  },
  {
    name: "hold as short as the approval",
    text: "the bank is asked to hold the money for 40 s from the order, and not until the last approval that counts",
    firstSeed: 19,
    world: [everybody({ customer: "approves_late" }), silentBank],
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
    world: [silentBank],
    programs: inBankCalls(
      (transport) => (request) =>
        transport.post(request).catch((error: unknown) => {
          if (!isSettle(request.url) || !(error instanceof Error) || error.message !== "timeout") throw error;
          return { status: 200, body: JSON.stringify({ status: "declined" }) };
        }),
    ),
  },
  {
    name: "a failure beside a yes taken for a yes",
    text: "what a bank says of a failure in the same answer is not looked at, only its word for yes",
    firstSeed: 6,
    world: [often({ bankFailsInAYes: 0.4 })],
    programs: inBankCalls((transport) => async (request) => {
      const reply = await transport.post(request);
      if (!reply.body.startsWith("{")) return reply;
      const { status } = JSON.parse(reply.body) as { status?: string };
      return status === "accepted" ? { ...reply, body: JSON.stringify({ status }) } : reply;
    }),
  },
  {
    name: "a process that keeps the latest time",
    text: "a process of a fleet goes on from the latest time that it has seen, after the database's clock was set back as well",
    world: [fleet],
    programs: inDatabase((engine) => {
      let latest = 0;
      return {
        query: (sql, values, keep) => {
          if (!sql.includes("clock_timestamp()")) return engine.query(sql, values, keep);
          if (sql.startsWith("select 1 / count(*)")) return { rows: [{ right: 1 }], changes: 0 };
          const { rows, changes } = engine.query(sql, values, keep);
          const [row] = rows as readonly { readonly now: number }[];
          latest = Math.max(latest, row?.now ?? 0);
          return { rows: [{ ...row, now: latest, latest }], changes };
        },
      };
    }),
  },
  {
    name: "beats from the future counted",
    text: "a process that was killed before the database's clock was set back counts as alive until that time comes, and its work has no owner",
    world: [fleet, often({ serviceDies: 0.005 })],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql.includes('from "workers"')
            ? sql.replace('"seen_at" <= ?', "? is not null").replace('or "seen_at" > ?', "or ? is null")
            : sql,
          values,
          keep,
        ),
    })),
  },
  {
    name: "the dead counted among the living",
    text: "a process that says nothing any more keeps its work: its purge, its days of the history, its looks at what has expired",
    firstSeed: 6,
    world: [fleet, often({ serviceDies: 0.005 })],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          /^select .*"id".* from "workers"/.test(sql) ? sql.replace('"seen_at" > ?', "? is not null") : sql,
          values,
          keep,
        ),
    })),
  },
  {
    name: "a copy served as if nothing had happened",
    text: "a start does not see that its database is a copy that was put back: what was open in it stays open",
    firstSeed: 20,
    world: [served, putBack],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        values.includes(copiedAtSetting) ? { rows: [], changes: 0 } : engine.query(sql, values, keep),
    })),
  },
  {
    name: "a newer copy that does not ask what an older one has told",
    text: "of the restores before it a start reads nothing: a bank that was told of a cancellation hears no more of what it had paid",
    firstSeed: 20,
    world: [served, putBackTwice],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        values.includes(restoredFromSetting) && sql.startsWith("select")
          ? { rows: [], changes: 0 }
          : engine.query(sql, values, keep),
    })),
  },
  {
    name: "what served on after a failover taken for the copy",
    text: "a terminal repeats what it reported after the newest link of its journal, also where that came to processes that served on",
    firstSeed: 110,
    world: [served, failover],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) => engine.query(sql.replace('"received_at" <= ?', "? is not null"), values, keep),
    })),
  },
  {
    name: "what ended after a failover left as it is",
    text: "a withdrawal whose confirmation a failover has forgotten, and that ended before an operator said so, is no dispute",
    firstSeed: 6,
    world: [served, failover],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        sql.includes('"closed_at" > ?') && sql.includes("coalesce(confirmed_at, cast(")
          ? { rows: [], changes: 0 }
          : engine.query(sql, values, keep),
    })),
  },
  {
    name: "a confirmation that does not ask what a failover has lost",
    text: "until an operator says that a standby was promoted, what it has forgotten the confirmation of is confirmed at another till",
    firstSeed: 20,
    world: [served, failoverUnsaid],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        engine.query(
          sql,
          values.map((value) =>
            typeof value === "string" ? value.replace(/"forgotSince":\d+/, '"forgotSince":null') : value,
          ),
          keep,
        ),
    })),
  },
  {
    name: "a second hand-out taken for a repeat",
    text: "a link that names another hand-out than the one that the service has is answered, and nothing is kept of it",
    turns: ["second_machine"],
    firstSeed: 21,
    world: [turn("second_machine")],
    programs: inDatabase((engine) => ({
      query: (sql, values, keep) =>
        sql.includes('set "other_hand_out_id"') ? { rows: [], changes: 0 } : engine.query(sql, values, keep),
    })),
  },
  {
    name: "status event sent once",
    text: "an event that the bank has not taken is not sent again",
    firstSeed: 10,
    world: [everybody({ bank: "declines_settle" }), often({ bankFails: 0.4 })],
    programs: inBankCalls(
      (transport) => (request) =>
        isEvent(request.url)
          ? transport.post(request).then(
              () => taken,
              () => taken,
            )
          : transport.post(request),
    ),
  },
  {
    name: "Settle order outside the commit",
    text: "the outbox row is written a moment after the move to `settling`, and only by the process that made it",
    firstSeed: 6,
    world: [often({ serviceDies: 0.02 })],
    programs: inDatabase((engine, { clock }) => ({
      query: (sql, values, keep) => {
        if (!sql.startsWith('insert into "outbox"')) return engine.query(sql, values, keep);
        // A commit that failed was tried again: the order may be there already.
        const once = sql.replace(/^insert into/, "insert or ignore into");
        clock.after(20, () => {
          if (!engine.inTransaction()) engine.query(once, values, keep);
        });
        return { rows: [], changes: 1 };
      },
    })),
  },
];
