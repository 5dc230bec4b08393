/** Asks for a PIN when the host refused something for want of one, then sends it again. The host decides; this only asks. */
import { useMemo, useRef, useState } from "react";
import type { Command, Reply } from "../../preload/contract.ts";
import type { ScreenBridge } from "../ui/bridge.ts";

/** A second person's word, by PIN. */
export type Approval = Readonly<{ person: string; pin: string }>;

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
  readonly question: PinQuestion | null;
}

const kindOf = (reply: Reply): PinQuestion["kind"] | null => {
  if (reply.ok) return null;
  if (reply.code === "manager_needed") return "manager";
  if (reply.code === "no_manager") return "first";
  return reply.code === "approval_needed" ? "approval" : null;
};

const withApproval = (command: Command, approval: Approval): Command =>
  command.type === "hand_out" ||
  command.type === "not_handed_out" ||
  command.type === "open_drawer" ||
  command.type === "move_cash" ||
  command.type === "recount_day" ||
  command.type === "close_day" ||
  command.type === "get_day"
    ? { ...command, approval }
    : command;

/** One question at a time; a second command that needs one meanwhile gets its refusal. */
export const useAuthority = (bridge: ScreenBridge): Authority => {
  const [question, setQuestion] = useState<PinQuestion | null>(null);
  const isOpen = useRef(false);
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
      const refused = await bridge.dispatch(command);
      const kind = kindOf(refused);
      if (kind === null || command.type === "sign_in") return refused;
      const resend: PinQuestion["resend"] = (approval) =>
        bridge.dispatch(approval === undefined ? command : withApproval(command, approval));
      return ask({ kind, command, resend, refused });
    };
    const askManager: Authority["askManager"] = async (isFirst) => {
      const resend = async (): Promise<Reply> => ({ ok: true });
      const refused: Reply = { ok: false, code: "manager_needed" };
      return (await ask({ kind: isFirst ? "first" : "manager", command: null, resend, refused })).ok;
    };
    return { bridge: { ...bridge, dispatch }, askManager };
  }, [bridge]);
  return { ...asking, question };
};
