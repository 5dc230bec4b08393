/** The sandbox bank's ledger: holds, and payments, at most one per reference; and how amounts steer the bank. */
import { type Kysely, sql } from "kysely";
import { formatAmount } from "../contract/money.ts";
import { toTime } from "../contract/times.ts";
import { versionRows } from "../store/migrate.ts";
import { type Database, integer, integerOrNull, text } from "../store/schema.ts";
import { adhoc, type Store, statement, type Tx } from "../store/store.ts";

/** The bank's own tables, beside the service's; amounts in minor units, times in epoch milliseconds. */
const sandboxTables = {
  sandbox_holds: {
    reference: text,
    user_id: text,
    shop: text,
    amount: integer,
    currency: text,
    expires_at: integer,
    settle_calls: integer,
    first_settle_at: integerOrNull,
    /** When the hold ended without a payment. */
    released_at: integerOrNull,
    /** 1 while the bank still has to approve this one by itself. */
    to_approve: integer,
  },
  /** At most one payment per reference. */
  sandbox_payments: { reference: text, user_id: text, amount: integer, currency: text, booked_at: integer },
};
type SandboxTables = typeof sandboxTables;

/** Funds that the sandbox's bank holds for a withdrawal. */
export type Hold = SandboxTables["sandbox_holds"];
/** A hold as a Start order requests it. */
type NewHold = Pick<Hold, "reference" | "user_id" | "shop" | "amount" | "currency" | "expires_at">;

const holdColumns = Object.keys(sandboxTables.sandbox_holds) as readonly (keyof Hold)[];

/** Adds the sandbox's tables to Kysely's types. */
export const withSandbox = (db: Kysely<Database>) => db.withTables<SandboxTables>();

const insertHold = statement("sandbox_hold_insert", (db, p: NewHold & { to_approve: number }) => {
  const { reference, user_id, shop, amount, currency, expires_at, to_approve } = p;
  const unpaid = { settle_calls: 0, first_settle_at: null, released_at: null };
  return withSandbox(db)
    .insertInto("sandbox_holds")
    .values({ reference, user_id, shop, amount, currency, expires_at, to_approve, ...unpaid })
    .onConflict((conflict) => conflict.column("reference").doNothing());
});

const countSettleCall = statement("sandbox_settle_call", (db, p: { reference: string; now: number }) =>
  withSandbox(db)
    .updateTable("sandbox_holds")
    .set((hold) => ({
      settle_calls: hold("settle_calls", "+", 1),
      first_settle_at: hold.fn.coalesce("first_settle_at", hold.val(p.now)),
    }))
    .where("reference", "=", p.reference)
    .returning(holdColumns),
);

const insertPayment = statement(
  "sandbox_payment_insert",
  (db, { reference, user_id, amount, currency, booked_at }: SandboxTables["sandbox_payments"]) =>
    withSandbox(db)
      .insertInto("sandbox_payments")
      .values({ reference, user_id, amount, currency, booked_at })
      .onConflict((conflict) => conflict.column("reference").doNothing()),
);

const releaseHold = statement("sandbox_hold_release", (db, p: { reference: string; now: number }) =>
  withSandbox(db).updateTable("sandbox_holds").set({ released_at: p.now }).where("reference", "=", p.reference),
);

const holdByReference = statement("sandbox_hold", (db, p: { reference: string }) =>
  withSandbox(db).selectFrom("sandbox_holds").select(holdColumns).where("reference", "=", p.reference),
);

const paymentByReference = statement("sandbox_payment", (db, p: { reference: string }) =>
  withSandbox(db).selectFrom("sandbox_payments").select("reference").where("reference", "=", p.reference),
);

/** Holds that were neither paid nor ended. */
const openHolds = statement("sandbox_holds_open", (db, p: { now: number }) =>
  withSandbox(db)
    .selectFrom("sandbox_holds as hold")
    .leftJoin("sandbox_payments as payment", "payment.reference", "hold.reference")
    .select(["hold.reference", "hold.user_id", "hold.amount", "hold.currency", "hold.expires_at"])
    .where("payment.reference", "is", null)
    .where("hold.released_at", "is", null)
    .where("hold.expires_at", ">", p.now)
    .orderBy("hold.expires_at")
    .orderBy("hold.reference"),
);

const bookedPayments = statement("sandbox_payments", (db) =>
  withSandbox(db)
    .selectFrom("sandbox_payments as payment")
    .innerJoin("sandbox_holds as hold", "hold.reference", "payment.reference")
    .select(["payment.reference", "payment.user_id", "payment.amount", "payment.currency", "payment.booked_at"])
    .select("hold.settle_calls as attempts")
    .orderBy("payment.booked_at")
    .orderBy("payment.reference"),
);

/** Holds the funds; a repeat changes nothing. */
export const secure = (store: Store, hold: NewHold): Promise<void> => {
  const to_approve = behaviourOf(hold.amount) === "approves_by_itself" ? 1 : 0;
  return store.write(async (tx) => {
    await tx.run(insertHold({ ...hold, to_approve }));
  });
};

async function settleSteps(tx: Tx, reference: string, now: number): Promise<SettleResponse> {
  const hold = await tx.first(countSettleCall({ reference, now }));
  if (hold === undefined) return { kind: "decline" };
  // An expired hold is not paid, unless it was paid before.
  if (hold.expires_at <= now && (await tx.first(paymentByReference({ reference }))) === undefined) {
    await tx.run(releaseHold({ reference, now }));
    return { kind: "decline" };
  }
  const bankResponse = settleResponse(hold.amount, hold.settle_calls, hold.first_settle_at ?? now);
  if (bankResponse.kind === "decline") await tx.run(releaseHold({ reference, now }));
  if (bankResponse.kind === "book") {
    const { user_id, amount, currency } = hold;
    await tx.run(insertPayment({ reference, user_id, amount, currency, booked_at: now }));
  }
  return bankResponse;
}

/** Books the payment once and returns how to answer this call. A reference without a hold is declined. */
export const settle = (store: Store, reference: string, now: number): Promise<SettleResponse> =>
  store.write((tx) => settleSteps(tx, reference, now));

/** The hold of a withdrawal; undefined where there was no Start order. */
export const findHold = (store: Store, reference: string): Promise<Hold | undefined> =>
  store.read((tx) => tx.first(holdByReference({ reference })));

const toApprove = statement("sandbox_approvals_left", (db) =>
  withSandbox(db).selectFrom("sandbox_holds").select("reference").where("to_approve", "=", 1),
);

const approved = statement("sandbox_approval_done", (db, p: { reference: string }) =>
  withSandbox(db).updateTable("sandbox_holds").set({ to_approve: 0 }).where("reference", "=", p.reference),
);

/** References that the bank still has to approve by itself. */
export const approvalsLeft = async (store: Store): Promise<readonly string[]> =>
  (await store.read((tx) => tx.all(toApprove({})))).map(({ reference }) => reference);

/** Records that a self-approval is done. @returns rows written. */
export const approvalDone = (store: Store, reference: string): Promise<number> =>
  store.write((tx) => tx.run(approved({ reference })));

/** The body of `GET /sandbox/bank/ledger`. */
export const readLedger = async (store: Store, now: number) => {
  const { holds, payments } = await store.read(async (tx) => {
    return { holds: await tx.all(openHolds({ now })), payments: await tx.all(bookedPayments({})) };
  });
  return {
    holds: holds.map((hold) => ({
      ...hold,
      amount: formatAmount(hold.amount, hold.currency),
      expires_at: toTime(hold.expires_at),
    })),
    payments: payments.map((payment) => ({
      ...payment,
      amount: formatAmount(payment.amount, payment.currency),
      booked_at: toTime(payment.booked_at),
    })),
  };
};

const definitions = [
  sql`CREATE TABLE IF NOT EXISTS sandbox_holds (
    reference TEXT PRIMARY KEY, user_id TEXT NOT NULL, shop TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
    expires_at BIGINT NOT NULL, settle_calls BIGINT NOT NULL, first_settle_at BIGINT, released_at BIGINT,
    to_approve BIGINT NOT NULL)`,
  sql`CREATE INDEX IF NOT EXISTS sandbox_holds_to_approve ON sandbox_holds (reference) WHERE to_approve = 1`,
  sql`CREATE TABLE IF NOT EXISTS sandbox_payments (
    reference TEXT PRIMARY KEY, user_id TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL,
    booked_at BIGINT NOT NULL)`,
];

/** Takes the migrations' lock: PostgreSQL fails when two processes create one table at once, even with IF NOT EXISTS. */
const lockMigrations = statement("sandbox_tables_lock", (db) =>
  db.selectFrom("schema_version").select("id").where("id", "=", versionRows.lock).forUpdate(),
);

/** Creates the sandbox's tables; safe at every start, also of a whole fleet at once. */
export const createSandboxTables = (store: Store): Promise<void> =>
  store.write(async (tx) => {
    if (store.dialect === "postgres") await tx.run(lockMigrations({}));
    for (const definition of definitions) {
      await tx.run(adhoc((db) => ({ compile: () => definition.compile(db) })));
    }
  });

/** Amounts steer the sandbox bank, as test cards do elsewhere (conventions, "Sandbox"). Pure. */

/** Behaviours by an amount's cents (conventions, "Sandbox"): `.00` is the first, `.08` the last. */
export const behaviours = [
  "settles",
  "declines_start",
  "declines_settle",
  "answers_late",
  "fails_three_times",
  "loses_the_answer",
  "approves_by_itself",
  "never_approves",
  "needs_no_sca",
] as const;
/** One of `behaviours`. */
export type Behaviour = (typeof behaviours)[number];

/** The behaviour for an amount: the last two digits of the minor units decide, so 50.03 EUR and 5003 JPY are alike. */
export const behaviourOf = (amountMinor: number): Behaviour => behaviours[amountMinor % 100] ?? "settles";

/** A late answer comes this long after the first Settle order; a retry waits for the rest of it. */
const lateAnswerMs = 8_000;
/** Settle orders of `.04` answered with 503 before one is accepted. */
const failuresBeforeSuccess = 3;
/** Delay from the confirmation to the bank's self-approval. */
export const selfApprovalMs = 2_000;

/** What the bank does on a Settle order for a reference with a hold. */
type SettleResponse =
  | { readonly kind: "decline" }
  | { readonly kind: "fail" }
  | { readonly kind: "book"; readonly answerAtMs: number | null; readonly dropConnection: boolean };

/** @param call 1 for the first Settle order with this reference. */
const settleResponse = (amountMinor: number, call: number, firstCallAtMs: number): SettleResponse => {
  const book = { kind: "book", answerAtMs: null, dropConnection: false } as const;
  switch (behaviourOf(amountMinor)) {
    case "declines_settle":
      return { kind: "decline" };
    case "answers_late":
      return { ...book, answerAtMs: firstCallAtMs + lateAnswerMs };
    case "fails_three_times":
      return call <= failuresBeforeSuccess ? { kind: "fail" } : book;
    case "loses_the_answer":
      return { ...book, dropConnection: call === 1 };
    default:
      return book;
  }
};
