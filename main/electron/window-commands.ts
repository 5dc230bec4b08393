/** The commands about this program's windows. Who may give them was looked at before (`main/people/rights.ts`). */
import type { Reply, TerminalCommand } from "../../preload/contract.ts";
import type { Actor } from "../terminal/state/actor.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What the windows can do. */
export interface Windows {
  /** False where there is no other screen. */
  moveCustomerDisplay(): boolean;
  /** Closes the window, and the program with it; it asks first while a withdrawal is unfinished. */
  close(): void;
}

/** The terminal with `move_customer_display` and `close_program` answered. */
export const withWindowCommands = <T extends Pick<Terminal, "dispatch">>(terminal: T, windows: Windows): T => ({
  ...terminal,
  async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
    switch (command.type) {
      case "move_customer_display":
        return windows.moveCustomerDisplay() ? { ok: true } : { ok: false, code: "no_screen" };
      case "close_program":
        // The answer goes out first.
        setImmediate(windows.close);
        return { ok: true };
      default:
        return terminal.dispatch(command, actor);
    }
  },
});
