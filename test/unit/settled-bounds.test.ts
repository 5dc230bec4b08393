/**
 * Bounds on which money, authority or a promise of the conventions depends, as literal figures: tests that take them from the product
 * would follow a careless change of one.
 */
import { expect, test } from "vitest";
import { silentAfterMs } from "../../backend/access/terminals.ts";
import { destinationLifetimeMs } from "../../backend/checkin/check-in.ts";
import { bodyBytesMax } from "../../backend/contract/errors.ts";
import { transactionIdLength } from "../../backend/contract/ids.ts";
import { amountMinorMax } from "../../backend/contract/money.ts";
import { holdMarginMs, partnerCallTimeoutMs, startOrderWindowMs } from "../../backend/contract/partner.ts";
import { orderTtlSeconds, tokenLifetimeSeconds, waitSecondsMax } from "../../backend/contract/pos.ts";
import { scaShownMarginMs, scaTimeoutSeconds } from "../../backend/contract/sca.ts";
import { eventLifetimeMs } from "../../backend/contract/webhook-events.ts";
import { retryAfterMaxMs } from "../../backend/partner/answer.ts";
import { eventTriesMin } from "../../backend/partner/events.ts";
import { keyBytesMin } from "../../backend/partner/keys.ts";
import { leaseMs, retrySchedules } from "../../backend/partner/queue.ts";
import { decidableAfterMs } from "../../backend/withdrawals/open.ts";
import * as terminal from "../../main/terminal/bounds.ts";
import * as page from "../../renderer/ui/step-guard.ts";

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each<[string, unknown, unknown]>([
  ["a customer has 40 s to approve", scaTimeoutSeconds, 40],
  ["the terminal's ring ends 3 s before", scaShownMarginMs, 3 * second],
  ["an order waits 15 minutes for its customer", orderTtlSeconds, 900],
  ["a bank holds the money for 5 minutes longer", holdMarginMs, 5 * minute],
  ["a Start order is tried for 15 s", startOrderWindowMs, 15 * second],
  ["a call to a bank takes 5 s at most", partnerCallTimeoutMs, 5 * second],
  ["an order's lease outlasts its call", leaseMs, 10 * second],
  ["a Settle order is repeated after 0.5 s to 60 s", retrySchedules.settle, { firstMs: 500, maxMs: minute }],
  ["a status event after 1 s to 10 minutes", retrySchedules.event, { firstMs: second, maxMs: 10 * minute }],
  ["for three days, and twenty tries", [eventLifetimeMs, eventTriesMin], [3 * day, 20]],
  ["a bank's Retry-After counts up to a minute", retryAfterMaxMs, minute],
  ["a bank's key has 24 bytes at least", keyBytesMin, 24],
  ["an operator may decide after 15 minutes of silence", decidableAfterMs, 15 * minute],
  ["a terminal is silent after 20 minutes", silentAfterMs, 20 * minute],
  ["a token lives for a day", tokenLifetimeSeconds, 86_400],
  ["a held read waits 25 s at most", waitSecondsMax, 25],
  ["a customer's page opens for 10 minutes", destinationLifetimeMs, 10 * minute],
  ["a body has 64 KiB at most", bodyBytesMax, 65_536],
  ["an id has 16 characters", transactionIdLength, 16],
  ["no amount has more than 10^12 minor units", amountMinorMax, 10 ** 12],
])("the service: %s", (_, actual, expected) => expect(actual).toEqual(expected));

test.each<[string, number, number]>([
  ["a call takes 5 s at most", terminal.callTimeoutMs, 5 * second],
  ["a look-up 4 s", terminal.lookUpTimeoutMs, 4 * second],
  ["cash is offered up to 3 s before the deadline, as it shows", terminal.approvalMarginMs, 3 * second],
  ["a confirm is repeated for 5 minutes", terminal.confirmRepeatWindowMs, 5 * minute],
  ["six times", terminal.confirmsMax, 6],
  ["what stays unclear is left to the books after 10 minutes", terminal.unclearPatienceMs, 10 * minute],
  ["a report that is refused is kept for a week", terminal.reportPatienceMs, 7 * day],
  ["at a server without that call twelve times", terminal.misroutedReportTriesMax, 12],
  ["reports of a week before a restore are repeated, too", terminal.forgotMarginMs, 7 * day],
  ["what waits to be handed out is asked about every 30 s", terminal.payableCheckMs, 30 * second],
  ["once more right before, for 3 s", terminal.handOutCheckMs, 3 * second],
  ["what this run saw settle in the last 30 s needs no question", terminal.justSettledMs, 30 * second],
  ["an order to open the drawer is dropped after 10 s", terminal.drawerTimeoutMs, 10 * second],
  ["two of them without a manager", terminal.drawerKicksAlone, 2],
  ["one where the list of people is lost", terminal.drawerKicksPeopleLost, 1],
  ["three counts without a manager", terminal.countsAlone, 3],
  ["a link of the journal is sent every 20 hours", terminal.headEveryMs, 20 * hour],
  ["a clock that is a minute off is told", terminal.clockOffReportMs, minute],
  ["a sleep of 10 s counts as one", terminal.wakeLateMs, 10 * second],
  ["a service's Retry-After counts up to two minutes", terminal.throttledMaxMs, 2 * minute],
  ["a press counts 350 ms after its screen was painted", page.settleMs, 350],
  ["whatever is pressed meanwhile 1.5 s after", page.settleLimitMs, 1_500],
  ["an outcome that must be read stays for 1.5 s", page.outcomeHoldMs, 1_500],
])("the terminal: %s", (_, actual, expected) => expect(actual).toBe(expected));
