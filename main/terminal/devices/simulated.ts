/** A drawer without hardware, for training and tests: opens at once and stays open until it is closed. */
import type { Drawer } from "../ports.ts";

/** A drawer that always opens. */
export const createSimulatedDrawer = (): Drawer => {
  let open = false;
  return {
    async open() {
      open = true;
      return "opened";
    },
    async state() {
      return open ? "open" : "closed";
    },
  };
};

/** A shop without an electric drawer: the cashier opens it by key, so opening always succeeds and nothing can be asked. */
export const createAbsentDrawer = (): Drawer => ({
  open: async () => "opened",
  state: async () => "unknown",
});
