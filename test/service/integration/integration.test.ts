/**
 * A bank of another make, in a process of its own, connected as docs/integrate.md says, plays sixty withdrawals and more: all at
 * once, then some whose bank contradicts itself, then some whose bank says nothing for an hour of virtual time. At the end its holds,
 * its payments and the service's report agree to the cent: every hold was released or paid, and people closed what was disputed.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TransactionEvents } from "../../../backend/contract/history.ts";
import type { Transaction } from "../../../backend/contract/transaction.ts";
import { closeReport, decideReport, listOpenReports } from "../../../backend/operate/reports.ts";
import { leaseMs } from "../../../backend/partner/queue.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { silentMs } from "./bank-silence.ts";
import { type Part, partOf, type Scenario, scenarios } from "./scenarios.ts";
import { connectBank } from "./trial.ts";

let trial: Awaited<ReturnType<typeof connectBank>>;
beforeAll(async () => {
  trial = await connectBank();
});
afterAll(() => trial.dispose());

/** Each has an amount of its own, so that no two mistakes can make up for each other. */
const amountOf = (index: number): string => (10 + index + index / 100).toFixed(2);

const begin = async (scenario: Scenario, index: number): Promise<Transaction> => {
  const body = { user_id: scenario.bank, amount: amountOf(index), currency: "EUR", store: "corner-shop" };
  const more = { sca_required: scenario.scaRequired, partner_reference: `wd-${index}` };
  const key = { "idempotency-key": `wd-${index}` };
  return trial.call<Transaction>("bank", "/ext/v1/withdrawals", { ...body, ...more }, key);
};

/** The shop's part, as far as it needs no jump of the trial.clock. */
const serve = async (scenario: Scenario, { transaction_id, status }: Transaction): Promise<void> => {
  if (status !== "ready" || scenario.shop === "expire") return;
  if (scenario.shop === "reject") return void (await trial.call("till", "/transaction/reject", { transaction_id }));
  if (scenario.shop === "cancel")
    return void (await trial.call("bank", `/ext/v1/withdrawals/${transaction_id}/cancel`, {}));
  await trial.call("till", "/transaction/confirm", { transaction_id, transaction_id_partner: `pos-${transaction_id}` });
  if (scenario.shop === "reject_late") await trial.call("till", "/transaction/reject", { transaction_id });
};

const finish = async (scenario: Scenario, { transaction_id }: Transaction): Promise<void> => {
  if (scenario.shop === "link" || scenario.shop === "undelivered") await trial.until(transaction_id, ["settled"]);
  if (scenario.shop === "link") await trial.call("till", "/transaction/link", { transaction_id });
  if (scenario.shop === "undelivered")
    await trial.call("till", `/ext/v1/transactions/${transaction_id}/undelivered`, { reason: "till_short" });
};

const cents = (amount: string): number => Math.round(Number(amount) * 100);

const begun = new Map<Scenario, Transaction>();
const idOf = (scenario: Scenario): string => begun.get(scenario)?.transaction_id ?? "";
const of = (part: Part) => scenarios.filter((scenario) => partOf(scenario) === part);
const play = (some: readonly Scenario[]) =>
  Promise.all(
    some.map(async (scenario) => {
      const transaction = await begin(scenario, scenarios.indexOf(scenario));
      begun.set(scenario, transaction);
      await serve(scenario, transaction);
    }),
  );
const end = (some: readonly Scenario[]) =>
  Promise.all(some.map((scenario) => finish(scenario, begun.get(scenario) as Transaction)));

/** A try whose answer is kept back, a machine that sleeps beyond its lease, and a second try that is answered otherwise. */
const playContradictions = async (): Promise<void> => {
  const some = of("contradicting");
  await trial.follow(trial.clock.setSpeed(0.25));
  await play(some);
  await expect.poll(async () => (await trial.books()).keptBack.length).toBe(some.length);
  await trial.follow(trial.clock.jump(leaseMs + 1_000));
  await expect.poll(async () => (await trial.books()).keptBack).toEqual([]);
  await trial.follow(trial.clock.setSpeed(1));
  await end(some);
};

/** An hour in seconds: each call ends by the service's own time-out, and the operator decides where nobody can wait. */
const playSilence = async (): Promise<void> => {
  const some = of("silent");
  const startsSilent = ({ bank: words }: Scenario) => words.startsWith("start=silent");
  const before = some.filter((scenario) => !startsSilent(scenario));
  await play(before);
  await Promise.all(before.map((scenario) => trial.until(idOf(scenario), ["settling"])));
  const beganAt = trial.clock.now();
  await trial.follow(trial.clock.setSpeed(20));
  await play(some.filter(startsSilent));
  await trial.follow(trial.clock.setSpeed(400));
  await trial.passed(beganAt + 20 * 60_000);
  for (const scenario of some) {
    if (!scenario.shop.startsWith("decide_")) continue;
    const outcome = scenario.shop === "decide_paid" ? "paid" : "not-paid";
    await decideReport(trial.on, { id: idOf(scenario), outcome, note: "asked the bank by telephone" });
  }
  await trial.passed(beganAt + silentMs - 10 * 60_000);
  const { silences } = await trial.books();
  const kind = (prefix: string) => silences.filter(({ reference }) => reference.startsWith(prefix));
  expect(silences).toHaveLength(some.length);
  // The bank ended none of them: the service did, by its time-out.
  for (const { calls, hungUp } of silences) expect(hungUp).toBeGreaterThanOrEqual(calls - 1);
  const waiting = await trial.on.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("outbox").select("last_error"))),
  );
  expect(waiting.map(({ last_error }) => last_error)).toEqual(["timeout", "timeout"]);
  const whole = silences.filter(({ reference }) =>
    some.some((each) => each.shop === "link" && idOf(each) === reference),
  );
  expect(whole).toHaveLength(2);
  for (const { calls, lastedMs } of [...whole, ...kind("events ")])
    expect([calls >= 5, lastedMs >= silentMs * 0.6]).toEqual([true, true]);
  await trial.passed(beganAt + silentMs);
  // Slow enough that a bank which answers again is heard within five seconds of that time.
  await trial.follow(trial.clock.setSpeed(60));
  await end(some);
};

interface Line {
  readonly transaction_id: string;
  readonly status: string;
  readonly amount: string;
  readonly finding: string;
  readonly reason: string | null;
}
const report = () => trial.call<{ lines: readonly Line[] }>("bank", "/ext/v1/reconciliation");
const findingsIn = ({ lines }: { lines: readonly Line[] }) => {
  const byId = new Map(lines.map(({ transaction_id, finding }) => [transaction_id, finding]));
  return scenarios.map((scenario) => byId.get(idOf(scenario)) ?? null);
};

test("sixty withdrawals: holds, payments and report agree to the cent", async () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  await play(of("usual"));
  await end(of("usual"));
  await playContradictions();
  // The customer who never approves, and the code that nobody scans.
  await trial.follow(trial.clock.jump(41_000));
  await trial.follow(trial.clock.jump(16 * 60_000));
  await playSilence();

  const outcomes = await Promise.all(scenarios.map((scenario) => trial.until(idOf(scenario), [scenario.status])));
  expect(outcomes.map(({ status }, index) => `${scenarios[index]?.bank} ${scenarios[index]?.shop}: ${status}`)).toEqual(
    scenarios.map(({ bank, shop, status }) => `${bank} ${shop}: ${status}`),
  );

  // Events that were lost come again, until no hold is left.
  await expect.poll(async () => (await trial.books()).holds).toEqual([]);
  const { payments, counts } = await trial.books();
  expect(counts.badSignatures).toBe(0);
  // Funds are held until every approval that counts is paid, unless the bank itself was silent for so long.
  expect(counts.late).toBe(of("silent").filter(({ shop }) => shop === "link").length);
  expect(counts.events).toBeGreaterThan(150);

  const open = await report();
  expect(findingsIn(open)).toEqual(scenarios.map(({ finding }) => finding));
  // What the bank has paid has a line that says so, also where it said no before or after.
  const isPaid = ({ status, reason }: Line) =>
    ["settled", "linked", "undelivered"].includes(status) || reason === "accepted_after_declined";
  const booked = open.lines.filter(isPaid).map(({ transaction_id, amount }) => [transaction_id, cents(amount)]);
  const paid = payments.map(([reference, { amount }]) => [reference, cents(amount)]);
  expect(paid.sort()).toEqual(booked.sort());
  expect((await trial.csv()).trim().split("\r\n")).toHaveLength(open.lines.length + 1);

  const disputed = scenarios.filter(({ closedAs }) => closedAs !== undefined);
  const listed = (await listOpenReports(trial.on)) as {
    transaction: string;
    needs: string;
    finding: string;
    reason: string;
  }[];
  for (const { transaction, finding, reason } of listed)
    expect(open.lines.find(({ transaction_id }) => transaction_id === transaction)).toMatchObject({ finding, reason });
  expect(listed.map(({ transaction, needs }) => `${transaction} ${needs}`).sort()).toEqual(
    disputed.map((scenario) => `${idOf(scenario)} close`).sort(),
  );
  // Some banks have said more than what began the dispute.
  const seen = new Date(trial.clock.now()).toISOString();
  for (const scenario of disputed)
    await closeReport(trial.on, { id: idOf(scenario), note: "cleared with the bank", seen });
  expect(await listOpenReports(trial.on)).toEqual([]);
  expect(findingsIn(await report())).toEqual(scenarios.map(({ finding, closedAs }) => closedAs ?? finding));
  for (const scenario of disputed) {
    const { events } = await trial.call<TransactionEvents>("bank", `/ext/v1/transactions/${idOf(scenario)}/events`);
    const began = scenario.shop === "decide_not_paid" ? "decided" : "contradicted";
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== "transition");
    expect([scenario.bank, [...new Set(kinds)]]).toEqual([scenario.bank, [began, "dispute_closed"]]);
  }
});
