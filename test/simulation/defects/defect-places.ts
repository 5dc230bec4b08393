/** Where a deliberate defect sits: between the real programs and their ports. */
import { webhookOf } from "../../../backend/partner/send.ts";
import type { PartnerRequest, PartnerTransport } from "../../../backend/ports.ts";
import type { SqliteEngine } from "../../../backend/store/sqlite.ts";
import type { Journal, Ports, ServiceAnswer, Transport } from "../../../main/terminal/ports.ts";
import { eventsPath } from "../bank.ts";
import { bankKey } from "../boot-service.ts";
import { guarded, type Programs, realPrograms } from "../programs.ts";
import type { ServicePorts } from "../service.ts";

type Sent = Parameters<Transport["send"]>[0];

/** Between the guard and the terminal, or in how PINs are hashed. */
export const inGuard = (...parts: Parameters<typeof guarded>): Programs => ({
  ...realPrograms,
  bootTerminal: guarded(...parts),
});
/** Between the terminal and any of its ports. */
export const inTill = (wrap: (ports: Ports) => Partial<Ports>): Programs => ({
  ...realPrograms,
  bootTerminal: (ports) => realPrograms.bootTerminal({ ...ports, ...wrap(ports) }),
});
/** Between the terminal and the service. */
export const inTransport = (wrap: (send: Transport["send"]) => Transport["send"]): Programs =>
  inTill(({ transport }) => ({ transport: { send: wrap((request) => transport.send(request)) } }));
/** Between the service and any of its ports. */
export const inService = (wrap: (ports: ServicePorts) => Partial<ServicePorts>): Programs => ({
  ...realPrograms,
  bootService: (ports) => realPrograms.bootService({ ...ports, ...wrap(ports) }),
});
/** Between the service and the bank. */
export const inBankCalls = (wrap: (transport: PartnerTransport) => PartnerTransport["post"]): Programs =>
  inService(({ transport }) => {
    const post = wrap({ ...transport, post: (request) => transport.post(signed(request)) });
    return { transport: { ...transport, post } };
  });

/** What a careless change has made of a call is signed as the service signs: the bank takes nothing else. */
const signed = (request: PartnerRequest): PartnerRequest => {
  const { headers, body } = request;
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  const signature = webhookOf(bankKey).sign(headers["webhook-id"] ?? "", at, body);
  return { ...request, headers: { ...headers, "webhook-signature": signature } };
};
/** Between the service and its database. */
export const inDatabase = (wrap: (engine: SqliteEngine, ports: ServicePorts) => Partial<SqliteEngine>): Programs =>
  inService((ports) => ({
    open: () => {
      const engine = ports.open();
      return { ...engine, ...wrap(engine, ports) };
    },
  }));

/** The transaction that a request of the terminal is about. */
export const transactionIn = ({ body }: Sent): string =>
  String((body as { transaction_id?: string } | undefined)?.transaction_id);
/** Whether the terminal would have to ask again. */
export const isLost = (answer: ServiceAnswer): boolean => answer.kind === "silence" || answer.status >= 500;
/** The answer to a call that went through. */
export const done: ServiceAnswer = { kind: "answer", status: 201, body: null, dateMs: null, retryAfterMs: null };
/** Whether it is the Start order's path. */
export const isStart = (url: string): boolean => url.endsWith("/startwithdrawal");
/** Whether it is the path of status events. */
export const isEvent = (url: string): boolean => url.endsWith(eventsPath);
/** Whether it is the Settle order's path. */
export const isSettle = (url: string): boolean => url.endsWith("/settlewithdrawal");

/** The answer with its body changed, if it has one about a transaction. */
export const rewritten = (answer: ServiceAnswer, change: (body: Record<string, unknown>) => object): ServiceAnswer =>
  answer.kind === "answer" && typeof answer.body === "object" && answer.body !== null && "transaction_id" in answer.body
    ? { ...answer, body: change({ ...answer.body }) }
    : answer;

/** Lines wait in memory until an answer has come or a second has passed. */
export const lateJournal = ({ journal, clock }: Ports): { late: Journal; flush: () => void } => {
  const waiting: { at: number; bodies: readonly string[] }[] = [];
  const flush = (): void => {
    for (const { at, bodies } of waiting.splice(0)) journal.append(at, bodies);
  };
  const append = (at: number, bodies: readonly string[]): void => {
    waiting.push({ at, bodies });
    clock.after(1_000, flush);
  };
  return { late: { ...journal, append }, flush };
};

/** A service that names another amount for some withdrawals once they are settled: they are left to the books. */
export const otherAmounts = ({ transport }: Ports): Pick<Ports, "transport"> => ({
  transport: {
    send: async (request) =>
      rewritten(await transport.send(request), (body) =>
        body.status === "settled" && String(body.transaction_id).charCodeAt(3) % 8 === 0
          ? { ...body, amount: "999.00" }
          : body,
      ),
  },
});
/** No defect of the terminal: problems arise, and every promise must hold. */
export const programsWithProblems: Programs = inTill(otherAmounts);

type Checkpoint = Record<string, unknown> & { readonly drawerMoney?: { readonly day?: object } };

/** A journal whose checkpoints lack something. */
const withCheckpoints = (journal: Ports["journal"], change: (checkpoint: Checkpoint) => object): Ports["journal"] => ({
  ...journal,
  append: (at, bodies) => {
    const isCheckpoint = (body: string): boolean => body.startsWith('{"type":"checkpoint"');
    const changed = (body: string): string => JSON.stringify(change(JSON.parse(body) as Checkpoint));
    journal.append(
      at,
      bodies.map((body) => (isCheckpoint(body) ? changed(body) : body)),
    );
  },
});

/** A journal whose checkpoints forget what a manager has to clear up. */
export const withoutProblems = (journal: Ports["journal"]): Ports["journal"] =>
  withCheckpoints(journal, (checkpoint) => ({ ...checkpoint, problems: [] }));

/** A journal whose checkpoints forget the hand-outs of the day. */
export const withoutHandOuts = (journal: Ports["journal"]): Ports["journal"] =>
  withCheckpoints(journal, (checkpoint) => {
    const { drawerMoney } = checkpoint;
    if (drawerMoney?.day === undefined) return checkpoint;
    const day = { ...drawerMoney.day, handOuts: 0, handedOutMinor: 0 };
    return { ...checkpoint, drawerMoney: { ...drawerMoney, day } };
  });
