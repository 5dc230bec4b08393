/** How screens act: every press passes the step guard, is sent once, and shows as pending until the screen changes. */
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
import type { Command, Refusal, Reply } from "../../preload/contract.ts";
import type { ScreenBridge } from "../bridge/bridge.ts";
import { createStepGuard, settleMs } from "./step-guard.ts";

/** The time of a press on the page's clock; DOM and React events both have it. */
interface Press {
  readonly timeStamp: number;
}

/** What a screen acts through. */
export interface CommandContext {
  /** Names the screen in front; commands carry it. */
  readonly step: string;
  /** Sends a command for the screen in front, unless the press came too soon or the step was answered already. */
  send(press: Press, command: Command): void;
  /** Runs something on this page alone (opening a dialog, the keypad) under the same guard against early presses. */
  locally(press: Press, run: () => void): void;
  /** Sends what belongs to no step: settings, questions of the manager, scans. */
  dispatch(command: Command): Promise<Reply>;
  readonly pending: Command["type"] | null;
  /** Whether the screen has been up long enough for a press to count. */
  readonly armed: boolean;
  readonly refusal: { readonly code: Refusal; readonly id: number } | null;
  /** The latest that the toast line has shown, over all screens: each comes with a line of its own. */
  readonly shown: { toast: number; refusal: number };
}

const Context = createContext<CommandContext | null>(null);

/** The commands of the screen in front. Throws outside of a `CommandProvider`. */
export const useCommands = (): CommandContext => {
  const commands = useContext(Context);
  if (!commands) throw new Error("useCommands outside of CommandProvider");
  return commands;
};

/** These leave the screen as it is when they succeed, so they may be sent again. */
const repeatable: ReadonlySet<Command["type"]> = new Set([
  "retry",
  "open_drawer",
  "enroll",
  "enroll_by_code",
  "scan",
  "print_receipt",
]);

interface CommandProviderProps {
  readonly bridge: ScreenBridge;
  readonly step: string;
  /** How long this screen takes no press at all; longer than the usual only where nobody may miss it. */
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
      locally(press, run) {
        if (guard.press(step, press.timeStamp) !== "accepted") return;
        guard.release(step);
        run();
      },
      dispatch: (command) => bridge.dispatch(command),
      pending: sent?.step === step ? sent.type : null,
      armed: armedStep === step,
      refusal,
      shown,
    };
  }, [guard, bridge, step, sent, armedStep, refusal, shown]);

  return <Context value={commands}>{children}</Context>;
};
