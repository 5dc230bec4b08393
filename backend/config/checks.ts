/** What must hold between two settings. Each answers with no problem, or with a sentence that begins with the variable's name. */
import { isServiceUrl } from "../contract/service-url.ts";
import type { ParsedSettings } from "./environment.ts";

/** Destination urls carry a customer's session: in the open only on this very machine. */
const publicUrlProblems = ({ SANDBOX: sandbox, PUBLIC_URL: url }: ParsedSettings): readonly string[] =>
  sandbox || url === undefined || isServiceUrl(url)
    ? []
    : ["PUBLIC_URL must be https (plain http is for this very machine alone)"];

const tlsProblems = ({ TLS_CERT, TLS_KEY }: ParsedSettings): readonly string[] =>
  (TLS_CERT === undefined) === (TLS_KEY === undefined)
    ? []
    : [`${TLS_CERT === undefined ? "TLS_CERT" : "TLS_KEY"} is missing: HTTPS needs both files`];

/** A key is forgotten with its withdrawal: archived before its time, a repeat would be taken for a new request. */
const retentionProblems = ({
  RETENTION_WITHDRAWAL_DAYS: withdrawals,
  RETENTION_IDEMPOTENCY_KEY_DAYS: keys,
}: ParsedSettings): readonly string[] =>
  withdrawals === 0 || (keys !== 0 && keys <= withdrawals)
    ? []
    : ["RETENTION_WITHDRAWAL_DAYS must not be shorter than RETENTION_IDEMPOTENCY_KEY_DAYS (0: for ever)"];

/** A PostgreSQL has its own tools for it, which know its whole cluster. */
const backupProblems = ({ BACKUP_DIR, DATABASE_URL }: ParsedSettings): readonly string[] =>
  BACKUP_DIR !== undefined && (DATABASE_URL.kind !== "sqlite" || DATABASE_URL.path === ":memory:")
    ? ["BACKUP_DIR is for an SQLite file; back a PostgreSQL up with pg_basebackup or pg_dump"]
    : [];

/** Every problem that lies between settings. */
export const problemsBetween = (value: ParsedSettings): readonly string[] => [
  ...publicUrlProblems(value),
  ...tlsProblems(value),
  ...retentionProblems(value),
  ...backupProblems(value),
];
