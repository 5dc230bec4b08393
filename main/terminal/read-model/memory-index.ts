/** An index that ends with the program, for a host that keeps none. */
import { openNodeDatabase } from "../journal/database.ts";
import type { IndexStore } from "../ports.ts";

/** A new, empty one each time. */
export const memoryIndex = (): IndexStore => ({
  open: () => openNodeDatabase(":memory:", "write"),
  remove: () => undefined,
  hasRoom: () => true,
  isKept: false,
});
