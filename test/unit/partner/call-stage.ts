/** One bank that answers as a test says, a database in memory, and all that goes out and is said, for a file of tests. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Service } from "../../../backend/context.ts";
import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { createStartSlots } from "../../../backend/partner/orders.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import type { PartnerReply, PartnerRequest } from "../../../backend/ports.ts";
import { openStore } from "../../../backend/store/open.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { accepted, bank, Counted, seed } from "../../service/world.ts";

/** An answer of this status without a body. */
export const http = (status: number, retryAfter?: string) => (): PartnerReply => ({ status, body: "", retryAfter });
/** No usable answer. */
export const silent = http(500);

/** Lets the database work. */
export const turn = async (): Promise<void> => {
  for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Settled; its bank is told of that by `trueBody`. */
const settled = rowWith({ id: "x" });
/** The body of an event of the withdrawal `x`. */
export const trueBody = JSON.stringify({
  type: "withdrawal.settled",
  sequence: 3,
  transaction: { transaction_id: "x", status: "settled", amount: "50.00", currency: "EUR", created_at: toTime(1_000) },
});
const putSettled = (file: Store) =>
  file.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("withdrawals").values(settled)));
    const step: RowOf<"withdrawal_events"> = {
      ...{ transaction_id: "x", sequence: 5, kind: "transition", at: 3_000, actor: "partner", actor_id: null },
      ...{
        from_status: "settling",
        to_status: "settled",
        request_id: null,
        reason: null,
        attempt: null,
        cashier: null,
      },
      ...{ terms: null, address: null, hash: null, seal: null, asked_at: settled.created_at, day: 0 },
    };
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(step)));
  });

const parts = (file: Store) => {
  const [requests, times, logged]: [PartnerRequest[], number[], unknown[]] = [[], [], []];
  const clock = new VirtualClock(1_000_000);
  const keep = (fields: unknown): void => void logged.push(fields);
  const counted = new Counted();
  const answers = { reply: (): PartnerReply => accepted };
  const service = {
    store: file,
    clock,
    random: { fraction: () => 0 },
    log: { info: keep, warn: keep, error: keep },
    telemetry: counted,
    startSlots: createStartSlots(5),
    owns: () => true,
    options: {
      isSandbox: true,
      boundPartners: new Map([[bank.partnerId, { url: "http://bank//", secret: "secret" }]]),
      keyCipher: { open: (_: string, stored: string) => stored },
      scaTimeoutMs: scaTimeoutSeconds * 1000,
      pollMs: 250,
      partnerInFlightMax: 2,
    },
    transport: {
      async post(request: PartnerRequest) {
        requests.push(request);
        times.push(clock.now());
        return answers.reply();
      },
      close() {},
    },
  } as unknown as Service;
  const waiting: (() => void)[] = [];
  return { waiting, requests, times, logged, clock, counted, answers, service };
};

/** Registers the hooks of a file. What it returns is of the test that runs. */
export const callStage = () => {
  let file: Store;
  let now: ReturnType<typeof parts>;
  beforeAll(async () => {
    file = await openStore("sqlite::memory:", new VirtualClock());
    await seed(file);
    await putSettled(file);
  });
  afterAll(() => file.close());
  const setPartner = (changes: Parameters<typeof updatePartner>[1]) =>
    file.write((tx) => tx.run(updatePartner(bank.partnerId, changes)));
  const empty = () =>
    file.write(async (tx) => {
      for (const table of ["outbox", "status_events"] as const) await tx.run(adhoc((db) => db.deleteFrom(table)));
    });
  beforeEach(async () => {
    now = parts(file);
    await setPartner({ answers: null, events_url: "http://bank/events" });
    await empty();
  });
  return {
    get file() {
      return file;
    },
    get clock() {
      return now.clock;
    },
    get counted() {
      return now.counted;
    },
    /** What went out. */
    get requests() {
      return now.requests;
    },
    /** When each went out. */
    get times() {
      return now.times;
    },
    get logged() {
      return now.logged;
    },
    get service() {
      return now.service;
    },
    setPartner,
    empty,
    /** From now on calls wait for `answerOne`. */
    hang(): void {
      const { service, waiting } = now;
      const { post } = service.transport;
      service.transport.post = async (request) => {
        await post(request);
        return new Promise((resolve) => void waiting.push(() => resolve(accepted)));
      };
    },
    /** Says yes to the call that waits longest. */
    async answerOne(): Promise<void> {
      now.waiting.shift()?.();
      await turn();
      await turn();
    },
    /** Ends what is stopped, with a yes to each call that waits. */
    async end(stopped: Promise<void>): Promise<void> {
      for (const answer of now.waiting.splice(0)) answer();
      await this.inTime(stopped);
    },
    answerWith(reply: () => PartnerReply) {
      now.answers.reply = reply;
    },
    rows: (table: "outbox" | "status_events") =>
      file.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).selectAll()))),
    /** Moves time on, with turns for the database. */
    async pass(ms: number): Promise<void> {
      const { clock } = now;
      await turn();
      await clock.advance(ms, turn);
      await turn();
    },
    /** Moves time on, with turns for the database, until the work ends. */
    async inTime<T>(work: Promise<T>): Promise<T> {
      const { clock } = now;
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      for (let n = 0; n < 5_000 && !isDone; n += 1) {
        await turn();
        await clock.advance(100, turn);
      }
      return work;
    },
  };
};
