import type { ServiceOptions } from "../context.ts";
import { behaviourOf } from "./steering.ts";

/** How a service with the sandbox differs: some amounts need no SCA. */
export const sandboxOptions: Pick<ServiceOptions, "scaRequiredByDefault"> = {
  scaRequiredByDefault: ({ minor }) => behaviourOf(minor) !== "needs_no_sca",
};
