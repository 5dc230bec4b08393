import type { Programs } from "../programs.ts";
import type { TurnKind } from "../turns.ts";

/** A careless change, played by the real programs behind ports that misbehave as it would make them. */
export interface Defect {
  readonly name: string;
  /** What a change would have to do to bring it about. */
  readonly text: string;
  readonly programs: Programs;
  /** Shown only by these turns of an installation's life: its stories have no others. */
  readonly turns?: readonly TurnKind[];
}
