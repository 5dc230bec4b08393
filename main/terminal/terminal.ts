/**
 * The terminal: the only mutable thing in the core. One input at a time: decide, append what is durable, evolve, show,
 * and start the effects that have become due. What comes back from them is the next input.
 */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Bridge, Command, JournalHealth, Reply, Settings, Snapshot } from "../../preload/contract.ts";
import { type Effect, effectsOf } from "./effects/due.ts";
import { createPump } from "./effects/pump.ts";
import { run } from "./effects/runner.ts";
import { decide, evolve } from "./flow.ts";
import { replay } from "./journal/replay.ts";
import type { Credential, Ports } from "./ports.ts";
import { createServiceClient } from "./service/client.ts";
import { appendRetryMs, checkpointEveryEntries, historyEntriesMax, journalTryMs } from "./state/bounds.ts";
import { makeCheckpoint } from "./state/checkpoint.ts";
import { type DurableEvent, type Event, isDurable } from "./state/events.ts";
import { createHistory, type History, readEvent } from "./state/history.ts";
import type { Input, Internal } from "./state/inputs.ts";
import { hash } from "./state/partner-id.ts";
import { snapshotOf } from "./state/screens.ts";
import { type Device, initialState, type Moment, pendingReport } from "./state/state.ts";
import { usableSettings } from "./state/usable-settings.ts";

/** `start` puts it to work (until then it shows `starting`); `close` lets go of the journal and leaves what is open to the next start. */
export type Terminal = Bridge & { start(): void; close(): Promise<void> };

const deviceOf = ({ serviceUrl, merchantId, deviceId }: Credential): Device => ({ serviceUrl, merchantId, deviceId });

/**
 * Reads the journal and builds the terminal. Rejects only when the host's settings or secrets cannot be read.
 * @param checkpointEvery journal entries between two checkpoints; a simulated terminal, which lives for hours, takes fewer.
 */
export const createTerminal = async (ports: Ports, checkpointEvery = checkpointEveryEntries): Promise<Terminal> => {
  const { clock, ids, journal, log } = ports;
  const client = createServiceClient(ports);
  /** Made when the manager first looks at it. */
  let history: History | null = null;
  const listeners = new Set<(snapshot: Snapshot) => void>();
  const momentNow = (): Moment => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });

  const credential = ports.secrets.load();
  const device = credential === null ? null : deviceOf(credential);
  const begun = replay(
    initialState(usableSettings(ports.settings.load(), ports.training), device, ports.training),
    journal,
    momentNow(),
  );
  let { state } = begun;
  let revision = 0;
  let closed = false;
  /** What the journal did not take at the start goes before its next entry. */
  let unwritten: readonly DurableEvent[] = [];
  let sinceCheckpoint = begun.entries;

  const show = (): void => {
    revision += 1;
    if (listeners.size === 0) return;
    const snapshot = snapshotOf(state, momentNow(), revision);
    for (const listener of listeners) listener(snapshot);
  };

  /** Tells the screens whether the journal takes entries; one that does not is tried until it does, whatever the cashier presses. */
  const setJournalHealth = (takes: boolean, moment: Moment): void => {
    if (state.journalFailing !== takes) return;
    state = evolve(state, { type: "journal_health_changed", takes }, moment);
    show();
    if (takes) return;
    const tryAgain = (): void => {
      if (closed || !state.journalFailing) return;
      const now = momentNow();
      const mended = {
        type: "journal_recovered",
        failedForMs: Math.round(now.monotonicMs - moment.monotonicMs),
      } as const;
      if (!write([mended], now)) clock.after(journalTryMs, tryAgain);
    };
    clock.after(journalTryMs, tryAgain);
  };

  const write = (events: readonly DurableEvent[], moment: Moment): boolean => {
    const entries = [...unwritten, ...events];
    try {
      journal.append(
        moment.wallMs,
        entries.map((event) => JSON.stringify(event)),
      );
    } catch (error) {
      log("error", "the journal took no entry", { error: String(error), types: entries.map(({ type }) => type) });
      setJournalHealth(false, moment);
      return false;
    }
    setJournalHealth(true, moment);
    unwritten = [];
    sinceCheckpoint += entries.length;
    for (const event of events) history?.take(event, moment.wallMs);
    return true;
  };

  /** Keeps the next start short, also for a terminal that runs for months. Damage found by this run stays counted. */
  const checkpoint = (damaged: number, moment: Moment): void => {
    if (sinceCheckpoint <= checkpointEvery) return;
    if (write([makeCheckpoint(state, damaged, moment)], moment)) sinceCheckpoint = 0;
  };

  /** All or nothing: what is durable is on disk before the state knows of it. */
  const apply = (events: readonly Event[], moment: Moment): boolean => {
    const durable = events.filter(isDurable);
    if (durable.length > 0 && !write(durable, moment)) return false;
    const before = state;
    state = events.reduce((so, event) => evolve(so, event, moment), state);
    if (state !== before) show();
    return true;
  };

  /** Null when the journal did not take what had to be written: nothing has happened then. */
  const handle = (input: Input): Reply | null => {
    const moment = momentNow();
    const fresh = {
      get id() {
        return ids.next();
      },
      get fraction() {
        return ids.fraction();
      },
    };
    const { events, reply } = decide(state, input, moment, fresh);
    if (!apply(events, moment)) return null;
    if (state.activeScreen.kind === "idle" && state.open.size === 0) checkpoint(state.damagedEntries, moment);
    return reply;
  };

  const handleAnswer = (key: string, input: Internal): void => {
    if (closed) return;
    if (handle(input) === null) clock.after(appendRetryMs, () => handleAnswer(key, input));
    else pump.settle(key);
  };

  const start = ({ key, work }: Effect): void => {
    if (work.kind === "repaint") {
      show();
      pump.settle(key, Number.POSITIVE_INFINITY);
      return;
    }
    if (work.kind === "dispatch") {
      handleAnswer(key, work.input);
      return;
    }
    run(work, state, momentNow(), { client, drawer: ports.drawer, clock }).then(
      (input) => (input === null ? pump.settle(key) : handleAnswer(key, input)),
      (error: unknown) => {
        log("error", "an effect failed", { key, error: String(error) });
        clock.after(appendRetryMs, () => pump.settle(key));
      },
    );
  };

  const pump = createPump({
    clock,
    effects: () => effectsOf(state),
    start,
    onRunaway: (key) => log("error", "an effect comes again and again", { key }),
  });

  /** The credential may change while nothing is open that was begun under another one. */
  const mayEnroll = (next: Device): boolean =>
    state.open.size === 0 ||
    (state.device?.serviceUrl === next.serviceUrl &&
      state.device.merchantId === next.merchantId &&
      state.device.deviceId === next.deviceId);

  const enroll = async (command: Extract<Command, { type: "enroll" }>): Promise<Reply> => {
    const { type: _, ...candidate } = command;
    const isFree = (): boolean => mayEnroll(deviceOf(candidate));
    if (!isFree()) return { ok: false, code: "busy" };
    try {
      const result = await client.enroll(candidate, isFree);
      if (result !== "accepted") return { ok: false, code: result };
    } catch (error) {
      log("error", "the credential could not be kept", { error: String(error) });
      return { ok: false, code: "failed" };
    }
    apply([{ type: "enrolled", device: deviceOf(candidate) }], momentNow());
    pump.turn();
    return { ok: true };
  };

  const changeSettings = (wanted: Settings): Reply => {
    const settings = usableSettings(wanted, ports.training);
    try {
      ports.settings.save(settings);
    } catch (error) {
      log("error", "the settings could not be kept", { error: String(error) });
      return { ok: false, code: "failed" };
    }
    apply([{ type: "settings_changed", settings }], momentNow());
    return { ok: true };
  };

  const listHistory = (before: string | null, limit: number): Reply => {
    if (history === null) {
      history = createHistory();
      for (const entry of journal.read(historyEntriesMax).entries) {
        const event = readEvent(entry);
        if (typeof event !== "string") history.take(event, entry.at);
      }
    }
    return { ok: true, data: history.list(before, limit) };
  };

  const journalHealth = (): JournalHealth => {
    const { entries, damaged } = journal.verify();
    const unread = begun.damaged.filter(({ why }) => why === "json" || why === "schema");
    return { entries, damaged: [...damaged, ...unread] };
  };

  const answer = async (command: Command): Promise<Reply> => {
    if (closed) return { ok: false, code: "failed" };
    switch (command.type) {
      case "enroll":
        return enroll(command);
      case "change_settings":
        return changeSettings(command.settings);
      case "list_history":
        return listHistory(command.before, command.limit);
      case "check_journal":
        return { ok: true, data: journalHealth() };
      case "scan":
      case "confirm":
      case "reject":
      case "hand_out":
      case "not_handed_out":
      case "dismiss":
      case "retry":
      case "resume":
      case "open_drawer": {
        const reply = handle(command) ?? { ok: false, code: "failed" };
        pump.turn();
        return reply;
      }
      default:
        return assertNever(command);
    }
  };

  return {
    /** Waits for its turn, so that a screen may dispatch from within its own listener. */
    dispatch: (command) => Promise.resolve().then(() => answer(command)),
    subscribe(listener) {
      listeners.add(listener);
      listener(snapshotOf(state, momentNow(), revision));
      return () => {
        listeners.delete(listener);
      };
    },
    start() {
      if (state.phase === "running" || closed) return;
      const moment = momentNow();
      if (state.installation === null) {
        const installed = { type: "installed", tag: hash(ids.next()) } as const;
        if (!write([installed], moment)) unwritten = [installed];
        state = evolve(state, installed, moment);
      }
      if (begun.damaged.length > 0) log("warn", "damaged journal entries", { damaged: begun.damaged.slice(0, 20) });
      const waiting = [...state.open.values()].filter((one) => pendingReport(one) !== null).length;
      log("info", "the terminal starts", { open: state.open.size, waiting });
      checkpoint(state.damagedEntries + begun.damaged.length, moment);
      apply([{ type: "started", damagedEntries: begun.damaged.length }], moment);
      pump.turn();
    },
    async close() {
      if (closed) return;
      closed = true;
      pump.stop();
      listeners.clear();
      journal.close();
    },
  };
};
