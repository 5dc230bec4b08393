/** How screens send commands: each press passes the step guard, is sent once, and is pending until the screen changes. */
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
import type { Command, Refusal, Reply, Settings } from "../../preload/contract.ts";
import type { ScreenBridge } from "./bridge.ts";
import page from "./page.module.css";
import { useSnapshotStore } from "./snapshot-store.ts";
import { createStepGuard, settleMs } from "./step-guard.ts";

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
  readonly refusal: { readonly code: Refusal; readonly id: number } | null;
  /** Ids of the last toast and refusal that were shown; they outlive the toast line of each screen. */
  readonly shown: { toast: number; refusal: number };
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
  const refusals = useRef(0);
  const shown = useRef({ toast: 0, refusal: 0 }).current;
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
          if (!reply.ok) {
            refusals.current += 1;
            setRefusal({ code: reply.code, id: refusals.current });
          }
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
