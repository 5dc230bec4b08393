/**
 * The terminal as the screens know it: its latest snapshot, written by the bridge's subscription alone, and how they send
 * commands: each press passes the step guard, is sent once, and is pending until the screen changes.
 */
import { t } from "i18next";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { create } from "zustand";
import type { Command, Language, Refusal, Reply, Settings, ShopProfile, Snapshot } from "../../preload/contract.ts";
import { systemLanguage } from "../texts/index.ts";
import type { ScreenBridge } from "./bridge.ts";
import page from "./page.module.css";
import { createStepGuard, settleMs } from "./step-guard.ts";

interface SnapshotStore {
  readonly snapshot: Snapshot | null;
  /** When the snapshot arrived, on this page's monotonic clock: countdowns run from here. */
  readonly receivedAtMs: number;
  /** When its toast arrived, on the same clock; minus infinity for one that was there before this page. */
  readonly toastAtMs: number;
  readonly connected: boolean;
  /** The connection was lost at some time since the page was loaded. */
  readonly wasDisconnected: boolean;
}

const longAgo = Number.NEGATIVE_INFINITY;

const receive = (snapshot: Snapshot) =>
  useSnapshotStore.setState((before) => {
    const receivedAtMs = performance.now();
    const isNewToast = before.snapshot !== null && before.snapshot.toast?.id !== snapshot.toast?.id;
    return { snapshot, receivedAtMs, toastAtMs: isNewToast ? receivedAtMs : before.toastAtMs };
  });

/** The latest snapshot, for screens to read; null before the first one came, and while the program changes between training and real money. */
export const useSnapshotStore = create<SnapshotStore>(() => ({
  snapshot: null,
  receivedAtMs: 0,
  toastAtMs: longAgo,
  connected: true,
  wasDisconnected: false,
}));

/** The snapshot that the screens show. @throws Error where there is none: a page that is starting shows none of them. */
export const useSnapshot = (): Snapshot => {
  const snapshot = useSnapshotStore((store) => store.snapshot);
  if (snapshot === null) throw new Error("no snapshot came yet");
  return snapshot;
};

/** Starts mirroring; the result stops it. */
export const mirrorSnapshots = (bridge: ScreenBridge): (() => void) => {
  const unwatch = bridge.watchConnection((state) =>
    useSnapshotStore.setState(({ wasDisconnected }) => ({
      connected: state !== "lost",
      wasDisconnected: wasDisconnected || state !== "connected",
      ...(state === "restarting" && { snapshot: null }),
    })),
  );
  const unsubscribe = bridge.subscribe(receive);
  return () => {
    unsubscribe();
    unwatch();
  };
};

/** The service's profile of the shop; null until it was received. */
export const useProfile = (): ShopProfile | null => useSnapshotStore((store) => store.snapshot?.header.profile ?? null);

/** The support contact in one line; null when the service names none. */
export const useSupport = (): string | null => {
  const support = useProfile()?.support;
  const parts = [support?.text, support?.phone].filter((part) => part != null);
  return parts.length === 0 ? null : parts.join(", ");
};

/** Whether the journal cannot be written: no cash may be given then, whatever the screen is. */
export const useJournalFailing = (): boolean =>
  useSnapshotStore((store) => store.snapshot?.header.journalFailing ?? false);

/** The language of the person who is signed in, the manager's before the cashier's; else the terminal's. */
export const languageOf = ({ people, settings }: Pick<Snapshot, "people" | "settings">): Language =>
  (people.manager ?? people.cashier)?.language ?? settings.language;

/** The language of the screens. */
export const useLanguage = (): Language =>
  useSnapshotStore(({ snapshot }) => (snapshot === null ? systemLanguage() : languageOf(snapshot)));

/** A press with its time on the page's clock, as DOM and React events have it. */
interface Press {
  readonly timeStamp: number;
}

interface CommandContext {
  /** Names the current screen; commands carry it, so that a late one is refused. */
  readonly step: string;
  /** Sends a command for the current screen, unless the press came too early or the step was answered already. */
  send(press: Press, command: Command): void;
  /** Runs something on this page alone (opening a dialog, the keypad) under the same guard against early presses. */
  runLocally(press: Press, run: () => void): void;
  /** Sends a command that belongs to no step: settings, queries, scans. The same function at every step. */
  dispatch(command: Command): Promise<Reply>;
  readonly pending: Command["type"] | null;
  /** Whether the screen has been up long enough for a press to count. */
  readonly armed: boolean;
  /** Whether this screen still ignores presses, and for so long that its buttons show it. */
  readonly held: boolean;
  /** Each is an object of its own. */
  readonly refusal: { readonly code: Refusal } | null;
  /** The last toast, by its id, and refusal that were shown; they outlive the toast line of each screen. */
  readonly shown: { toast: number; refusal: CommandContext["refusal"] };
}

const Context = createContext<CommandContext | null>(null);

/** The commands of the current screen. @throws Error outside of a `CommandProvider`. */
export const useCommands = (): CommandContext => {
  const commands = useContext(Context);
  if (!commands) throw new Error("useCommands outside of CommandProvider");
  return commands;
};

/** Commands that leave the screen as it is when they succeed, so they may be sent again. */
const repeatable: ReadonlySet<Command["type"]> = new Set([
  "retry",
  "open_drawer",
  "enroll",
  "enroll_by_code",
  "scan",
  "print_receipt",
]);

/** Sends the commands of one form or button that belong to no step, one at a time. `reply` is the latest answer. */
export const useSend = () => {
  const { dispatch } = useCommands();
  const [{ isSending, reply }, setState] = useState<{ isSending: boolean; reply: Reply | null }>({
    isSending: false,
    reply: null,
  });
  const send = async (command: Command): Promise<Reply> => {
    if (isSending) return { ok: false, code: "busy" };
    setState({ isSending: true, reply: null });
    const answer = await dispatch(command);
    setState({ isSending: false, reply: answer });
    return answer;
  };
  return { send, isSending, reply, refusal: reply === null || reply.ok ? null : reply.code };
};

/** Changes some settings; the others stay as they are at the moment of the call. */
export const useSettingsChange = () => {
  const { dispatch } = useCommands();
  return async (part: Partial<Settings>): Promise<Reply> => {
    const settings = useSnapshotStore.getState().snapshot?.settings;
    if (settings === undefined) return { ok: false, code: "failed" };
    return dispatch({ type: "change_settings", settings: { ...settings, ...part } });
  };
};

/** Why the last command of a form or button was refused; empty while there is nothing to say. */
export const RefusalText = ({ refusal }: { readonly refusal: Refusal | null }) => (
  <p role="alert" className={page.caution}>
    {refusal && t(`refusals.${refusal}`)}
  </p>
);

interface CommandProviderProps {
  readonly bridge: ScreenBridge;
  readonly step: string;
  /** Milliseconds for which this screen takes no press after its first paint. Default: 0. */
  readonly holdMs?: number;
  readonly children: ReactNode;
}

/** Gives the screens inside their commands, and guards each step against early and double presses. */
export const CommandProvider = ({ bridge, step, holdMs = 0, children }: CommandProviderProps) => {
  const guard = useMemo(createStepGuard, []);
  const [sent, setSent] = useState<{ step: string; type: Command["type"] } | null>(null);
  const [refusal, setRefusal] = useState<CommandContext["refusal"]>(null);
  const [armedStep, setArmedStep] = useState("");
  const shown = useRef<CommandContext["shown"]>({ toast: 0, refusal: null }).current;
  // The same screen can come back, as cash does that the service was asked about once more: no press of before is under way then,
  // and it has to be seen anew before one counts.
  if (sent !== null && sent.step !== step) setSent(null);
  if (armedStep !== "" && armedStep !== step) setArmedStep("");

  useLayoutEffect(() => guard.show(step, holdMs), [guard, step, holdMs]);
  useEffect(() => {
    let timer = 0;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        guard.painted(step, performance.now());
        timer = window.setTimeout(() => setArmedStep(step), Math.max(settleMs, holdMs));
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      window.clearTimeout(timer);
    };
  }, [guard, step, holdMs]);

  const commands = useMemo((): CommandContext => {
    const reopen = (): void => {
      guard.release(step);
      setSent((now) => (now?.step === step ? null : now));
    };
    return {
      step,
      send(press, command) {
        if (guard.press(step, press.timeStamp) !== "accepted") return;
        setSent({ step, type: command.type });
        void bridge.dispatch(command).then((reply) => {
          if (!reply.ok) setRefusal({ code: reply.code });
          if (!reply.ok || repeatable.has(command.type)) reopen();
        });
      },
      runLocally(press, run) {
        if (guard.press(step, press.timeStamp) !== "accepted") return;
        guard.release(step);
        run();
      },
      dispatch: bridge.dispatch,
      pending: sent?.step === step ? sent.type : null,
      armed: armedStep === step,
      held: holdMs > settleMs && armedStep !== step,
      refusal,
      shown,
    };
  }, [guard, bridge, step, holdMs, sent, armedStep, refusal, shown]);

  return <Context value={commands}>{children}</Context>;
};
