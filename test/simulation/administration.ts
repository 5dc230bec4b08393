/** Whoever runs the service: changes what was planned, and looks every few minutes at what only an operator can end. */

import { formatAmount } from "../../backend/contract/money.ts";
import { UsageError } from "../../backend/operate/arguments.ts";
import { ServiceError } from "../../backend/service-error.ts";
import type { ActKind, PlannedAct } from "./acts.ts";
import { bankHost, eventsPath, type SimulatedBank } from "./bank.ts";
import type { BankCredential } from "./bank-credential.ts";
import { amountMaxMinor, bankKey, partner, shop } from "./boot-service.ts";
import { userOf } from "./customer.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Operator, ServiceMachine } from "./service.ts";

/** The people behind the service, and what they have done so far. */
export interface Administration {
  /** From now on they work. */
  start(): void;
  /** The service's database is an older one from now on: what was changed since is changed again. */
  putBack(): void;
  /** When the last change is taken back, in virtual milliseconds. */
  readonly endsAtMs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Whether every change was taken back, and what was said of cash is heard. */
  readonly isSettled: boolean;
  /** How the bank's server signs in now. */
  readonly credential: BankCredential;
  /** Disputes that an operator has closed, after the bank was asked. */
  readonly closed: ReadonlySet<string>;
  /** Of what an operator has said in a terminal's stead what became of the cash. */
  readonly decided: ReadonlySet<string>;
}

/** Whom they look after. */
export interface AdministrationOptions {
  readonly acts: readonly PlannedAct[] | null;
  readonly currency: string;
  readonly scheduler: Pick<Scheduler, "after" | "at" | "now">;
  readonly service: Pick<ServiceMachine, "operate">;
  readonly bank: SimulatedBank;
  readonly note: (text: string) => void;
  /** Whether the cash has left a drawer: as whoever counts it finds. */
  readonly wasGiven: (transactionId: string) => boolean;
  readonly miscounts: boolean | undefined;
  readonly decided: Set<string>;
}

const lookEveryMs = 3 * 60_000;
/** A service that is down, or dies over a command, gets it again. */
const againMs = 5_000;
/** A terminal's word is waited for for so long. */
const cashMinutes = 16;
/** What an operator has said of cash is with tills and bank after so long. */
const heardMs = 60_000;
/** A dispute is left in the report for so long; half of them for ever. */
const disputeMs = 10 * 60_000;
/** How long a bank takes to know a new key, or a new address to answer at. */
const changesOverMs = 60_000;
const otherHost = `other-${bankHost}`;
const all = { all: "1" };
const client = { kind: "client", ownerId: partner.merchantId, deviceId: partner.deviceId } as const;
const bankId = partner.merchantId;

type Typed = readonly [name: string, words: readonly string[], flags?: Readonly<Record<string, string>>];
type Typing = (size: number, currency: string) => Typed;
const shopSet =
  (flag: string): Typing =>
  (size, currency) => ["merchants set", [shop], { [flag]: formatAmount(size, currency) }];
const user =
  (verb: string): Typing =>
  (size) => [`users ${verb}`, [bankId, userOf(size)]];

/** What the operator types at the beginning of a change and at its end. */
const commandsOf: Readonly<Partial<Record<ActKind, { readonly begin: Typing; readonly end?: Typing }>>> = {
  user_day: {
    begin: (size, currency) => ["partners set", [bankId], { "user-day": formatAmount(size, currency), currency }],
    end: () => ["partners set", [bankId], { "user-day": "none" }],
  },
  shop_day: { begin: shopSet("shop-day"), end: () => ["merchants set", [shop], { "shop-day": "none" }] },
  terminal_hour: {
    begin: shopSet("terminal-hour"),
    end: () => ["merchants set", [shop], { "terminal-hour": "none" }],
  },
  amounts: { begin: shopSet("largest"), end: (_, currency) => shopSet("largest")(amountMaxMinor, currency) },
  shop_disabled: { begin: () => ["merchants disable", [shop]], end: () => ["merchants enable", [shop]] },
  shop_disallowed: {
    begin: () => ["partners disallow", [bankId], all],
    end: () => ["partners allow", [bankId], all],
  },
  user_blocked: { begin: user("block"), end: user("unblock") },
  user_erased: { begin: user("erase") },
  client_revoked: { begin: () => ["credentials revoke", [client.kind, client.ownerId, client.deviceId]] },
  service_key_rotated: { begin: () => ["service-key rotate", []] },
};

/** Nobody works before `start`. */
export const createAdministration = (options: AdministrationOptions): Administration => {
  const { acts, currency, scheduler, service, bank, note, wasGiven, miscounts, decided } = options;
  const counts: Record<string, number> = {};
  const closed = new Set<string>();
  const seenAt = new Map<string, number>();
  let decidedAtMs = Number.NEGATIVE_INFINITY;
  let credential: BankCredential = partner;
  let key: string = bankKey;
  const allKeys: string[] = [bankKey];
  let host = bankHost;

  /** One after the other, each until it was done or refused: a command that nobody answered is typed again. */
  const waiting: ((operator: Operator) => Promise<void>)[] = [];
  const attempt = async (): Promise<void> => {
    const [work] = waiting;
    if (work === undefined) return;
    let isOver = false;
    await service.operate(async (operator) => {
      try {
        await work(operator);
      } catch (problem) {
        const isRefused =
          problem instanceof UsageError || (problem instanceof ServiceError && problem.code !== "unavailable");
        if (!isRefused) throw problem;
      }
      isOver = true;
    });
    if (isOver) waiting.shift();
    if (waiting.length > 0) scheduler.after(isOver ? 0 : againMs, () => void attempt());
  };
  const insist = (work: (operator: Operator) => Promise<void>): void => {
    waiting.push(work);
    if (waiting.length === 1) void attempt();
  };
  const command = (name: string, words: readonly string[], flags: Readonly<Record<string, string>> = {}): void =>
    insist(async (operator) => {
      note(`operator: ${name} ${[...words, ...Object.entries(flags).flat()].join(" ")}`);
      await operator.command(name, words, flags);
    });

  const rotateKey = (): void =>
    insist(async (operator) => {
      const [made] = await operator.command("partners rotate", [bankId], { hours: "1", force: "1" });
      const newKey = String(made?.secret);
      allKeys.push(newKey);
      bank.takeKeys(allKeys.slice(-2));
      key = newKey;
    });
  const moveBank = (): void => {
    const next = host === otherHost ? bankHost : otherHost;
    bank.listenAt([host, next]);
    host = next;
    insist(async (operator) => {
      await operator.command("partners set-url", [bankId, `https://${next}`]);
      await operator.command("partners set", [bankId], { "events-url": `https://${next}${eventsPath}` });
      scheduler.after(changesOverMs, () => bank.listenAt([host]));
    });
  };
  const renewClient = (): void => {
    credential = { ...partner, secret: `${partner.secret}, number ${scheduler.now()}` };
    insist((operator) => operator.renew(client, credential.secret));
  };

  /** What is more than a command. */
  const begins: Partial<Record<ActKind, () => void>> = { key_rotated: rotateKey, address_moved: moveBank };
  const ends: Partial<Record<ActKind, () => void>> = {
    key_rotated: () => bank.takeKeys([key]),
    client_revoked: renewClient,
  };
  const play = (act: PlannedAct, which: "begin" | "end"): void => {
    const typed = commandsOf[act.kind]?.[which]?.(act.size, currency);
    if (typed) command(...typed);
    (which === "begin" ? begins : ends)[act.kind]?.();
  };

  /** Asks the bank on the telephone, and says what it said. */
  const decide = async (operator: Operator, id: string): Promise<void> => {
    const outcome = bank.hasPaid(id) ? "paid" : "not-paid";
    note(`operator: ${id} was ${outcome}, as the bank says`);
    await operator.command("reports decide", [id], { outcome, note: "asked the bank" });
    counts.decided = (counts.decided ?? 0) + 1;
  };
  /** Has the drawer counted of a terminal that says nothing, also where it is there. */
  const decideCash = async (operator: Operator, id: string): Promise<void> => {
    const isWrong = miscounts ?? id.charCodeAt(5) % 3 === 0;
    const outcome = wasGiven(id) === isWrong ? "not-handed-out" : "handed-out";
    note(`operator: ${id} was ${outcome}${isWrong ? ", wrongly" : ""}`);
    decided.add(id);
    decidedAtMs = scheduler.now();
    await operator.command("withdrawals resolve", [id], { outcome, note: "counted the drawer", force: "1" });
    counts.decidedCash = (counts.decidedCash ?? 0) + 1;
  };
  const close = async (operator: Operator, id: string, status: unknown): Promise<void> => {
    const since = seenAt.get(id) ?? scheduler.now();
    seenAt.set(id, since);
    if (scheduler.now() - since < disputeMs || id.charCodeAt(4) % 2 === 0) return;
    if (status === "failed" && bank.hasPaid(id)) bank.payBack(id);
    closed.add(id);
    note(`operator: closes the dispute about ${id}`);
    // Looked at and closed in one moment: all that there is was seen, whatever a clock dated it.
    await operator.command("reports close", [id], { note: "asked the bank", seen: "2999-12-31" });
    counts.closed = (counts.closed ?? 0) + 1;
  };

  /** What fails now is looked at again the next time. */
  const look = async (): Promise<void> => {
    await service.operate(async (operator) => {
      for (const { transaction, needs, status, minutes } of await operator.command("reports list", [])) {
        const id = String(transaction);
        if (needs === "close") await close(operator, id, status);
        else if (status === "settled" && Number(minutes) > cashMinutes) await decideCash(operator, id);
        else if (needs === "decide") await decide(operator, id);
      }
    });
    scheduler.after(lookEveryMs, () => void look());
  };

  return {
    start() {
      if (acts === null) return;
      void look();
      for (const act of acts) {
        scheduler.at(act.atMs, () => {
          counts[act.kind] = (counts[act.kind] ?? 0) + 1;
          play(act, "begin");
        });
        scheduler.at(act.atMs + act.forMs, () => play(act, "end"));
      }
    },
    putBack() {
      if (acts === null) return;
      for (const { kind, atMs, forMs, size } of acts) {
        const typed = commandsOf[kind]?.end?.(size, currency);
        if (typed && atMs < scheduler.now() && atMs + forMs <= scheduler.now()) command(...typed);
      }
      renewClient();
      bank.takeKeys([...allKeys]);
      rotateKey();
      bank.listenAt([bankHost, otherHost]);
      insist(async (operator) => {
        await operator.command("partners set-url", [bankId, `https://${host}`]);
        await operator.command("partners set", [bankId], { "events-url": `https://${host}${eventsPath}` });
      });
    },
    endsAtMs: (acts ?? []).reduce((last, { atMs, forMs }) => Math.max(last, atMs + forMs), 0),
    counts,
    get isSettled() {
      return waiting.length === 0 && scheduler.now() - decidedAtMs >= heardMs;
    },
    get credential() {
      return credential;
    },
    closed,
    decided,
  };
};
