/** Service processes of a fleet that are killed and started again, and what must hold afterwards. */
import { expect } from "vitest";
import { brokenPromise } from "./acknowledged.ts";
import { type BackendProcess, startBackend } from "./backend-process.ts";
import { type BankServer, bankSecret } from "./bank-server.ts";
import type { Fleet, Shoppers } from "./shoppers.ts";

/** The environment of one process of the fleet. */
export const environment = (databaseUrl: string, bank: BankServer): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  SANDBOX: "1",
  PARTNER_URL: bank.url,
  PARTNER_SECRET: bankSecret,
  TOKEN_SECRET: "a token secret that all processes share",
  // A wait for the next start is no reason to cancel.
  SCA_TIMEOUT_SECONDS: "600",
});

/** As many processes as the fleet has; all are killed at once and started again. */
export class Processes implements Fleet {
  readonly #env: Record<string, string>;
  readonly #size: number;
  #alive: BackendProcess[] = [];
  #next = 0;

  constructor(env: Record<string, string>, size: number) {
    this.#env = env;
    this.#size = size;
  }

  /** Turn by turn: no sticky sessions. */
  url(): string {
    this.#next += 1;
    return this.#alive[this.#next % this.#size]?.url ?? "http://127.0.0.1:9";
  }

  async start(): Promise<void> {
    this.#alive = await Promise.all(Array.from({ length: this.#size }, () => startBackend(this.#env)));
  }

  async killAll(): Promise<void> {
    const alive = this.#alive;
    this.#alive = [];
    await Promise.all(alive.map((each) => each.kill()));
  }

  async stop(): Promise<(number | null)[]> {
    return Promise.all(this.#alive.splice(0).map((each) => each.stop()));
  }

  /** As a roll-out does: the first process is told to stop, ends by itself, and another takes its place. */
  async deployFirst(): Promise<number | null> {
    const [first] = this.#alive;
    const code = first === undefined ? null : await first.stop();
    const next = await startBackend(this.#env);
    this.#alive = [...this.#alive.filter((each) => each !== first), next];
    return code;
  }

  /** The first process is killed, and another takes its place. */
  async killFirst(): Promise<void> {
    const [first] = this.#alive;
    await first?.kill();
    const next = await startBackend(this.#env);
    this.#alive = [...this.#alive.filter((each) => each !== first), next];
  }
}

/** What was answered holds, and each withdrawal that was handed out is paid, once. */
export const expectAllTrue = async (shoppers: Shoppers, bank: BankServer, count: number): Promise<void> => {
  expect(shoppers.linked).toHaveLength(count);
  const now = new Map(await Promise.all(shoppers.linked.map(async (id) => [id, await shoppers.get(id)] as const)));
  const declined = shoppers.answers.filter(({ status }) => status === "declined");
  const broken = shoppers.answers
    .filter(({ status }) => status !== "declined")
    .map((acknowledged) => brokenPromise(acknowledged, now.get(acknowledged.transaction_id)))
    .filter((each) => each !== null);
  expect(broken).toEqual([]);
  for (const { transaction_id } of declined) expect(bank.payments.has(`settle_${transaction_id}`)).toBe(false);
  expect([...bank.payments.keys()].sort()).toEqual(shoppers.linked.map((id) => `settle_${id}`).sort());
  for (const [id, payment] of bank.payments) {
    expect(payment).toMatchObject({
      userId: "ann",
      TransactionId: `pos-${payment.SvcTransactionReferenceId}`,
      SvcTransactionReferenceId: id.slice("settle_".length),
    });
  }
  expect(bank.badSignatures()).toBe(0);
};
