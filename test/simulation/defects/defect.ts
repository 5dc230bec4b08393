import type { Programs } from "../programs.ts";
import type { TurnKind } from "../turns.ts";
import type { World } from "./worlds.ts";

/** A careless change, played by the real programs behind ports that misbehave as it would make them. */
export interface Defect {
  readonly name: string;
  /** What a change would have to do to bring it about. */
  readonly text: string;
  readonly programs: Programs;
  /** The programs without it, where these are not the real ones. */
  readonly sound?: Programs;
  /** Shown only by these turns of an installation's life: its usual stories have no others. */
  readonly turns?: readonly TurnKind[];
  /** Where it shows soon; null where a scripted course shows it, in `systematic.test.ts`. */
  readonly world: readonly World[] | null;
  /** The story of its world that shows it for the least work, as the product is: none before is played. Default: the very first. */
  readonly firstSeed?: number;
}
