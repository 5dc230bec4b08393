/** Names of the raw channels of the customer's display. In their own file because a sandboxed preload script can load no shared chunk. */
export const customerChannels = {
  /** Asks for the latest view now and each one that follows. */
  subscribe: "customer:subscribe",
  /** Carries one view to the display. */
  view: "customer:view",
} as const;
