/** Answers the bridge's commands about the own service around the terminal, and shows the service's state in every snapshot. */
import pLimit from "p-limit";
import { assertNever } from "../../../backend/contract/assert-never.ts";
import {
  isFor,
  type OwnServiceCommand,
  type OwnServiceReply,
  type Reply,
  type TerminalCommand,
} from "../../../preload/contract.ts";
import type { Log } from "../../host/log-file.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Actor } from "../../terminal/withdrawal/inputs.ts";
import type { OwnServiceProcess } from "./process.ts";
import { setUpService } from "./set-up.ts";
import { createOwnServiceWork } from "./work.ts";

const reply = (data: OwnServiceReply): Reply => ({ ok: true, data });
/** The actor's name in the service's audit. */
const nameOf = ({ code }: Actor): string => `manager ${code} at the terminal`;

type Served = Pick<Terminal, "dispatch" | "snapshot" | "showService" | "record">;

/**
 * Wraps the terminal. @param host in training the commands are refused: the service for real money runs on unchanged.
 */
export const withOwnService = <T extends Served>(
  terminal: T,
  service: OwnServiceProcess,
  host: { readonly training: boolean; readonly log: Log },
): T => {
  const work = createOwnServiceWork(service);
  /** One at a time: a form that is sent twice would create keys that replace each other. */
  const oneAtATime = pLimit(1);
  const show = (): void => terminal.showService(service.status());
  if (!host.training) {
    service.watch(show);
    show();
  }

  const enrolAt =
    (actor: Actor) =>
    async (serviceUrl: string, code: string): Promise<string | null> => {
      const enrolled = await terminal.dispatch({ type: "enroll_by_code", serviceUrl, code }, actor);
      return enrolled.ok ? null : `enrolment: ${enrolled.code}`;
    };

  const answer = async (command: OwnServiceCommand, actor: Actor): Promise<Reply> => {
    const by = nameOf(actor);
    switch (command.type) {
      case "set_up_service": {
        if (terminal.snapshot().header.unfinished > 0) return { ok: false, code: "undecided" };
        const { shop, bank, backupFolder } = command;
        return reply(await setUpService(service, { shop, bank, backupFolder }, by, enrolAt(actor)));
      }
      case "change_service": {
        const { change } = command;
        switch (change.part) {
          case "shop":
            return reply(await work.changeShop(change.shop, by));
          case "bank":
            return reply(await work.changeBank(change.bank, by));
          case "backups":
            return reply(await work.changeBackups(change.folder));
          case "network":
            return reply(await work.changeNetwork(change.network));
          default:
            return assertNever(change);
        }
      }
      case "get_service": {
        const data = await work.view(by);
        return data === null ? { ok: false, code: "invalid" } : { ok: true, data };
      }
      case "restart_service":
        // A running service is not restarted: withdrawals may be under way.
        if (service.channel() !== null) return { ok: true };
        return (await service.start()) === null ? { ok: false, code: "failed" } : { ok: true };
      case "back_up_service":
        return reply(await work.backUp(by));
      case "renew_bank_access":
        return reply(await work.renewBankAccess(by));
      case "discard_bank_file":
        work.discardBankFile();
        return { ok: true };
      default:
        return assertNever(command);
    }
  };

  let renewing: Promise<Reply> | null = null;
  const change = (command: OwnServiceCommand, actor: Actor): Promise<Reply> => {
    const begin = () => oneAtATime(() => answer(command, actor));
    if (command.type !== "renew_bank_access") return begin();
    // A second press shares the first renewal: two renewals would revoke the key that the bank still uses.
    renewing ??= begin().finally(() => {
      renewing = null;
    });
    return renewing;
  };

  return {
    ...terminal,
    async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
      if (!isFor(command, "ownService")) return terminal.dispatch(command, actor);
      if (host.training) return { ok: false, code: "invalid" };
      const isRead = command.type === "get_service";
      if (!isRead) terminal.record(`service_${command.type}`, null, actor);
      try {
        return await (isRead ? answer(command, actor) : change(command, actor));
      } catch (error) {
        host.log("error", "the service of this terminal could not be worked with", { error: String(error) });
        return { ok: false, code: "failed" };
      }
    },
  };
};
