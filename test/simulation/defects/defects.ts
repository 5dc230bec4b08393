/**
 * Deliberate defects, so that the checker is known to see: each is the real terminal or service behind ports that
 * misbehave as a careless change would make it. The product has no switch for any of them.
 */
import type { Defect } from "./defect.ts";
import { installationDefects } from "./installation-defects.ts";
import { pastDefects } from "./past-defects.ts";
import { serviceDefects } from "./service-defects.ts";
import { terminalDefects } from "./terminal-defects.ts";

/** Every planted defect; each must be caught. */
export const defects: readonly Defect[] = [
  ...terminalDefects,
  ...serviceDefects,
  ...installationDefects,
  ...pastDefects,
];
