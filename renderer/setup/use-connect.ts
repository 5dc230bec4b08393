/** Connecting this terminal: the connection is tested first, so that what is wrong has a name and nothing is kept. */
import { useCallback, useState } from "react";
import type { Command, ConnectionReport, ConnectionTrouble, Refusal } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { useCommands } from "../ui/command-context.tsx";

/** How far it came. What went wrong stays until the next try. */
export type Connecting =
  | { readonly kind: "idle" | "testing" }
  | { readonly kind: "trouble"; readonly trouble: ConnectionTrouble }
  /** Terminal clock minus service clock; a second press goes on all the same. */
  | { readonly kind: "clock"; readonly offMs: number }
  | { readonly kind: "refused"; readonly code: Refusal };

/** A command that connects this terminal. */
export type Enrolment = Extract<Command, { type: "enroll" | "enroll_by_code" }>;

/** @param isFirst leads on to the devices and to practice afterwards. */
export const useConnect = (isFirst: boolean) => {
  const commands = useCommands();
  const [state, setState] = useState<Connecting>({ kind: "idle" });

  const attempt = async (command: Enrolment): Promise<Connecting> => {
    const tested = await commands.dispatch({ type: "check_connection", serviceUrl: command.serviceUrl });
    if (!tested.ok) return { kind: "refused", code: tested.code };
    const { trouble, clockOffMs } = tested.data as ConnectionReport;
    if (trouble !== null) return { kind: "trouble", trouble };
    if (clockOffMs !== null && state.kind !== "clock") return { kind: "clock", offMs: clockOffMs };
    const settings = useSnapshotStore.getState().snapshot?.settings;
    if (isFirst && settings)
      await commands.dispatch({ type: "change_settings", settings: { ...settings, setUp: "devices" } });
    const reply = await commands.dispatch(command);
    return reply.ok ? { kind: "idle" } : { kind: "refused", code: reply.code };
  };

  /** Something was changed: what was said about it before no longer holds. */
  const forget = useCallback(
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
    forget,
  };
};
