/** Texts of the sandbox's start page and the bank's approval page. */
import type { Behaviour } from "../ledger.ts";

/** English texts of the sandbox's pages. */
export const en = {
  homeName: "Sandbox",
  homeTitle: "Play the customer",
  homeIntro:
    "Start a withdrawal here as a customer would in a banking app, then serve it at the terminal. No real money moves; the amount decides how the bank behaves.",
  startTitle: "Start with one tap",
  startHint: "The phone page with the code opens at once.",
  start: (amount: string) => `Withdraw ${amount}`,
  freeTitle: "Or choose amount and shop yourself",
  freeHint: "As after a check-in by the bank: keypad, limits, balance.",
  free: "Open the phone page",
  behaviours: {
    settles: "Works: the bank secures, waits for your approval and pays.",
    declines_start: "The bank declines at once: there is no code.",
    declines_settle: "The bank refuses to pay after your approval.",
    answers_late: "The bank answers the payment after 8 seconds.",
    fails_three_times: "The bank fails three times, then pays.",
    loses_the_answer: "The bank pays, but its answer gets lost.",
    approves_by_itself: "Approved by itself after 2 seconds.",
    never_approves: "The approval never comes.",
    needs_no_sca: "Needs no approval at all.",
  } satisfies Readonly<Record<Behaviour, string>>,
  stepsTitle: "What to do next",
  steps: (scaSeconds: number) => [
    "Tap an amount: the phone page shows the code.",
    "At the terminal scan the code, or type its 16 characters, and confirm.",
    `On the phone page open the bank app and approve within ${scaSeconds} seconds.`,
    "At the terminal open the drawer, hand out the cash and confirm it.",
  ],
  accessTitle: "Demo credentials",
  accessHint: "Known to all, worth nothing; they exist in the sandbox only.",
  shop: "Shop",
  till: "Terminal",
  bank: "Bank",
  secret: "Access key",
  moreTitle: "Look behind it",
  ledger: "The bank's ledger",
  docs: "API reference",
  returnedWith: (outcome: string, reference: string) => `Back from the phone page: ${outcome} (${reference})`,

  scaName: "Approve a payment",
  scaTitle: "Approve this cash withdrawal?",
  scaDetail: "Approve only if you are standing in this shop and the amount is right.",
  amount: "Amount",
  payee: "Shop",
  approve: "Approve",
  deny: "Deny",
  backToWithdrawal: "Back to the withdrawal",
  unknown: { title: "There is nothing to approve here", detail: "This bank does not know the withdrawal." },
  notYet: {
    title: "Waiting for the cashier",
    detail: "The request to approve appears here as soon as the cashier has confirmed.",
  },
  approved: { title: "Approved", detail: "Wait for your cash." },
  denied: { title: "Denied", detail: "The withdrawal is canceled. No money has moved." },
  tooLate: { title: "Too late", detail: "The time for the approval is over. No money has moved." },
  closed: { title: "This withdrawal has ended", detail: "There is nothing to approve any more." },
};

/** Texts of the sandbox's pages in one language. */
export type SandboxTexts = typeof en;
