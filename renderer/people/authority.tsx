/** Asks for a PIN when the host refused something for want of one, then sends it again. The host decides; this only asks. */

import { useWindowEvent } from "@mantine/hooks";
import { t } from "i18next";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { counterCode } from "../../preload/choices.ts";
import type { Command, PersonView, Reply, Snapshot } from "../../preload/contract.ts";
import { namesOf } from "../../preload/names.ts";
import { isSettingUp, screenRules } from "../screen-rules.ts";
import type { ScreenBridge } from "../ui/bridge.ts";
import { useSnapshotStore } from "../ui/terminal.tsx";

const noPeople: readonly PersonView[] = [];

/** As `namesOf`; where nobody signs in it was the counter. */
export const usePersonName = (): ((code: string) => string) => {
  const nameOf = namesOf(useSnapshotStore((store) => store.snapshot?.people.list ?? noPeople));
  return (code) => (code === counterCode ? t("story.actors.counter") : nameOf(code));
};

const everyMs = 15_000;

/** @param signedIn whether anybody is; otherwise there is nothing to keep. */
export const useStillHere = (bridge: ScreenBridge, signedIn: boolean): void => {
  const sentMs = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever has just signed in is here
  useEffect(() => {
    sentMs.current = performance.now();
  }, [signedIn]);
  const touched = (): void => {
    if (!signedIn || performance.now() - sentMs.current < everyMs) return;
    sentMs.current = performance.now();
    void bridge.dispatch({ type: "still_here" });
  };
  useWindowEvent("pointerdown", touched, { capture: true });
  useWindowEvent("keydown", touched, { capture: true });
};

/** Asks for the PIN where the host wants one. `isAllowed`: no money moves on the screen in front. */
export const useManagerArea = (authority: Authority, snapshot: Snapshot) => {
  const { endManager } = authority;
  const { screen, people } = snapshot;
  const [isWanted, setWanted] = useState(false);
  const isAllowed = screenRules[screen.kind].mayBeCovered;
  const isManagerHere = people.manager !== null;
  const settingUp = isSettingUp(snapshot);
  const isAsking = authority.question !== null;
  const close = useCallback(() => setWanted(false), []);
  // Between the sign-out and the host's confirmation, the snapshot still has the session that is ending.
  const isEnding = useRef(false);
  if (!isManagerHere) isEnding.current = false;
  // On an ending session nothing opens behind the question: the area would take the focus from the PIN.
  const isHere = isManagerHere && !(isAsking && isEnding.current);
  const isOpen = isWanted && isAllowed && !settingUp && (isHere || !people.guarded);
  const open = (): void => {
    setWanted(true);
    if (people.guarded && (!isManagerHere || isEnding.current))
      void authority.askManager(people.managers === "none").then((isHere) => setWanted(isHere));
  };

  useEffect(() => {
    if (!isAllowed) setWanted(false);
  }, [isAllowed]);

  // The host ended the session: the next one begins with a press of the button again.
  const wasHere = useRef(isManagerHere);
  useEffect(() => {
    if (wasHere.current && !isManagerHere && !isAsking) setWanted(false);
    wasHere.current = isManagerHere;
  }, [isManagerHere, isAsking]);

  const isLeft = isManagerHere && !isWanted && !isAsking && !settingUp && !screenRules[screen.kind].isManagers;
  useEffect(() => {
    if (!isLeft) return;
    isEnding.current = true;
    endManager();
  }, [isLeft, endManager]);

  return { isOpen, isAllowed, open, close };
};

/** A command that a second person's PIN can go with. */
export type ApprovableCommand = Extract<Command, { approval?: unknown }>;

type Approval = Readonly<{ person: string; pin: string }>;

/** What is asked: a manager's session, the very first PIN, or a second person's word for one command. */
export interface PinQuestion {
  readonly kind: "manager" | "first" | "approval";
  /** What cannot be done without it; null when only a session is wanted. */
  readonly command: Command | null;
  /** Sends the command again; succeeds at once where there is none. */
  readonly resend: (approval?: Approval) => Promise<Reply>;
  /** Ends the question with what the screen is told. */
  readonly end: (reply: Reply) => void;
  /** What the screen is told when the question is closed without an answer. */
  readonly refused: Reply;
}

/** The bridge with its questions. */
export interface Authority {
  /** As the bridge, but asks for a PIN where one is wanted. */
  readonly bridge: ScreenBridge;
  /** Opens a manager's session; resolves false when the question was closed. */
  readonly askManager: (isFirst: boolean) => Promise<boolean>;
  /** Ends the manager's session: what was asked under it and is refused now asks for no PIN. */
  readonly endManager: () => void;
  readonly question: PinQuestion | null;
}

const kindOf = (reply: Reply): PinQuestion["kind"] | null => {
  if (reply.ok) return null;
  if (reply.code === "manager_needed") return "manager";
  if (reply.code === "no_manager") return "first";
  return reply.code === "approval_needed" ? "approval" : null;
};

/** One question at a time; a second command that needs one meanwhile gets its refusal. */
export const useAuthority = (bridge: ScreenBridge): Authority => {
  const [question, setQuestion] = useState<PinQuestion | null>(null);
  const isOpen = useRef(false);
  const ended = useRef(0);
  const asking = useMemo(() => {
    const ask = (asked: Omit<PinQuestion, "end">): Promise<Reply> =>
      new Promise((resolve) => {
        if (isOpen.current) return resolve(asked.refused);
        isOpen.current = true;
        const end = (reply: Reply): void => {
          isOpen.current = false;
          setQuestion(null);
          resolve(reply);
        };
        setQuestion({ ...asked, end });
      });
    const dispatch = async (command: Command): Promise<Reply> => {
      const before = ended.current;
      const refused = await bridge.dispatch(command);
      const kind = kindOf(refused);
      const isOver = kind === "manager" && ended.current !== before;
      if (kind === null || isOver || command.type === "sign_in") return refused;
      const resend: PinQuestion["resend"] = (approval) =>
        bridge.dispatch(approval === undefined ? command : ({ ...command, approval } as ApprovableCommand));
      return ask({ kind, command, resend, refused });
    };
    const askManager: Authority["askManager"] = async (isFirst) => {
      const resend = async (): Promise<Reply> => ({ ok: true });
      const refused: Reply = { ok: false, code: "manager_needed" };
      return (await ask({ kind: isFirst ? "first" : "manager", command: null, resend, refused })).ok;
    };
    const endManager = (): void => {
      ended.current += 1;
      void bridge.dispatch({ type: "sign_out", as: "manager" });
    };
    return { bridge: { ...bridge, dispatch }, askManager, endManager };
  }, [bridge]);
  return { ...asking, question };
};
