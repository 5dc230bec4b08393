/** Whether the customer's phone stands beside the terminal; only in training. */
import { create } from "zustand";

/** A store hook: whether the phone is open. */
export const usePracticePhone = create<{ readonly isOpen: boolean }>(() => ({ isOpen: false }));

/** Opens the phone; nothing changes when it is open. */
export const openPracticePhone = (): void => usePracticePhone.setState({ isOpen: true });
/** Closes the phone; the withdrawal on it goes on. */
export const closePracticePhone = (): void => usePracticePhone.setState({ isOpen: false });
