/** How the reports of the head go. */
export interface HeadReport {
  /** Answers so far: part of the effect's key. */
  readonly number: number;
  /** Monotonic. */
  readonly dueMs: number;
}

/** Whether the service knows another journal under this terminal's name. `acknowledged` until it takes a head again. */
export type JournalFork =
  | { readonly kind: "none" | "acknowledged" }
  | { readonly kind: "found"; readonly sinceWallMs: number };
