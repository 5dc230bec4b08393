/** The terminal: puts core, effects and journal together and answers the screens' commands. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Bridge, Command, Reply } from "../../preload/contract.ts";
import { createCore } from "./core.ts";
import { createEffectLoop } from "./effects/effect-loop.ts";
import { changeSettings, deviceOf, enroll } from "./enrolment.ts";
import { createJournalQueries } from "./journal/queries.ts";
import { type Replayed, replay } from "./journal/replay.ts";
import type { Cancel, Ports } from "./ports.ts";
import { createServiceClient } from "./service/client.ts";
import { checkpointEveryEntries, journalTryMs } from "./state/bounds.ts";
import { hash } from "./state/partner-id.ts";
import { initialState, pendingReport } from "./state/state.ts";
import { usableSettings } from "./state/usable-settings.ts";

export interface Terminal extends Bridge {
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
  const { clock, ids, journal, log } = ports;
  const client = createServiceClient(ports);
  const queries = createJournalQueries(journal);
  const credential = ports.secrets.load();
  const device = credential === null ? null : deviceOf(credential);
  const core = createCore({
    ports,
    initial: initialState(usableSettings(ports.settings.load(), ports.training), device, ports.training),
    checkpointEvery,
    onWritten: queries.take,
  });
  const effects = createEffectLoop(core, client, ports);
  let replayed: Replayed | null = null;
  let closed = false;
  let started = false;
  let cancelRetry: Cancel | null = null;

  /** False while the journal cannot be opened: what is open is not known then, so nothing is begun. */
  const readJournal = (): boolean => {
    if (replayed !== null) return true;
    const opening = journal.open();
    if (opening.kind !== "open") {
      log("error", "the journal cannot be opened", { error: opening.error });
      core.apply([{ type: "journal_health_changed", takes: false }]);
      return false;
    }
    replayed = replay({ ...core.state, journalFailing: false }, journal, core.momentNow());
    core.replace(replayed.state);
    core.writer.countFrom(replayed.entries);
    return true;
  };

  const begin = (): void => {
    if (closed) return;
    if (!readJournal() || replayed === null) {
      cancelRetry = clock.after(journalTryMs, begin);
      return;
    }
    const moment = core.momentNow();
    if (core.state.installation === null) {
      const installed = { type: "installed", tag: hash(ids.next()) } as const;
      core.applyOrKeep(installed, moment);
    }
    const { damaged } = replayed;
    if (damaged.length > 0) log("warn", "damaged journal entries", { damaged: damaged.slice(0, 20) });
    const waiting = [...core.state.open.values()].filter((one) => pendingReport(one) !== null).length;
    log("info", "the terminal starts", { open: core.state.open.size, waiting });
    core.checkpoint(core.state.damagedEntries + damaged.length, moment);
    core.apply([{ type: "started", damagedEntries: damaged.length }], moment);
    effects.turn();
  };

  const answer = async (command: Command): Promise<Reply> => {
    if (closed) return { ok: false, code: "failed" };
    effects.checkSleep();
    switch (command.type) {
      case "enroll": {
        if (replayed === null) return { ok: false, code: "failed" };
        const reply = await enroll(core, client, log, command);
        effects.turn();
        return reply;
      }
      case "change_settings":
        return changeSettings(core, ports, command.settings);
      case "list_history":
        return { ok: true, data: queries.history(command.before, command.limit) };
      case "check_journal":
        return { ok: true, data: queries.health(replayed?.damaged ?? []) };
      case "scan":
      case "confirm":
      case "reject":
      case "hand_out":
      case "not_handed_out":
      case "dismiss":
      case "retry":
      case "resume":
      case "open_drawer": {
        const reply = core.handle(command) ?? { ok: false, code: "failed" };
        effects.turn();
        return reply;
      }
      default:
        return assertNever(command);
    }
  };

  readJournal();
  return {
    /** Waits for its turn, so that a screen may dispatch from within its own listener. */
    dispatch: (command) => Promise.resolve().then(() => answer(command)),
    subscribe: core.subscribe,
    start() {
      if (started || closed) return;
      started = true;
      begin();
    },
    wake() {
      if (closed || !started) return;
      effects.checkSleep();
      effects.turn();
    },
    async close() {
      if (closed) return;
      closed = true;
      cancelRetry?.();
      effects.stop();
      core.close();
      journal.close();
    },
  };
};
