import type { Reply, TerminalCommand } from "../../preload/contract.ts";
import { createArchiver } from "./archiving.ts";
import { checkpointEveryEntries, lostEveryMs, lostSpreadMs } from "./bounds.ts";
import { createCommands } from "./commands.ts";
import { type Core, createCore } from "./core.ts";
import { createDrawerWatch } from "./drawer-watch.ts";
import { createHistoryCommands } from "./history/history-commands.ts";
import { createJournalCheck } from "./journal/writer.ts";
import { createJournalStart, type JournalStart } from "./journal-start.ts";
import type { Ports } from "./ports.ts";
import { createServiceClient, type ManagerResetAnswer } from "./service/client.ts";
import { deviceOf } from "./withdrawal/book.ts";
import { createEffectLoop, run } from "./withdrawal/effects.ts";
import { type Actor, terminalActor } from "./withdrawal/inputs.ts";
import { arePeopleStrangers, needsOperatorCode } from "./withdrawal/people-seen.ts";
import { usableSettings } from "./withdrawal/settings.ts";
import { initialState, type Surroundings } from "./withdrawal/state.ts";

/** A terminal as its host uses it. */
export type Terminal = Awaited<ReturnType<typeof createTerminal>>;
/** What the journal knows about people: see `people-seen.ts`. */
export type PeopleKnown = NonNullable<ReturnType<Terminal["peopleKnown"]>>;

/** Rejects only if settings or secrets cannot be read; opening the journal is retried. */
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
  /** Records an action on the terminal itself, or its refusal, in log and journal; `about` is its object. */
  const record = (act: string, about: string | null, actor: Actor): void => {
    log("info", "at the terminal", { act, about, actor: actor.code });
    if (journalStart.opened === null) return;
    core.applyAndQueueWrite([{ type: "act", act, about }], core.momentNow(), actor);
    effects.turn();
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
    history.wrote,
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
    /** Runs asynchronously, so that a screen may call it from its own listener; the host has checked `actor`. */
    dispatch: (command: TerminalCommand, actor: Actor): Promise<Reply> =>
      Promise.resolve().then(() => answer(command, actor)),
    subscribe: core.subscribe,
    snapshot: core.snapshot,
    /** Shows on the screens what the host knows about the terminal's surroundings. */
    show(changed: Partial<Surroundings>): void {
      if (phase === "closed") return;
      const { ownService, sandboxUrl } = core.state;
      const runs = changed.ownService?.state === "running" && ownService?.state !== "running";
      const isUp = runs || (typeof changed.sandboxUrl === "string" && sandboxUrl === null);
      core.apply([{ type: "surroundings_changed", changed }]);
      // The own service is there: an idle terminal would otherwise notice only within a minute.
      if (isUp && core.state.connection !== "online") askNow();
    },
    /** The counter was locked, also where nobody signs in: no press of before counts any more, and the customer is asked for. */
    lock(): void {
      if (phase !== "closed") core.apply([{ type: "counter_locked" }]);
    },
    record,
    /** Redeems the operator's code for resetting a manager's PIN at this terminal's service. */
    async redeemManagerReset(code: string): Promise<ManagerResetAnswer> {
      const { device } = core.state;
      return device === null || phase === "closed" ? "unreachable" : client.redeemManagerReset(device, code);
    },
    /**
     * Asks the service what it knows of the journal now, and writes down a fork. True without a service, and in training; false without its answer.
     * What it said at the start is old when another machine goes on from a copy, or this one from a state that was saved.
     */
    async compareJournal(): Promise<boolean> {
      const { device, training, keyNumber } = core.state;
      if (device === null || training) return true;
      for (const kind of ["read_service_head", "report_journal_head"] as const) {
        const { kind: before } = core.state.headReport.serviceHead;
        const said = await run({ kind }, core.state, core.momentNow(), { ...ports, client });
        if (said === null || phase === "closed" || core.state.keyNumber !== keyNumber) return false;
        if (core.handle(said) === null || core.state.headReport.failures > 0) return false;
        // Another link has come between the two: what the service holds is to be read again.
        if (before !== "not_asked" && core.state.headReport.serviceHead.kind === "not_asked") return false;
      }
      return true;
    },
    /** What the journal knows about people; null while it cannot be read. */
    peopleKnown() {
      const { state } = core;
      if (journalStart.opened === null) return null;
      return {
        /** Highest number of a code so far. */
        highest: state.peopleSeen,
        /** Whether, without a list of people, only the operator's code can create a manager. */
        needsCode: needsOperatorCode(state, () => journal.others().length > 0),
        /** Whether the existing list belongs to others and does not count until then. */
        areStrangers: arePeopleStrangers(state),
        /** Whether the service has answered about an earlier installation in this run; true if no service is set up. */
        serviceResponded: state.device === null || state.headReport.serviceResponded,
      };
    },
    /** Starts the terminal; before that it shows `starting`. */
    start(): void {
      if (phase !== "new") return;
      phase = "started";
      journalStart.start();
      archiver.start();
      drawerWatch.start();
    },
    /** For hosts that notice when the machine wakes or is unlocked; else the next timer or press notices it. */
    wake(): void {
      if (phase !== "started") return;
      effects.checkSleep();
      effects.turn();
    },
    /** For hosts that notice when a connection to the service ends: probes the service, at most once a minute. */
    connectionLost(): void {
      const nowMs = clock.monotonicMs();
      if (phase !== "started" || core.state.connection !== "online" || nowMs < lostMs + lostEveryMs) return;
      lostMs = nowMs;
      // Spreads the probes of all terminals after the service has restarted.
      clock.after(ports.ids.fraction() * lostSpreadMs, () => {
        askNow();
      });
    },
    /** Closes the journal; open withdrawals continue after the next start. */
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
