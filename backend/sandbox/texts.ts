/** What the sandbox's own pages say: its start page and the bank's approval page. */
import type { Language, StatusMessage } from "../websdk/texts/texts.ts";
import type { Behaviour } from "./steering.ts";

/** What the sandbox's pages say, in one language. */
export interface SandboxTexts {
  readonly homeName: string;
  readonly homeTitle: string;
  readonly homeIntro: string;
  readonly startTitle: string;
  readonly startHint: string;
  readonly start: (amount: string) => string;
  readonly freeTitle: string;
  readonly freeHint: string;
  readonly free: string;
  readonly behaviours: Readonly<Record<Behaviour, string>>;
  readonly stepsTitle: string;
  readonly steps: (scaSeconds: number) => readonly string[];
  readonly accessTitle: string;
  readonly accessHint: string;
  readonly shop: string;
  readonly till: string;
  readonly bank: string;
  readonly secret: string;
  readonly moreTitle: string;
  readonly ledger: string;
  readonly docs: string;
  readonly returnedWith: (outcome: string, reference: string) => string;

  readonly scaName: string;
  readonly scaTitle: string;
  readonly scaDetail: string;
  readonly amount: string;
  readonly payee: string;
  readonly approve: string;
  readonly deny: string;
  readonly backToWithdrawal: string;
  readonly unknown: StatusMessage;
  readonly notYet: StatusMessage;
  readonly approved: StatusMessage;
  readonly denied: StatusMessage;
  readonly tooLate: StatusMessage;
  readonly closed: StatusMessage;
}

const en: SandboxTexts = {
  homeName: "Sandbox",
  homeTitle: "Play the customer",
  homeIntro:
    "Start a withdrawal here as a customer would in a banking app, then serve it at the terminal. No real money moves; the amount decides how the bank behaves.",
  startTitle: "Start with one tap",
  startHint: "The phone page with the code opens at once.",
  start: (amount) => `Withdraw ${amount}`,
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
  },
  stepsTitle: "What to do next",
  steps: (scaSeconds) => [
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
  returnedWith: (outcome, reference) => `Back from the phone page: ${outcome} (${reference})`,

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

const de: SandboxTexts = {
  homeName: "Sandbox",
  homeTitle: "Die Kundin oder den Kunden spielen",
  homeIntro:
    "Beginnen Sie hier eine Auszahlung wie in einer Banking-App und bedienen Sie sie an der Kasse. Es wird kein echtes Geld bewegt; der Betrag bestimmt, wie sich die Bank verhält.",
  startTitle: "Mit einem Tipp beginnen",
  startHint: "Die Telefonseite mit dem Code öffnet sich sofort.",
  start: (amount) => `${amount} abheben`,
  freeTitle: "Oder Betrag und Geschäft selbst wählen",
  freeHint: "Wie nach dem Check-in der Bank: Tasten, Grenzen, Guthaben.",
  free: "Telefonseite öffnen",
  behaviours: {
    settles: "Klappt: Die Bank sichert zu, wartet auf Ihre Freigabe und zahlt.",
    declines_start: "Die Bank lehnt sofort ab: Es gibt keinen Code.",
    declines_settle: "Die Bank verweigert die Zahlung nach Ihrer Freigabe.",
    answers_late: "Die Bank beantwortet die Zahlung erst nach 8 Sekunden.",
    fails_three_times: "Die Bank scheitert dreimal und zahlt dann.",
    loses_the_answer: "Die Bank zahlt, aber ihre Antwort geht verloren.",
    approves_by_itself: "Wird nach 2 Sekunden von selbst freigegeben.",
    never_approves: "Die Freigabe kommt nie.",
    needs_no_sca: "Braucht keine Freigabe.",
  },
  stepsTitle: "So geht es weiter",
  steps: (scaSeconds) => [
    "Betrag antippen: Die Telefonseite zeigt den Code.",
    "Am Terminal den Code scannen oder seine 16 Zeichen eintippen und bestätigen.",
    `Auf der Telefonseite die Bank-App öffnen und innerhalb von ${scaSeconds} Sekunden freigeben.`,
    "Am Terminal die Kassenlade öffnen, das Bargeld ausgeben und das bestätigen.",
  ],
  accessTitle: "Zugangsdaten zum Ausprobieren",
  accessHint: "Allen bekannt, nichts wert; es gibt sie nur in der Sandbox.",
  shop: "Geschäft",
  till: "Terminal",
  bank: "Bank",
  secret: "Zugangsschlüssel",
  moreTitle: "Hinter die Kulissen",
  ledger: "Das Buch der Bank",
  docs: "API-Referenz",
  returnedWith: (outcome, reference) => `Zurück von der Telefonseite: ${outcome} (${reference})`,

  scaName: "Zahlung freigeben",
  scaTitle: "Diese Barauszahlung freigeben?",
  scaDetail: "Geben Sie nur frei, wenn Sie an der Kasse dieses Geschäfts stehen und der Betrag stimmt.",
  amount: "Betrag",
  payee: "Geschäft",
  approve: "Freigeben",
  deny: "Ablehnen",
  backToWithdrawal: "Zurück zur Auszahlung",
  unknown: { title: "Hier gibt es nichts freizugeben", detail: "Diese Bank kennt die Auszahlung nicht." },
  notYet: {
    title: "Warten auf die Kasse",
    detail: "Die Freigabe erscheint hier, sobald an der Kasse bestätigt wurde.",
  },
  approved: { title: "Freigegeben", detail: "Warten Sie auf Ihr Bargeld." },
  denied: { title: "Abgelehnt", detail: "Die Auszahlung ist abgebrochen. Es wurde kein Geld bewegt." },
  tooLate: { title: "Zu spät", detail: "Die Zeit für die Freigabe ist vorbei. Es wurde kein Geld bewegt." },
  closed: { title: "Diese Auszahlung ist beendet", detail: "Es gibt nichts mehr freizugeben." },
};

/** All languages. */
export const sandboxTexts: Readonly<Record<Language, SandboxTexts>> = { en, de };
