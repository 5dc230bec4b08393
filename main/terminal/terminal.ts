/** The terminal: puts core, effects and journal together and answers the screens' commands. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Bridge, OwnServiceStatus, PeopleView, Reply, TerminalCommand } from "../../preload/contract.ts";
import { createArchiver } from "./archiving.ts";
import { type JournalChoice, openBook } from "./book-opening.ts";
import { createCore } from "./core.ts";
import { mayAct } from "./decide/day.ts";
import { createEffectLoop } from "./effects/effect-loop.ts";
import { changeSettings, createEnrolment, deviceOf } from "./enrolment.ts";
import { createHistoryCommands } from "./history-commands.ts";
import { createJournalCheck } from "./journal/health.ts";
import type { Cancel, DamagedEntry, Ports } from "./ports.ts";
import { bodyOf } from "./service/classify-answer.ts";
import { createServiceClient } from "./service/client.ts";
import type { ManagerResetAnswer } from "./service/enrolment-answer.ts";
import { createSetUpCommands } from "./set-up-commands.ts";
import type { Actor } from "./state/actor.ts";
import { checkpointEveryEntries, journalTryMs } from "./state/bounds.ts";
import { dayViewOf } from "./state/day-view.ts";
import type { DurableEvent } from "./state/events.ts";
import { problemsOf } from "./state/manager-problems.ts";
import { initialState, pendingReport } from "./state/state.ts";
import { usableSettings } from "./state/usable-settings.ts";

/** A terminal, for its host. */
export interface Terminal extends Pick<Bridge, "subscribe"> {
  /** @param actor who stands behind the command; the host has checked that this person may. */
  dispatch(command: TerminalCommand, actor: Actor): Promise<Reply>;
  /** Who is here, for the screens. */
  showPeople(people: PeopleView): void;
  /** How the service is that this terminal runs itself, for the screens; null where it runs none. */
  showService(ownService: OwnServiceStatus | null): void;
  /** Writes down what somebody did about the terminal itself, or was refused; `about` names to whom or what. */
  record(act: string, about: string | null, actor: Actor): void;
  /** Redeems the operator's code for a forgotten manager's PIN at the service that this terminal belongs to. */
  redeemManagerReset(code: string): Promise<ManagerResetAnswer>;
  /** What the journal knows of people; null while it cannot be read. */
  peopleKnown(): { readonly highest: number; readonly isEnrolled: boolean } | null;
  /** Puts it to work; until then it shows `starting`. */
  start(): void;
  /** For a host that is told when the machine wakes or is unlocked; without it the next timer or press notices. */
  wake(): void;
  /** Lets go of the journal and leaves what is open to the next start. */
  close(): Promise<void>;
}

/**
 * Builds the terminal over its ports and reads the journal. Rejects only when the host's settings or secrets cannot be read;
 * a journal that cannot be opened is tried again after `start`, and the terminal shows so meanwhile.
 * @param checkpointEvery journal entries between two checkpoints, 5,000 by default; a simulated terminal takes fewer.
 */
export const createTerminal = async (ports: Ports, checkpointEvery = checkpointEveryEntries): Promise<Terminal> => {
  const { clock, journal, log } = ports;
  const client = createServiceClient(ports);
  const checkJournal = createJournalCheck(journal, clock, (progress) => {
    if (phase !== "closed") core.apply([{ type: "journal_check_moved", progress }]);
  });
  const record: Terminal["record"] = (act, about, actor) => {
    log("info", "at the terminal", { act, about, actor: actor.code });
    if (opened !== null) core.applyOrKeep([{ type: "act", act, about }], core.momentNow(), actor);
  };
  const history = createHistoryCommands(ports, client, () => core, record);
  const loadDevice = () => {
    const credential = ports.secrets.load();
    return credential === null ? null : deviceOf(credential);
  };
  const core = createCore({
    ports,
    initial: initialState(
      usableSettings(ports.settings.load(), ports.training),
      loadDevice(),
      ports.training,
      ports.shop.load(),
    ),
    checkpointEvery,
    onWritten: (events) => history.wrote(events.length),
  });
  const effects = createEffectLoop(core, client, ports);
  const setUp = createSetUpCommands(core, ports);
  const archiver = createArchiver(core, ports);
  /** What to do once `start` was called; null while the journal is not read. */
  let opened: { readonly first: readonly DurableEvent[]; readonly damaged: readonly DamagedEntry[] } | null = null;
  let phase: "new" | "started" | "closed" = "new";
  let cancelRetry: Cancel | null = null;

  const readJournal = (choice: JournalChoice): void => {
    const opening = openBook(core, ports, loadDevice(), choice);
    if (opening.kind === "blocked") {
      const takes = opening.blocked.why !== "journal_unavailable";
      core.apply([
        { type: "blocked", blocked: opening.blocked },
        { type: "journal_health_changed", takes },
      ]);
      return;
    }
    const { replayed, first } = opening;
    opened = { first, damaged: replayed.damaged };
    const { people, ownService } = core.state;
    core.replace({ ...replayed.state, journalFailing: core.writer.failing, people, ownService });
    core.writer.reset(replayed.entries);
    history.forget();
  };

  /** Starts what the journal says; while it cannot be opened, tries again and again. */
  const begin = (choice: JournalChoice = null): void => {
    cancelRetry?.();
    if (phase !== "started") return;
    if (opened === null) readJournal(choice);
    if (opened === null) {
      if (core.state.blocked?.why === "journal_unavailable") cancelRetry = clock.after(journalTryMs, () => begin());
      return;
    }
    const { first, damaged } = opened;
    const moment = core.momentNow();
    core.applyOrKeep(first, moment);
    if (damaged.length > 0) log("warn", "damaged journal entries", { damaged: damaged.slice(0, 20) });
    const waiting = [...core.state.open.values()].filter((one) => pendingReport(one) !== null).length;
    log("info", "the terminal starts", { open: core.state.open.size, waiting });
    core.checkpoint(core.state.damagedEntries + damaged.length, moment);
    core.apply([{ type: "started", damagedEntries: damaged.length }], moment);
    history.opened();
    effects.turn();
  };

  const reopen = (choice: JournalChoice = null): void => {
    opened = null;
    begin(choice);
  };

  const enrolment = createEnrolment(core, client, ports, () => reopen());

  const answer = async (command: TerminalCommand, actor: Actor): Promise<Reply> => {
    if (phase === "closed") return { ok: false, code: "failed" };
    effects.checkSleep();
    switch (command.type) {
      case "enroll":
      case "enroll_by_code": {
        if (opened === null) return { ok: false, code: "failed" };
        const reply = await (command.type === "enroll" ? enrolment.byKey(command) : enrolment.byCode(command));
        const { device } = core.state;
        record(reply.ok ? "enrolled" : `enrolment_${reply.code}`, reply.ok && device ? device.deviceId : null, actor);
        effects.turn();
        return reply;
      }
      case "answer_journal_question":
        if (core.state.blocked?.why !== "other_journal") return { ok: false, code: "stale" };
        reopen(command.choice);
        record(`journal_${command.choice}`, null, actor);
        return { ok: true };
      case "change_settings": {
        const reply = changeSettings(core, ports, command.settings);
        if (reply.ok) record("settings_changed", null, actor);
        return reply;
      }
      case "list_problems":
        return { ok: true, data: problemsOf(core.state, core.momentNow()) };
      case "get_day": {
        const seesExpected = mayAct(core.state, actor, "expected");
        if (command.reveal && !seesExpected) return { ok: false, code: "approval_needed" };
        return { ok: true, data: dayViewOf(core.state, seesExpected) };
      }
      case "list_history":
      case "list_cashiers":
      case "get_story":
      case "get_figures":
      case "get_books":
      case "print_receipt":
      case "list_days":
      case "print_day": {
        const reply = await history.answer(command, actor);
        effects.turn();
        return reply;
      }
      case "check_journal":
        return checkJournal(opened?.damaged ?? [], () => client.listJournalHeads().then(bodyOf)).then(
          (data): Reply => ({ ok: true, data }),
          (error: unknown): Reply => {
            log("error", "the journal could not be checked to its end", { error: String(error) });
            return { ok: false, code: "failed" };
          },
        );
      case "check_connection":
      case "test_drawer":
      case "practice_request":
      case "practice_read":
      case "practice_decide":
      case "switch_purpose":
      case "save_report":
      case "set_up_service":
      case "change_service":
      case "get_service":
      case "restart_service":
      case "back_up_service":
      case "renew_bank_access":
      case "discard_bank_file":
        return setUp(command, actor, opened !== null);
      case "decide_withdrawal":
      case "acknowledge_problem":
      case "scan":
      case "confirm":
      case "reject":
      case "hand_out":
      case "not_handed_out":
      case "dismiss":
      case "retry":
      case "resume":
      case "open_day":
      case "move_cash":
      case "count_day":
      case "recount_day":
      case "close_day":
      case "retry_print":
      case "drop_prints":
      case "open_drawer": {
        const reply = core.handle(command, actor) ?? { ok: false, code: "failed" };
        effects.turn();
        return reply;
      }
      default:
        return assertNever(command);
    }
  };

  readJournal(null);
  return {
    /** Waits for its turn, so that a screen may dispatch from within its own listener. */
    dispatch: (command, actor) => Promise.resolve().then(() => answer(command, actor)),
    subscribe: core.subscribe,
    showPeople(people) {
      if (phase !== "closed") core.apply([{ type: "people_changed", people }]);
    },
    showService(ownService) {
      if (phase !== "closed") core.apply([{ type: "own_service_changed", ownService }]);
    },
    record,
    async redeemManagerReset(code) {
      const { device } = core.state;
      return device === null || phase === "closed" ? "unreachable" : client.redeemManagerReset(device, code);
    },
    peopleKnown: () =>
      opened === null ? null : { highest: core.state.peopleSeen, isEnrolled: core.state.device !== null },
    start() {
      if (phase !== "new") return;
      phase = "started";
      begin();
      archiver.start();
    },
    wake() {
      if (phase !== "started") return;
      effects.checkSleep();
      effects.turn();
    },
    async close() {
      if (phase === "closed") return;
      phase = "closed";
      cancelRetry?.();
      effects.stop();
      archiver.stop();
      history.close();
      core.close();
      journal.close();
    },
  };
};
