/** The private IPC channel to the bundled service, a child process: no address, and no port that another program could take. */
import {
  type HostMessage,
  type HostRequest,
  hostMessageSchema,
  type ServiceState,
} from "../../backend/contract/host-channel.ts";

/** Long enough for the backup of a large database. */
const answerTimeoutMs = 60_000;

/** One started process; `stop` asks it to shut down in order, `kill` forces it. */
export interface ServiceChild {
  readonly exited: Promise<number | null>;
  onLine(listener: (line: string) => void): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Does nothing after the channel has closed; `exited` resolves then. */
  send(message: unknown): void;
  stop(): void;
  kill(): void;
}

/** Output of an operator's command. */
export type Rows = Extract<HostMessage, { kind: "rows" }>["rows"];

/** The service refused the request; nothing was changed. */
export class ServiceRefusal extends Error {
  override readonly name = "ServiceRefusal";
  readonly fields: readonly string[];
  constructor(message: string, fields: readonly string[]) {
    super(message);
    this.fields = fields;
  }
}

/** An operator's command as sent over the channel. */
type CommandRequest = Pick<Extract<HostRequest, { ask: "command" }>, "words" | "flags" | "secret" | "actor">;

/** See `openServiceChannel`. */
export type ServiceChannel = ReturnType<typeof openServiceChannel>;

/** @param child must already listen: earlier messages are lost. */
export const openServiceChannel = (child: ServiceChild) => {
  let last = 0;
  let hasEnded = false;
  const waiting = new Map<number, PromiseWithResolvers<HostMessage>>();
  child.onMessage((message) => {
    const answer = hostMessageSchema.safeParse(message).data;
    if (answer === undefined || answer.kind === "cannot_start") return;
    const asked = waiting.get(answer.id);
    if (answer.kind === "refused") asked?.reject(new ServiceRefusal(answer.message, answer.fields));
    else asked?.resolve(answer);
  });
  void child.exited.then(() => {
    hasEnded = true;
    for (const { reject } of waiting.values()) reject(new Error("the service has ended"));
  });

  const request = async (build: (id: number) => HostRequest, signal?: AbortSignal): Promise<HostMessage> => {
    if (hasEnded) throw new Error("the service has ended");
    last += 1;
    const id = last;
    const asked = Promise.withResolvers<HostMessage>();
    const timer = setTimeout(() => asked.reject(new Error("the service does not answer")), answerTimeoutMs);
    signal?.addEventListener("abort", () => asked.reject(signal.reason), { once: true });
    waiting.set(id, asked);
    child.send(build(id));
    try {
      return await asked.promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };

  type Kind = HostMessage["kind"];
  const requestFor = async <K extends Kind>(kind: K, build: (id: number) => HostRequest, signal?: AbortSignal) => {
    const answer = await request(build, signal);
    if (answer.kind !== kind) throw new Error("the service gave another answer than was asked for");
    return answer as Extract<HostMessage, { kind: K }>;
  };

  return {
    ended: child.exited,
    /** @throws ServiceRefusal; Error if the service exits meanwhile or does not answer for a minute. */
    command: async (asked: CommandRequest): Promise<Rows> =>
      (await requestFor("rows", (id) => ({ id, ask: "command", ...asked }))).rows,
    state: async (): Promise<ServiceState> => (await requestFor("state", (id) => ({ id, ask: "state" }))).state,
    ping: async (): Promise<void> => void (await request((id) => ({ id, ask: "ping" }))),
    /** Like `fetch`; the address's host is ignored. Rejects with the reason of the request's signal. */
    async fetch(sent: Request): Promise<Response> {
      const { method, signal } = sent;
      const { pathname, search } = new URL(sent.url);
      const headers = [...sent.headers];
      const body = sent.body === null ? null : Buffer.from(await sent.arrayBuffer()).toString("base64");
      signal.throwIfAborted();
      const asked = { ask: "http", method, path: pathname + search, headers, body } as const;
      const answer = await requestFor("http", (id) => ({ id, ...asked }), signal);
      const bytes = answer.body === null ? null : Buffer.from(answer.body, "base64");
      return new Response(bytes, { status: answer.status, headers: answer.headers });
    },
  };
};

/** A call to this program's own service. @param channel null: it is not running; rejects with ECONNREFUSED, nothing was sent. */
export const fetchOver = (channel: ServiceChannel | null, request: Request): Promise<Response> =>
  channel === null
    ? Promise.reject(Object.assign(new Error("the service does not run"), { code: "ECONNREFUSED" }))
    : channel.fetch(request);
