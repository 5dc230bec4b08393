/** Whether the customer's phone stands beside the terminal; only in training. */
import { create } from "zustand";

export const usePracticePhone = create<{ readonly isOpen: boolean }>(() => ({ isOpen: false }));

export const openPracticePhone = (): void => usePracticePhone.setState({ isOpen: true });
export const closePracticePhone = (): void => usePracticePhone.setState({ isOpen: false });
