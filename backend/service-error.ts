/** What a verb throws when it refuses; `http` maps it to an answer in one place (conventions, "Errors"). */
import { type ErrorCode, errorTable, type ProblemLimits } from "./contract/errors.ts";
import type { Transaction } from "./contract/transaction.ts";

/** What a refusal tells beside its code. */
export interface ServiceErrorExtra {
  /** The transaction as it is, on `transaction_conflict`. */
  readonly transaction?: Transaction;
  /** What is wrong with which field, on `validation_failed`. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The values that count, on refusals of an amount, a currency or a limit. */
  readonly limits?: ProblemLimits;
  /** Whole seconds, on `too_many_requests` and `unavailable`. */
  readonly retryAfterSeconds?: number;
  /** What lies behind it: for the log, never for the answer. */
  readonly cause?: unknown;
}

/** A refusal with a code of the error table; `detail` is a sentence for the caller and may be shown. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly extra: ServiceErrorExtra;

  constructor(code: ErrorCode, detail: string = errorTable[code].title, extra: ServiceErrorExtra = {}) {
    super(detail, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "ServiceError";
    this.code = code;
    this.extra = extra;
  }
}
