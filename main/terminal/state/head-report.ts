/** The newest link that the service holds: asked for before a run's first report, which says whether the journal holds it too. */
export type ServiceHead =
  | { readonly kind: "not_asked" | "compared" }
  | { readonly kind: "known"; readonly sequence: number; readonly hash: string };

/** How the reports of the head go. */
export interface HeadReport {
  /** Answers so far: part of the effect's key. */
  readonly number: number;
  /** Monotonic. */
  readonly dueMs: number;
  readonly serviceHead: ServiceHead;
}

/**
 * Whether the service knows another journal under this terminal's name. `acknowledged` until it takes a head again; `serviceHash`
 * is the link that it held then, where that was known: over another one it is another fork.
 */
export type JournalFork =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly sinceWallMs: number; readonly serviceHash?: string | undefined }
  | { readonly kind: "acknowledged"; readonly serviceHash?: string | undefined };
