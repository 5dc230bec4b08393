/** Answers the screens' commands: each goes to the part that knows about it. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import { type CommandOf, isFor, isForHost, type Reply, type TerminalCommand } from "../../preload/contract.ts";
import type { Core } from "./core.ts";
import { changeSettings, type Enrolment } from "./enrolment.ts";
import type { HistoryCommands } from "./history-commands.ts";
import type { createJournalCheck } from "./journal/writer.ts";
import type { JournalStart } from "./journal-start.ts";
import type { Ports } from "./ports.ts";
import { bodyOf } from "./service/answer.ts";
import type { ServiceClient } from "./service/client.ts";
import type { createSetUpCommands } from "./set-up-commands.ts";
import { mayAct } from "./withdrawal/decide-day.ts";
import { dayViewOf } from "./withdrawal/drawer-day.ts";
import type { EffectLoop } from "./withdrawal/effects-loop.ts";
import { type Actor, approvalMissing } from "./withdrawal/inputs.ts";
import { problemsOf } from "./withdrawal/problems.ts";

/** The parts that commands go to. */
export interface CommandParts {
  readonly core: Core;
  readonly ports: Ports;
  readonly effects: Pick<EffectLoop, "turn">;
  readonly journalStart: Pick<JournalStart, "opened" | "reopen">;
  readonly enrolment: Enrolment;
  readonly history: Pick<HistoryCommands, "answer">;
  readonly setUp: ReturnType<typeof createSetUpCommands>;
  readonly checkJournal: ReturnType<typeof createJournalCheck>;
  readonly client: Pick<ServiceClient, "listJournalHeads">;
  /** As `Terminal.record`. */
  readonly record: (act: string, about: string | null, actor: Actor) => void;
}

const enroll = async (
  { core, effects, enrolment, journalStart, record }: CommandParts,
  command: CommandOf<"enrolment">,
  actor: Actor,
): Promise<Reply> => {
  if (journalStart.opened === null) return { ok: false, code: "failed" };
  const reply = await (command.type === "enroll" ? enrolment.byKey(command) : enrolment.byCode(command));
  const { device } = core.state;
  record(reply.ok ? "enrolled" : `enrolment_${reply.code}`, reply.ok && device ? device.deviceId : null, actor);
  effects.turn();
  return reply;
};

const checkWholeJournal = async ({ checkJournal, client, journalStart, ports }: CommandParts): Promise<Reply> => {
  try {
    const askService = () => client.listJournalHeads().then(bodyOf);
    return { ok: true, data: await checkJournal(journalStart.opened?.damaged ?? [], askService) };
  } catch (error) {
    ports.log("error", "the journal could not be checked to its end", { error: String(error) });
    return { ok: false, code: "failed" };
  }
};

/** What a command comes to. Rejects for nothing that a screen can send. */
export const answerCommand = async (parts: CommandParts, command: TerminalCommand, actor: Actor): Promise<Reply> => {
  const { core, ports, effects, history, journalStart, record, setUp } = parts;
  if (isForHost(command)) return { ok: false, code: "invalid" };
  if (isFor(command, "enrolment")) return enroll(parts, command, actor);
  if (isFor(command, "setUp")) return setUp(command, actor, journalStart.opened !== null);
  if (isFor(command, "history")) {
    const reply = await history.answer(command, actor);
    effects.turn();
    return reply;
  }
  if (isFor(command, "cashier", "manager", "day", "printer")) {
    const reply = core.handle(command, actor) ?? { ok: false, code: "failed" };
    effects.turn();
    return reply;
  }
  switch (command.type) {
    case "answer_journal_question":
      if (core.state.blocked?.why !== "other_journal") return { ok: false, code: "stale" };
      journalStart.reopen(command.choice);
      record(`journal_${command.choice}`, null, actor);
      return { ok: true };
    case "change_settings": {
      const reply = changeSettings(core, ports, command.settings, actor, journalStart.opened !== null);
      if (reply.ok) record("settings_changed", null, actor);
      return reply;
    }
    case "list_problems":
      return { ok: true, data: problemsOf(core.state, core.momentNow()) };
    case "get_day": {
      const seesExpected = mayAct(core.state, actor, "expected");
      if (command.reveal && !seesExpected) return { ok: false, code: approvalMissing(actor) };
      if (command.reveal || command.approval !== undefined)
        record("expected_shown", actor.approvedBy?.code ?? null, actor);
      return { ok: true, data: dayViewOf(core.state, seesExpected) };
    }
    case "check_journal":
      return checkWholeJournal(parts);
    default:
      return assertNever(command);
  }
};
