/** Seconds that a customer has to approve a confirmed transaction (interface, "Limits"); an installation may set its own. */
export const scaTimeoutSeconds = 40;
/** What an installation may set, and a terminal believes, in seconds. */
export const scaTimeoutBounds = { min: 1, max: 3_600 } as const;

/**
 * People see the time end this long before `sca_expires_at`, at the terminal as on the phone: the terminal's own reject
 * still comes in time, and nobody sees a second that the other does not have (conventions, "Deadlines that people see").
 */
export const scaShownMarginMs = 3_000;

/** Seconds at the end of the countdown that are highlighted, on the terminal and the phone, and ticked on the terminal. */
export const scaLastSeconds = 10;
