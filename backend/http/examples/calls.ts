/** The examples of what terminals and banks' servers call with a withdrawal, and of getting a token. */
import { example } from "../../contract/example.ts";
import { tokenLifetimeSeconds } from "../../contract/pos.ts";
import type { Exchange, Exchanges } from "./exchange.ts";
import type { WithdrawalStory } from "./withdrawal.ts";

const token = (access_token: string, scope: string) => ({
  token_type: "bearer",
  access_token,
  expires_in: tokenLifetimeSeconds,
  scope,
});
const grant_type = "client_credentials";
const transaction_id = example.transactionId;
const asked = {
  user_id: example.userId,
  amount: example.amount,
  currency: example.currency,
  store: example.store,
  partner_reference: example.partnerReference,
};

/** Signing in, as a terminal and as a bank. */
const signIn: Exchanges = {
  authorize: {
    terminal: {
      summary: "A terminal",
      sent: {
        grant_type,
        merchant_id: example.store,
        device_id: example.device,
        device_type: "terminal",
        password: "the-access-key-of-this-terminal",
        scope: "transactions",
      },
      answered: token("Zq3tqHUCYd0wBGxTGSyAb5v1zXw7bR2mVvZ0oE1kU3s", "transactions"),
    },
  },
  getToken: {
    bank: {
      summary: "A bank's server, by parameters",
      sent: {
        grant_type,
        scope: "withdrawals reconciliation",
        client_id: `${example.partner}/server-1`,
        client_secret: "the-secret-of-this-server",
      },
      answered: token("mG0pX4bYy2nV1sQfK8cJ6tL3rZ5wH7uD9aEoBiTxPqA", "withdrawals reconciliation"),
    },
  },
};

/** A terminal's calls. */
const atTerminal = ({ as, unapproved, rejectedLate }: WithdrawalStory): Exchanges => {
  const confirmation = { transaction_id, transaction_id_partner: example.transactionIdPartner };
  return {
    getTransaction: {
      scanned: { summary: "The barcode was scanned", answered: as.ready },
      waited: { summary: "After the wait for the customer's approval", answered: as.settled },
    },
    confirmTransaction: {
      approval_needed: {
        summary: "The customer has to approve now",
        sent: confirmation,
        answered: as.awaiting_sca,
      },
      no_approval_needed: { summary: "No approval is needed", sent: confirmation, answered: unapproved },
    },
    rejectTransaction: {
      refused: { summary: "The cashier refuses", sent: { transaction_id }, answered: as.rejected },
      timed_out: {
        summary: "The terminal's own time-out ran out",
        sent: { transaction_id, reason: "sca_timeout" },
        answered: rejectedLate,
      },
    },
    linkTransaction: {
      handed_out: { summary: "The cash was handed out", sent: { transaction_id }, answered: as.linked },
    },
    declareUndelivered: {
      not_handed_out: {
        summary: "There was not enough in the drawer",
        sent: { reason: as.undelivered.reason },
        answered: as.undelivered,
      },
    },
  };
};

/** A bank's calls. */
const atBank = ({ as, denied, givenUp }: WithdrawalStory): Exchanges => ({
  requestWithdrawal: {
    ready: { summary: "The funds are secured", sent: asked, answered: as.ready },
    declined: { summary: "The bank declined its own Start order", sent: asked, answered: as.declined },
  },
  getWithdrawal: {
    waited: { summary: "After the wait for the approval and the payment", answered: as.settled },
  },
  resolveSca: {
    approved: { summary: "The customer approved", sent: { outcome: "approved" }, answered: as.settling },
    denied: { summary: "The customer said no", sent: { outcome: "denied" }, answered: denied },
  },
  cancelWithdrawal: {
    given_up: { summary: "The customer gave up before the cashier confirmed", answered: givenUp } satisfies Exchange,
  },
});

/** Everything that a withdrawal is moved with. */
export const callExchanges = (story: WithdrawalStory): Exchanges => ({
  ...signIn,
  ...atTerminal(story),
  ...atBank(story),
});
