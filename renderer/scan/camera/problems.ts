/** Why there is no picture; each has a text with a remedy under `scan.problem.*`. */
export type CameraProblem = "none" | "taken" | "denied" | "insecure" | "unplugged" | "failed";

/** What `getUserMedia` throws, by its DOMException name. */
const byName: Readonly<Record<string, CameraProblem>> = {
  NotFoundError: "none",
  DevicesNotFoundError: "none",
  OverconstrainedError: "none",
  NotReadableError: "taken",
  TrackStartError: "taken",
  AbortError: "taken",
  NotAllowedError: "denied",
  PermissionDeniedError: "denied",
  SecurityError: "denied",
};

/** The problem behind what `getUserMedia` threw; `failed` where it is none that is known. */
export const problemOf = (error: unknown): CameraProblem =>
  (error instanceof Error || error instanceof DOMException ? byName[error.name] : undefined) ?? "failed";

/** Whether another try by itself may help. A refused permission waits for a person. */
export const isWorthRetrying = (problem: CameraProblem): boolean => problem !== "denied" && problem !== "insecure";
