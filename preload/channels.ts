/** Names of the raw channels between the preload script and the host; used in one file on each side and nowhere else. */
export const channels = {
  /** Invoked with a command, answered with a reply. */
  dispatch: "till:dispatch",
  /** Asks for the latest snapshot now and each one that follows. */
  subscribe: "till:subscribe",
  /** Carries one snapshot to the screens. */
  snapshot: "till:snapshot",
} as const;
