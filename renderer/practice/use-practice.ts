/** The withdrawal that the practising person asked for, followed while it can still change. */
import { useEffect, useState } from "react";
import { create } from "zustand";
import type { Command, PracticeWithdrawal, Screen } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { asTheTerminalHasIt } from "./tour.ts";

type PracticeCommand = Extract<Command, { type: `practice_${string}` }>;

const pollMs = 700;
const ended: readonly string[] = ["linked", "undelivered", "declined", "rejected", "canceled", "expired", "failed"];

/** Outlives the phone, which goes while something lies over the screen. */
const useAnswered = create<{ readonly withdrawal: PracticeWithdrawal | null }>(() => ({ withdrawal: null }));
const setWithdrawal = (withdrawal: PracticeWithdrawal | null): void => useAnswered.setState({ withdrawal });

/** Whether nothing more will happen to it. */
export const isOver = ({ status }: PracticeWithdrawal): boolean => ended.includes(status);

/** @param screen what is in front at the terminal. @returns the withdrawal, whether the last call failed, and the calls. */
export const usePractice = (screen: Screen) => {
  const { dispatch } = useCommands();
  const answered = useAnswered((store) => store.withdrawal);
  const [hasFailed, setFailed] = useState(false);
  const id = answered !== null && !isOver(answered) ? answered.transactionId : null;
  const withdrawal = asTheTerminalHasIt(answered, screen);

  // One that has ended is not what the next practice begins with.
  useEffect(
    () => () =>
      useAnswered.setState(({ withdrawal: last }) => (last !== null && isOver(last) ? { withdrawal: null } : {})),
    [],
  );

  const call = async (command: PracticeCommand): Promise<void> => {
    const reply = await dispatch(command);
    setFailed(!reply.ok);
    if (reply.ok && reply.data !== undefined) setWithdrawal(reply.data as PracticeWithdrawal);
  };

  useEffect(() => {
    if (id === null) return;
    let isOn = true;
    const timer = window.setInterval(() => {
      void dispatch({ type: "practice_read", transactionId: id }).then((reply) => {
        if (isOn && reply.ok && reply.data !== undefined) setWithdrawal(reply.data as PracticeWithdrawal);
      });
    }, pollMs);
    return () => {
      isOn = false;
      window.clearInterval(timer);
    };
  }, [dispatch, id]);

  return {
    withdrawal,
    hasFailed,
    request: (amount: string) => void call({ type: "practice_request", amount }),
    decide: (approved: boolean) =>
      withdrawal && void call({ type: "practice_decide", transactionId: withdrawal.transactionId, approved }),
    forget: () => setWithdrawal(null),
  };
};
