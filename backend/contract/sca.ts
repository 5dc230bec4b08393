/** Seconds that a customer has to approve a confirmed transaction (interface, "Limits"); an installation may set its own. */
export const scaTimeoutSeconds = 40;
/** Bounds of the time to approve in seconds: what an installation may set and a terminal accepts. */
export const scaTimeoutBounds = { min: 1, max: 3_600 } as const;

/**
 * Countdowns on terminal and phone end this long before `sca_expires_at`: the terminal's reject is still in time, and
 * both show the same second (conventions, "Deadlines that people see").
 */
export const scaShownMarginMs = 3_000;

/** Seconds at the end of the countdown that are highlighted, on the terminal and the phone, and ticked on the terminal. */
export const scaLastSeconds = 10;
