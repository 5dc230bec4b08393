/** The calls that the interface specification asks for, in our words: a chapter of `/docs`, and `docs/interface.md`. */
import { scaTimeoutSeconds } from "../contract/sca.ts";

interface InterfaceSection {
  /** Such as `4.5`; null for text that concerns no single call. */
  readonly section: string | null;
  readonly title: string;
  /** Markdown, one paragraph. */
  readonly text: string;
}

/** Introduction above the list. */
export const interfaceIntro =
  "What the specification of the cash-withdrawal interface asks for, in our words; the section numbers are those that the API reference names. What it leaves open is settled by the conventions that `/docs` lists with each call.";

/** In the specification's order. */
export const interfaceSections: readonly InterfaceSection[] = [
  {
    section: "4.1",
    title: "Authorization",
    text: "`POST {base_url}/oauth2/authorize`. A shop's terminal or a partner's server sends `grant_type` (`client_credentials`), `merchant_id`, `device_id`, `device_type`, `password` and `scope` as JSON and gets 201 with `token_type` (`bearer`), `access_token` and `expires_in` (86400). All other calls carry the token as `Authorization: Bearer`.",
  },
  {
    section: "4.2",
    title: "Start order",
    text: "`POST {partner_url}/api/svc/startwithdrawal`, from the service to the bank, when a withdrawal was asked for: `userId`, `amount`, `dateOfTransaction`, `expiryTimeOfTheOrder`, `svcTransactionReferenceId`, `store`. A positive answer (200, JSON) means that the funds are secured; nothing is paid yet.",
  },
  {
    section: "4.3",
    title: "Partner check-in",
    text: "`POST {base_url}/api/v7/partnerCheckin`, from the bank: `referenceId` and `additionalData` with `brand`, `userId`, `balance`, `currency`, `urlBack`. Gives the user's status and a destination url for the user's browser.",
  },
  {
    section: "4.4",
    title: "Settle order",
    text: "`POST {partner_url}/api/svc/settlewithdrawal`, from the service to the bank, when the withdrawal is final: `userId`, `TransactionId`, `DateOperation`, `SvcTransactionReferenceId`. A positive answer creates the payment and shows it to the user; a negative one means that there is none.",
  },
  {
    section: "4.5",
    title: "Confirm",
    text: "`POST {base_url}/transaction/confirm`: `transaction_id` (the scanned barcode) and `transaction_id_partner` (the terminal's own id). 201. The cashier's act of confirmation.",
  },
  {
    section: "4.6",
    title: "Reject",
    text: "`POST {base_url}/transaction/reject`: `transaction_id`. When the cashier gives up, or the user has not approved in time.",
  },
  {
    section: "4.7",
    title: "Link",
    text: "`POST {base_url}/transaction/link`: `transaction_id`. The cash was handed out.",
  },
  {
    section: "4.8",
    title: "Get",
    text: "`GET {base_url}/transaction?id=…`: the transaction behind a barcode, so that the cashier can decide.",
  },
  {
    section: "4.9",
    title: "Create a user",
    text: "`POST {base_url}/api/v2/users` with the client-level token. Takes an `X-Request-Id` of at most 255 characters and sends it back; the answer holds the password in plain text.",
  },
  {
    section: null,
    title: "Time",
    text: `A confirmed transaction whose user has not approved within ${scaTimeoutSeconds} seconds is \`canceled\` by the service; a terminal uses a time-out of its own and rejects. A token lives 86,400 seconds.`,
  },
];

/** Anchor of a section in `/docs`. @param section such as `4.5`. */
export const sectionAnchor = (section: string): string => `section-${section.replace(".", "-")}`;
