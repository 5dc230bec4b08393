/** Answers the parent process: calls of its terminal, operator's commands with all their checks, the service's state. */

import { assertNever } from "../contract/assert-never.ts";
import {
  type HostMessage,
  type HostRequest,
  hostRequestSchema,
  type ServiceState,
  type ServiceTrouble,
} from "../contract/host-channel.ts";
import { outbox as orders } from "../partner/orders.ts";
import { messageOf, ServiceError } from "../service-error.ts";
import { newestCopy } from "../store/copy.ts";
import { StoreRefused } from "../store/store.ts";
import { serviceVersion } from "../version.ts";
import { UsageError } from "./arguments.ts";
import { auditedStore } from "./audited-store.ts";
import { commands } from "./commands.ts";
import type { CommandContext, CommandOutput } from "./context.ts";

const run = (on: CommandContext, { words, flags, secret, actor }: Extract<HostRequest, { ask: "command" }>) => {
  const name = words.slice(0, 2).join(" ");
  const command = commands[name];
  if (command === undefined) throw new UsageError(`there is no command "${name}"`);
  const store = auditedStore(on.store, on.keys, on.clock, { name, words: words.slice(2), flags, actor });
  return command({ ...on, store, partnerSecret: secret }, words.slice(2), flags);
};

const backupOf = async ({ database, backups, clock }: CommandContext): Promise<ServiceState["backup"]> => {
  if (backups === null || database.kind !== "sqlite") return null;
  try {
    return await newestCopy(database.path, backups.folder, clock.now());
  } catch {
    // The folder does not exist (yet).
    return null;
  }
};

const stateOf = async (on: CommandContext, publicUrl: string): Promise<ServiceState> => {
  const outbox = await on.store.read((tx) => tx.first(orders.state({})));
  return {
    version: serviceVersion,
    publicUrl,
    outbox: { waiting: Number(outbox?.depth ?? 0), oldestAt: outbox?.oldest ?? null },
    backup: await backupOf(on),
  };
};

const refusalOf = (id: number, error: unknown): HostMessage => ({
  kind: "refused",
  id,
  fields: error instanceof UsageError ? [...error.fields] : [],
  message: messageOf(error),
});

interface AnswersHost {
  readonly commandContext: CommandContext;
  readonly publicUrl: string;
  /** Handles a call as if it came over HTTP. */
  readonly answer: (request: Request) => Promise<Response>;
}

const base64Of = async (response: Response): Promise<string | null> =>
  response.body === null ? null : Buffer.from(await response.arrayBuffer()).toString("base64");

const httpAnswer = async (
  { answer, publicUrl }: AnswersHost,
  { id, method, path, headers, body }: Extract<HostRequest, { ask: "http" }>,
): Promise<HostMessage> => {
  const sent = body === null ? null : Buffer.from(body, "base64");
  const response = await answer(new Request(new URL(publicUrl).origin + path, { method, headers, body: sent }));
  const { status } = response;
  return { kind: "http", id, status, headers: [...response.headers], body: await base64Of(response) };
};

/** The answer to one message; null for anything else, such as `stop`. Never rejects. */
export const answerHost = async (running: AnswersHost, message: unknown): Promise<HostMessage | null> => {
  const parsed = hostRequestSchema.safeParse(message);
  if (!parsed.success) return null;
  const request = parsed.data;
  const { id, ask } = request;
  const { commandContext, publicUrl } = running;
  try {
    switch (ask) {
      case "ping":
        return { kind: "pong", id };
      case "state":
        return { kind: "state", id, state: await stateOf(commandContext, publicUrl) };
      case "http":
        return await httpAnswer(running, request);
      case "command": {
        const rows: CommandOutput = await run(commandContext, request);
        return { kind: "rows", id, rows: rows.map((row) => ({ ...row })) };
      }
      default:
        return assertNever(ask);
    }
  } catch (error) {
    return refusalOf(id, error);
  }
};

/** Why the service could not start, for the parent. */
export const troubleOf = (error: unknown): ServiceTrouble => {
  if (error instanceof StoreRefused) return error.why === "other" ? "failed" : error.why;
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  return isTaken ? "port_taken" : "failed";
};

/** A sentence that a person can act on, whatever was thrown. */
export const sentenceOf = (error: unknown): string =>
  error instanceof UsageError || error instanceof StoreRefused || error instanceof ServiceError
    ? error.message
    : String(error);
