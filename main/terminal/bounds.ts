/** Every named bound of the terminal's core, in milliseconds unless the name says otherwise. */
import { scaShownMarginMs } from "../../backend/contract/sca.ts";

/** Longest wait for the answer to a call that is not held open. */
export const callTimeoutMs = 5_000;
/** A look-up is read only and someone is waiting for it: shorter, and repeated by the cashier. */
export const lookUpTimeoutMs = 4_000;
/** How long a GET asks to be held open, and how much longer the terminal listens. */
export const waitSeconds = 20;
/** Added to `waitSeconds`: how much longer the terminal listens than the service holds. */
export const waitSlackMs = 5_000;
/** Pause between two questions to a service that answers at once. */
export const pollPauseMs = 1_000;
/** An answer that took at least this long was held open by the service. */
export const heldOpenMs = 900;

/** The same barcode again within this time is the same sighting. */
export const sameScanMs = 3_000;
/** "Done" stays this long. */
export const doneMs = 3_000;
/** Between two questions to the drawer's sensor while the cash is counted. */
export const drawerCheckMs = 1_500;
/** Between two looks at a drawer that nobody uses. */
export const drawerWatchMs = 5_000;
/** Until the next look at one that does not say how it stands: a printer that is away must not hold up an order. */
export const drawerWatchSilentMs = 60_000;
/** So long after its order a drawer that is still shut may be on its way. */
export const drawerSettleMs = 3_000;
/** An opening so shortly before or after cash was moved or counted was for that. */
export const drawerHandledMs = 10 * 60_000;
/** A reject without an answer keeps its own screen this long. */
export const closingPatienceMs = 2_500;
/** An order that is still being secured is looked up again for this long. */
export const requestedPatienceMs = 6_000;

/** A confirm that may not have arrived is repeated until its intent is this old; then the order is rejected. */
export const confirmRepeatWindowMs = 5 * 60_000;
/** Tries of one confirm; after them the order is rejected. */
export const confirmsMax = 6;
/** What the service says in words the terminal does not know is asked about this long, then left to reconciliation. */
export const unclearPatienceMs = 10 * 60_000;
/** A report refused in words that are not the service's own (a gateway's 404) is tried at least this often, and a link this long. */
export const misroutedReportTriesMax = 12;
/** How long a link that is refused in words not the service's own is tried: seven days. */
export const reportPatienceMs = 7 * 86_400_000;

/** The first pause after a failure; each one after it is twice as long. */
export const backOffFirstMs = 1_000;
/** While someone stands there. */
export const backOffActiveMaxMs = 4_000;
/** Longest pause between two tries of a report. */
export const backOffMaxMs = 5 * 60_000;
/** Longest pause between two calls about a withdrawal that is not on the screen. */
export const requestBackOffMaxMs = 30_000;
/** A Retry-After on a sign-in is obeyed this long: a date in it is read by the terminal's own clock, which may be years off. */
export const throttledMaxMs = 2 * 60_000;

/** At least this often the newest link of the journal goes to the service. */
export const headEveryMs = 20 * 3_600_000;

/** Cash of money that was settled so lately, as this run heard, is given without asking the service again. */
export const justSettledMs = 30_000;
/** How often the service is asked about money that waits to be handed out. */
export const payableCheckMs = 30_000;
/** How long the cashier waits for the service's word before cash leaves the drawer. */
export const handOutCheckMs = 3_000;

/** A drawer's driver that says nothing for this long counts as unclear. */
export const drawerTimeoutMs = 10_000;

/** Between two probes while the service is silent, at first and while something is open; else each pause is twice the last, up to `probeOnlineMs`. */
export const probeOfflineMs = 5_000;
/** Between two probes while it answers and nothing else is asked; up to half as much more, so that no fleet asks in step. */
export const probeOnlineMs = 60_000;
/** Within this time of a lost connection the service is asked whether it is there. */
export const lostSpreadMs = 2_000;
/** After a silence this long the outbox does not wait for its back-off to end. */
export const outageMs = 60_000;
/** How often the service is asked what it says about the shop. */
export const shopReadMs = 3 * 60_000;
/** So much earlier it is asked in the place of a probe. */
export const shopEarlyMs = 30_000;
/** How much earlier than a service says it forgot reports are repeated where it names no link of the journal: clocks differ. */
export const forgotMarginMs = 7 * 86_400_000;
/** Between two reports that are repeated after a restore. */
export const repeatPauseMs = 200;
/** Between two looks for a second terminal under this device's name. */
export const duplicateCheckMs = 10 * 60_000;
/** After so long one goes along with the shop's, which comes within another three and a half minutes. */
export const duplicateAlongMs = 6 * 60_000;
/** How far back the report is read to find a second terminal with the same credential, and a terminal's own confirms are known by id. */
export const duplicateWindowMs = 15 * 60_000;
/** References of this terminal's own confirms that are kept. */
export const ownIdsMax = 256;

/** A timer this late means that the machine slept or stood still. */
export const wakeLateMs = 10_000;

/** The header shows a difference of clocks above this. */
export const clockOffReportMs = 60_000;
/** The terminal ends the approval this long before the service does, so that its reject still comes in time. */
export const approvalMarginMs = scaShownMarginMs;
/** An HTTP Date has whole seconds. */
export const clockResolutionMs = 1_000;

/** Transactions in the set that grows, before it is folded into the older ones. */
export const cashGivenRecentMax = 256;
/** Transactions with cash handed out that are remembered; a scan of an older one is refused by the service. */
export const cashGivenOlderMax = 5_000;
/** Acknowledgements of other books' problems that are kept for them. */
export const acknowledgedElsewhereMax = 1_000;
/** An answer whose consequence could not be written is decided again after this pause. */
export const appendRetryMs = 1_000;
/** How often one withdrawal opens the drawer before a manager has to agree. */
export const drawerKicksAlone = 2;
/** The same while the list of people is lost: what is paid can leave, and no more. */
export const drawerKicksPeopleLost = 1;
/** How often a journal that failed is tried when nothing else wants to be written. */
export const journalTryMs = 5_000;
/** Journal entries between two checkpoints. */
export const checkpointEveryEntries = 5_000;

/** A terminal first looks for closed years to archive so long after its start. */
export const archiveFirstCheckMs = 10 * 60_000;
/** Between two looks. */
export const archiveCheckMs = 6 * 3_600_000;
/** Between two looks after several that failed. */
export const archiveCheckMaxMs = 7 * 86_400_000;
/** Between two slices. */
export const archivePauseMs = 50;
/** Until the next slice when the counter is in use. */
export const archiveBusyMs = 10_000;

/** How often cash can go in and out within one day of the drawer, and its float be counted. */
export const cashMovesMax = 500;

/** Openings of the drawer without an order that a manager has not cleared up; more are not written down. */
export const drawerOpeningsMax = 20;
/** Counts of one day before a manager has to agree to another one. */
export const countsAlone = 3;

/** Receipts that wait for a printer at most; older ones make room. */
export const printJobsMax = 20;
/** What did not reach the printer is tried again after these pauses; then a person is asked. */
export const printRetryPausesMs: readonly number[] = [2_000, 5_000, 15_000];
/** While it says that somebody has to see to its paper or its cover. */
export const printRefillPauseMs = 2_000;
/** A printer's driver that says nothing for this long counts as unclear: longer than the longest report over the slowest line. */
export const printTimeoutMs = 6 * 60_000;
