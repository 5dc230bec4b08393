/** Why there is no picture; each has a text with a remedy under `scan.problem.*`. */
export type CameraProblem = "none" | "taken" | Denied | "insecure" | "unplugged" | "failed";

/** In a browser nobody knows whether it or the system refused; in the desktop program it was the system. */
type Denied = "denied" | "denied_windows" | "denied_mac" | "denied_linux";

/** Whose refusal it was. @param userAgent of the desktop program's page; null in a browser. */
const deniedBy = (userAgent: string | null): Denied => {
  if (userAgent === null) return "denied";
  if (userAgent.includes("Windows")) return "denied_windows";
  return userAgent.includes("Macintosh") ? "denied_mac" : "denied_linux";
};

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

/**
 * The problem behind what `getUserMedia` threw; `failed` where it is none that is known.
 * @param userAgent of the desktop program's page; null in a browser.
 */
export const problemOf = (error: unknown, userAgent: string | null): CameraProblem => {
  const problem =
    (error instanceof Error || error instanceof DOMException ? byName[error.name] : undefined) ?? "failed";
  return problem === "denied" ? deniedBy(userAgent) : problem;
};

/** Whether another try by itself may help. A refused permission waits for a person. */
export const isWorthRetrying = (problem: CameraProblem): boolean =>
  !problem.startsWith("denied") && problem !== "insecure";
