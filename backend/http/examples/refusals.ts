/** The examples of refusals: made by what makes them in the service, so that they are what it answers. */
import { OAuthRefusal } from "../../access/authorize.ts";
import { type ErrorCode, errorTable } from "../../contract/errors.ts";
import { example } from "../../contract/example.ts";
import { ServiceError } from "../../service-error.ts";
import { UserExists } from "../../users/create-user.ts";
import { type ErrorShape, errorResponse } from "../problem.ts";
import type { WithdrawalStory } from "./withdrawal.ts";

/** The call that refuses, as far as its refusals depend on it. */
export interface Refusing {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly errorShape: ErrorShape;
  /** The first field that it takes, for `validation_failed`; null where it takes none. */
  readonly firstField: string | null;
  /** In the words of the answer: `withdrawals`, `transactions or reconciliation`. */
  readonly scope: string;
}

const limits = { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "10.00" };
const amount = (code: ErrorCode, message: string, path = "amount") =>
  new ServiceError(code, message, { errors: [{ path, message }], limits });

/** What each call comes upon when it comes too late. */
const conflictOf = ({ as }: WithdrawalStory, id: string) => {
  switch (id) {
    case "rejectTransaction":
    case "cancelWithdrawal":
      return as.settled;
    case "linkTransaction":
      return as.awaiting_sca;
    case "declareUndelivered":
      return as.linked;
    default:
      return as.canceled;
  }
};

const invalid = ({ firstField }: Refusing): ServiceError =>
  firstField === null
    ? new ServiceError("validation_failed", "A header that may stand once stands twice")
    : new ServiceError("validation_failed", undefined, { errors: [{ path: firstField, message: "is missing" }] });

const errorOf = (code: ErrorCode, call: Refusing, story: WithdrawalStory): Error => {
  switch (code) {
    case "validation_failed":
      return invalid(call);
    case "unauthenticated":
      return call.errorShape === "oauth"
        ? new OAuthRefusal("invalid_client", 401, "unknown client or wrong secret")
        : new ServiceError(code, "The access token is unknown, expired or revoked");
    case "insufficient_scope":
      return new ServiceError(code, `This call needs the scope ${call.scope}`);
    case "transaction_not_found":
      return new ServiceError(code, "There is no such transaction.");
    case "transaction_conflict": {
      const transaction = conflictOf(story, call.id);
      return new ServiceError(code, `The transaction is ${transaction.status}.`, { transaction });
    }
    case "amount_out_of_range":
      return amount(code, "The store hands out 10.00 to 500.00 EUR.");
    case "amount_step":
      return amount(code, "The amount must be a multiple of 10.00 EUR.");
    case "currency_mismatch":
      return amount(code, "The store hands out EUR.", "currency");
    case "limit_reached": {
      const limit = call.id === "confirmTransaction" ? "terminal_hour" : "user_day";
      const reached = { limit, limit_max: "400.00", limit_left: "20.00" } as const;
      return new ServiceError(code, undefined, { limits: { ...limits, ...reached } });
    }
    default:
      return new ServiceError(code, errorTable[code].title);
  }
};

/** OpenAPI's `examples` of one answer: each code with the body that comes with it. */
export const refusalExamples = async (codes: readonly ErrorCode[], call: Refusing, story: WithdrawalStory) => {
  const failing = {
    shape: call.errorShape,
    requestId: example.requestId,
    endpoint: `${call.method.toUpperCase()} ${call.path}`,
    session: {
      kind: "client",
      ownerId: example.partner,
      deviceId: "server-1",
      scopes: ["users"],
      expiresAt: 0,
    } as const,
    nowMs: Date.parse(example.createdAt),
    tokenSent: true,
  };
  const shown = async (name: string, summary: string, error: Error) =>
    [name, { summary, value: (await errorResponse(error, failing).json()) as unknown }] as const;
  const known = codes.map((code) => shown(code, errorTable[code].title, errorOf(code, call, story)));
  // The one refusal that is in no table: it has the published shape of its own call.
  if (codes.length === 0)
    known.push(shown("entity_exists", "The id is taken", new UserExists("a user with this id exists")));
  return Object.fromEntries(await Promise.all(known));
};
