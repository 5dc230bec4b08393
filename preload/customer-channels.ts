/** Names of the raw channels of the customer's display. A file of its own: a sandboxed preload script can share none. */
export const customerChannels = {
  /** Asks for the latest view now and each one that follows. */
  subscribe: "customer:subscribe",
  /** Carries one view to the display. */
  view: "customer:view",
} as const;
