/** The commands about this program's windows. Who may give them was looked at before (`main/people/guard.ts`). */
import { withAnswers } from "../host/host-answers.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What the windows can do. */
export interface Windows {
  /** False where there is no other screen. */
  moveCustomerDisplay(): boolean;
  /** Closes the window, and the program with it; it asks first while a withdrawal is unfinished. */
  close(): void;
}

/** The terminal with `move_customer_display` and `close_program` answered. */
export const withWindowCommands = <T extends Pick<Terminal, "dispatch">>(terminal: T, windows: Windows): T =>
  withAnswers<"windows", T>(terminal, {
    move_customer_display: () => (windows.moveCustomerDisplay() ? { ok: true } : { ok: false, code: "no_screen" }),
    close_program() {
      // The answer goes out first.
      setImmediate(windows.close);
      return { ok: true };
    },
  });
