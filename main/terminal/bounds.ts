/** All time limits and other bounds of the terminal's core, in milliseconds unless the name says otherwise. */
import { scaShownMarginMs } from "../../backend/contract/sca.ts";

/** Time-out of a call that is not a long poll. */
export const callTimeoutMs = 5_000;
/** A look-up is read-only and a person waits for it: shorter, and repeated by the cashier. */
export const lookUpTimeoutMs = 4_000;
/** How long a long poll asks the service to hold the answer. */
export const waitSeconds = 20;
/** Added to `waitSeconds` for the client's time-out. */
export const waitSlackMs = 5_000;
/** Pause between polls of a service that answers immediately. */
export const pollPauseMs = 1_000;
/** An answer that took at least this long counts as held open. */
export const heldOpenMs = 900;

/** The same barcode within this time counts as the same scan. */
export const sameScanMs = 3_000;
/** How long the "done" screen stays. */
export const doneMs = 3_000;
/** Interval of reading the drawer's sensor while cash is counted. */
export const drawerCheckMs = 1_500;
/** Interval of reading the sensor of an idle drawer. */
export const drawerWatchMs = 5_000;
/** The same for a drawer that does not answer: a printer that is away must not delay an order. */
export const drawerWatchSilentMs = 60_000;
/** A drawer that is still closed this soon after the command may be about to open. */
export const drawerSettleMs = 3_000;
/** An opening this close to a cash movement or count belongs to it. */
export const drawerHandledMs = 10 * 60_000;
/** How long an unanswered reject keeps its screen. */
export const closingPatienceMs = 2_500;
/** How long an order that is still being secured is looked up again. */
export const requestedPatienceMs = 6_000;

/** A confirm that may not have arrived is repeated until it is this old; then the order is rejected. */
export const confirmRepeatWindowMs = 5 * 60_000;
/** Attempts of one confirm; then the order is rejected. */
export const confirmsMax = 6;
/** An answer that the terminal does not understand is asked for again for this long, then left to reconciliation. */
export const unclearPatienceMs = 10 * 60_000;
/** A refusal that is not the service's own (a gateway's 404) is tried so often; a link also for `reportPatienceMs`. */
export const misroutedReportTriesMax = 12;
/** How long a link is retried while its refusal is not the service's own: seven days. */
export const reportPatienceMs = 7 * 86_400_000;

/** First pause after a failure; it doubles each time. */
export const backOffFirstMs = 1_000;
/** Maximum pause while a customer waits. */
export const backOffActiveMaxMs = 4_000;
/** Maximum pause between attempts of a report. */
export const backOffMaxMs = 5 * 60_000;
/** Maximum pause between calls about a withdrawal that is not on the screen. */
export const requestBackOffMaxMs = 30_000;
/** Maximum for Retry-After on a sign-in: a date in it is read by the terminal's own clock, which may be years off. */
export const throttledMaxMs = 2 * 60_000;

/** Maximum time between two sendings of the journal's newest link to the service. */
export const headEveryMs = 20 * 3_600_000;

/** If this run saw the money settle this recently, cash is handed out without asking the service again. */
export const justSettledMs = 30_000;
/** Interval of asking the service about settled money whose cash was not handed out yet. */
export const payableCheckMs = 30_000;
/** How long the cashier waits for the service's answer before cash leaves the drawer. */
export const handOutCheckMs = 3_000;

/** After this time without an answer from the drawer's driver the result is unclear. */
export const drawerTimeoutMs = 10_000;

/** Pause between probes while the service does not answer, at first and while something is open; else it doubles up to `probeOfflineMaxMs`. */
export const probeOfflineMs = 5_000;
/** See `probeOfflineMs`. */
export const probeOfflineMaxMs = 60_000;
/**
 * Pause between probes while the service answers and nothing else is requested; up to half longer at random, so that
 * terminals do not probe in step. A scan asks at once, and so does a connection that is lost.
 */
export const probeOnlineMs = 3 * 60_000;
/** The service is probed within this time after a lost connection. */
export const lostSpreadMs = 2_000;
/** Lost connections cause one probe in this time. */
export const lostEveryMs = 60_000;
/** After an outage this long the outbox sends at once instead of waiting for its back-off. */
export const outageMs = 60_000;
/** Interval of reading the shop from the service. */
export const shopReadMs = 4.5 * 60_000;
/**
 * Again so soon after it was not said whether the service was put back, while cash of an earlier run waits for that; then ever more
 * seldom, up to `probeOfflineMaxMs`. A press asks at once.
 */
export const shopAgainMs = 5_000;
/** If a probe is due this shortly before, the shop is read instead: so an idle terminal asks for nothing else. */
export const shopEarlyMs = shopReadMs - probeOnlineMs;
/** Reports are repeated from this much before the time that a restored service names, if it names no journal link: clocks differ. */
export const forgotMarginMs = 7 * 86_400_000;
/** Pause between reports that are repeated after a restore. */
export const repeatPauseMs = 200;
/** Whenever the shop is read so long after the last check, it is checked for a second terminal with this device's identity. */
export const duplicateAlongMs = 6 * 60_000;
/** How far back that looks. Within it, own confirms are recognised by id. */
export const duplicateWindowMs = 15 * 60_000;
/** How many references of own confirms are kept. */
export const ownIdsMax = 256;

/** How long an answer about a withdrawal may wait for the disk; then the service is asked anew. */
export const answerLastsMs = 5_000;
/** A timer this late means that the machine slept or was blocked. */
export const wakeLateMs = 10_000;
/** How often that is looked at while an answer is awaited. */
export const lookForSleepMs = 5_000;

/** The header shows a clock difference above this. */
export const clockOffReportMs = 60_000;
/** The terminal stops waiting for the approval this much before the service does, so that its reject still arrives in time. */
export const approvalMarginMs = scaShownMarginMs;
/** An HTTP Date has whole seconds. */
export const clockResolutionMs = 1_000;

/** Size of the recent set of transactions before it is merged into the older ones. */
export const cashGivenRecentMax = 256;
/** Remembered transactions whose cash was handed out; a scan of an older one is refused by the service. */
export const cashGivenOlderMax = 5_000;
/** Kept acknowledgements of problems of other books. */
export const acknowledgedElsewhereMax = 1_000;
/** Pause before an answer is handled again whose result could not be written. */
export const appendRetryMs = 1_000;
/** Drawer openings of one withdrawal before a manager has to approve. */
export const drawerKicksAlone = 2;
/** The same while the list of people is lost: settled money can be handed out, no more. */
export const drawerKicksPeopleLost = 1;
/** Interval of retrying a failed journal when nothing else is to be written. */
export const journalTryMs = 5_000;
/** Journal entries between two checkpoints. */
export const checkpointEveryEntries = 5_000;

/** Time from start to the first check for closed years to archive. */
export const archiveFirstCheckMs = 10 * 60_000;
/** Time between checks. */
export const archiveCheckMs = 6 * 3_600_000;
/** Maximum time between checks after failures. */
export const archiveCheckMaxMs = 7 * 86_400_000;
/** Pause between slices. */
export const archivePauseMs = 50;
/** Pause before the next slice while the counter is in use. */
export const archiveBusyMs = 10_000;

/** Maximum number of cash movements in one drawer day, and of counts of its float. */
export const cashMovesMax = 500;

/** Maximum number of unresolved openings without a command; further ones are not recorded. */
export const drawerOpeningsMax = 20;
/** Counts of one day before a manager has to approve another. */
export const countsAlone = 3;

/** Maximum number of receipts waiting for a printer; the oldest are dropped. */
export const printJobsMax = 20;
/** Pauses between attempts to print; after the last a person is asked. */
export const printRetryPausesMs: readonly number[] = [2_000, 5_000, 15_000];
/** Pause while the printer needs paper or its cover closed. */
export const printRefillPauseMs = 2_000;
/** After this time without an answer from the printer's driver the result is unclear: longer than the longest report over the slowest line. */
export const printTimeoutMs = 6 * 60_000;
