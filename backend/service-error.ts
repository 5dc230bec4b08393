/** Errors of verbs; `http` maps them to answers in one place (conventions, "Errors"). */
import { type ErrorCode, errorTable, type ProblemLimits } from "./contract/errors.ts";
import type { Transaction } from "./contract/transaction.ts";

/** Details of a refusal. */
export interface ServiceErrorExtra {
  /** The current transaction, on `transaction_conflict`. */
  readonly transaction?: Transaction;
  /** What is wrong with which field, on `validation_failed`. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The limits, on refusals of an amount, a currency or a limit. */
  readonly limits?: ProblemLimits;
  /** Whole seconds, on `too_many_requests` and `unavailable`. */
  readonly retryAfterSeconds?: number;
  /** The cause, only for the log. */
  readonly cause?: unknown;
}

/** A refusal with a code of the error table; `detail` is a sentence for the caller. */
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

/** What is wrong with one field. */
export const invalidField = (path: string, message: string): ServiceError =>
  new ServiceError("validation_failed", undefined, { errors: [{ path, message }] });

/** The words of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
