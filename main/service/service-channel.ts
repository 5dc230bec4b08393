/** The bundled service as a child of this program, and the private channel between the two: no address, and no port that another could take. */
import {
  type HostMessage,
  type HostRequest,
  hostMessageSchema,
  type ServiceState,
} from "../../backend/contract/host-channel.ts";

/** Long enough for the backup of a large database. */
const answerTimeoutMs = 60_000;

/** One started process; `stop` asks for an orderly end, `kill` does not ask. */
export interface ServiceChild {
  readonly exited: Promise<number | null>;
  onLine(listener: (line: string) => void): void;
  /** Calls with each message over the channel that it and this program alone have. */
  onMessage(listener: (message: unknown) => void): void;
  /** Does nothing once the channel is closed; `exited` says so. */
  send(message: unknown): void;
  stop(): void;
  kill(): void;
}

/** What an operator's command prints. */
export type Rows = Extract<HostMessage, { kind: "rows" }>["rows"];

/** The service refused the request; nothing was changed. */
export class ServiceRefusal extends Error {
  override readonly name = "ServiceRefusal";
  /** The words and flags that are wrong. */
  readonly fields: readonly string[];
  constructor(message: string, fields: readonly string[]) {
    super(message);
    this.fields = fields;
  }
}

/** An operator's command as it is sent over the channel. */
type CommandRequest = Pick<Extract<HostRequest, { ask: "command" }>, "words" | "flags" | "secret" | "actor">;

/** One running service. */
export type ServiceChannel = ReturnType<typeof openServiceChannel>;

/** @param child must be listening already: messages sent before are lost. */
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
    /** @throws ServiceRefusal; Error when the service ends meanwhile or says nothing for a minute. */
    command: async (asked: CommandRequest): Promise<Rows> =>
      (await requestFor("rows", (id) => ({ id, ask: "command", ...asked }))).rows,
    state: async (): Promise<ServiceState> => (await requestFor("state", (id) => ({ id, ask: "state" }))).state,
    /** Resolves when it answers. */
    ping: async (): Promise<void> => void (await request((id) => ({ id, ask: "ping" }))),
    /** A call as `fetch` makes it, whatever host the address names. Rejects as the request's signal says. */
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

/** A call to a service of this program's own. @param channel null: it does not run, and nothing was sent (ECONNREFUSED). */
export const fetchOver = (channel: ServiceChannel | null, request: Request): Promise<Response> =>
  channel === null
    ? Promise.reject(Object.assign(new Error("the service does not run"), { code: "ECONNREFUSED" }))
    : channel.fetch(request);
