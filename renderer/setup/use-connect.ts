/** Connects this terminal: the connection is tested first, so that a fault is named and nothing is stored. */
import { useCallback, useState } from "react";
import type { Command, ConnectionReport, ConnectionTrouble, Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";

/** State of the attempt; an error stays until the next try. */
export type ConnectState =
  | { readonly kind: "idle" | "testing" }
  | { readonly kind: "trouble"; readonly trouble: ConnectionTrouble }
  /** Terminal clock minus service clock, milliseconds. A second press connects all the same. */
  | { readonly kind: "clock"; readonly offMs: number }
  | { readonly kind: "refused"; readonly code: Refusal };

/** A command that connects this terminal. */
export type Enrolment = Extract<Command, { type: "enroll" | "enroll_by_code" }>;

/** Connects a terminal. @param isFirst the set-up continues with the devices and practice afterwards. */
export const useConnect = (isFirst: boolean) => {
  const commands = useCommands();
  const [state, setState] = useState<ConnectState>({ kind: "idle" });

  const attempt = async (command: Enrolment): Promise<ConnectState> => {
    const tested = await commands.dispatch({ type: "check_connection", serviceUrl: command.serviceUrl });
    if (!tested.ok) return { kind: "refused", code: tested.code };
    const { trouble, clockOffMs } = tested.data as ConnectionReport;
    if (trouble !== null) return { kind: "trouble", trouble };
    if (clockOffMs !== null && state.kind !== "clock") return { kind: "clock", offMs: clockOffMs };
    const { settings, people } = useSnapshotStore.getState().snapshot ?? {};
    const isOpen = people?.managers === "none" || people?.managers === "set";
    // Where the list of people is lost a manager comes after the connection.
    if (isFirst && settings && isOpen)
      await commands.dispatch({ type: "change_settings", settings: { ...settings, setUp: "devices" } });
    const reply = await commands.dispatch(command);
    return reply.ok ? { kind: "idle" } : { kind: "refused", code: reply.code };
  };

  /** Clears the last result after a change of the form. */
  const clearResult = useCallback(
    () => setState((now) => (now.kind === "testing" || now.kind === "idle" ? now : { kind: "idle" })),
    [],
  );
  return {
    state,
    connect(command: Enrolment): void {
      if (state.kind === "testing") return;
      setState({ kind: "testing" });
      void attempt(command).then(setState);
    },
    clearResult,
  };
};
