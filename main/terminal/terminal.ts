import type { Reply, TerminalCommand } from "../../preload/contract.ts";
import { createArchiver } from "./archiving.ts";
import { checkpointEveryEntries, lostSpreadMs, probeOnlineMs } from "./bounds.ts";
import { createCommands } from "./commands.ts";
import { type Core, createCore } from "./core.ts";
import { createDrawerWatch } from "./drawer-watch.ts";
import { createHistoryCommands } from "./history/history-commands.ts";
import { createJournalCheck } from "./journal/writer.ts";
import { createJournalStart, type JournalStart } from "./journal-start.ts";
import type { Ports } from "./ports.ts";
import { createServiceClient, type ManagerResetAnswer } from "./service/client.ts";
import { deviceOf } from "./withdrawal/book.ts";
import { createEffectLoop } from "./withdrawal/effects.ts";
import { type Actor, terminalActor } from "./withdrawal/inputs.ts";
import { arePeopleStrangers, needsOperatorCode } from "./withdrawal/people-seen.ts";
import { usableSettings } from "./withdrawal/settings.ts";
import { initialState, type Surroundings } from "./withdrawal/state.ts";

/** What the journal knows of people: see `people-seen.ts`. */
export interface PeopleKnown {
  /** The highest number of a code so far. */
  readonly highest: number;
  /** Whether, without a list of people, only the operator's code makes a manager. */
  readonly needsCode: boolean;
  /** Whether the list of people does not count until then. */
  readonly areStrangers: boolean;
  /** Whether the service could have told of an earlier life, in this run; true where none is set up. */
  readonly serviceResponded: boolean;
}

/** A terminal, for its host. */
export type Terminal = Awaited<ReturnType<typeof createTerminal>>;

/** Rejects only when settings or secrets cannot be read; a journal that cannot be opened is tried again. */
export const createTerminal = async (given: Ports, checkpointEvery = checkpointEveryEntries) => {
  const drawerWatch = createDrawerWatch(
    given,
    () => core,
    (act, who) => record(act, who, terminalActor),
  );
  const ports: Ports = { ...given, drawer: drawerWatch.drawer };
  const { clock, journal, log } = ports;
  const client = createServiceClient(ports);
  const checkJournal = createJournalCheck(journal, clock, (progress) => {
    if (phase !== "closed") core.apply([{ type: "journal_check_moved", progress }]);
  });
  /** Writes down what somebody did about the terminal itself, or was refused; `about` names to whom or what. */
  const record = (act: string, about: string | null, actor: Actor): void => {
    log("info", "at the terminal", { act, about, actor: actor.code });
    if (journalStart.opened !== null) core.applyAndQueueWrite([{ type: "act", act, about }], core.momentNow(), actor);
  };
  const history = createHistoryCommands(ports, client, () => core, record);
  const loadDevice = () => {
    const credential = ports.secrets.load();
    return credential === null ? null : deviceOf(credential);
  };
  const settings = usableSettings(ports.settings.load(), ports.training);
  const core: Core = createCore(
    ports,
    initialState(settings, loadDevice(), ports.training, ports.shop.load()),
    checkpointEvery,
    (events) => history.wrote(events.length),
  );
  const effects = createEffectLoop(core, client, ports);
  const archiver = createArchiver(core, ports);
  let phase: "new" | "started" | "closed" = "new";
  /** When a connection to the service was last lost. */
  let lostMs = Number.NEGATIVE_INFINITY;

  const journalStart: JournalStart = createJournalStart(core, ports, loadDevice, () => {
    effects.turn();
    history.opened();
  });
  const answerCommand = createCommands({ core, ports, client, effects, journalStart, history, checkJournal, record });
  const answer = async (command: TerminalCommand, actor: Actor): Promise<Reply> => {
    if (phase === "closed") return { ok: false, code: "failed" };
    effects.checkSleep();
    return answerCommand(command, actor);
  };

  const askNow = (): void => {
    if (phase !== "started") return;
    core.apply([{ type: "service_doubted" }]);
    effects.turn();
  };

  journalStart.read();
  return {
    /** Waits for its turn, so that a screen may dispatch within its own listener; the host has checked `actor`. */
    dispatch: (command: TerminalCommand, actor: Actor): Promise<Reply> =>
      Promise.resolve().then(() => answer(command, actor)),
    subscribe: core.subscribe,
    snapshot: core.snapshot,
    /** Puts on the screens what the host knows of what is around the terminal. */
    show(changed: Partial<Surroundings>): void {
      if (phase === "closed") return;
      const isUp = changed.ownService?.state === "running" && core.state.ownService?.state !== "running";
      core.apply([{ type: "surroundings_changed", changed }]);
      // Its own service is back: an idle terminal would ask within a minute only.
      if (isUp && core.state.connection !== "online") askNow();
    },
    record,
    /** Redeems the operator's code for a forgotten manager's PIN at the service that this terminal belongs to. */
    async redeemManagerReset(code: string): Promise<ManagerResetAnswer> {
      const { device } = core.state;
      return device === null || phase === "closed" ? "unreachable" : client.redeemManagerReset(device, code);
    },
    /** What the journal knows of people; null while it cannot be read. */
    peopleKnown(): PeopleKnown | null {
      const { state } = core;
      if (journalStart.opened === null) return null;
      const needsCode = needsOperatorCode(state, () => journal.others().length > 0);
      const serviceResponded = state.device === null || state.headReport.serviceResponded;
      return { highest: state.peopleSeen, needsCode, areStrangers: arePeopleStrangers(state), serviceResponded };
    },
    /** Puts it to work; until then it shows `starting`. */
    start(): void {
      if (phase !== "new") return;
      phase = "started";
      journalStart.start();
      archiver.start();
      drawerWatch.start();
    },
    /** For a host that is notified when the machine wakes or is unlocked; without it the next timer or press notices. */
    wake(): void {
      if (phase !== "started") return;
      effects.checkSleep();
      effects.turn();
    },
    /** For a host that sees a connection to the service end: it is asked whether it is there, at once, but once a minute at most. */
    connectionLost(): void {
      const nowMs = clock.monotonicMs();
      if (phase !== "started" || core.state.connection !== "online" || nowMs < lostMs + probeOnlineMs) return;
      lostMs = nowMs;
      // Not all terminals of a service that restarts in the same moment.
      clock.after(ports.ids.fraction() * lostSpreadMs, () => {
        askNow();
      });
    },
    /** Lets go of the journal and leaves what is open to the next start. */
    async close(): Promise<void> {
      if (phase === "closed") return;
      phase = "closed";
      journalStart.stop();
      effects.stop();
      archiver.stop();
      drawerWatch.stop();
      history.close();
      core.close();
      journal.close();
    },
  };
};
