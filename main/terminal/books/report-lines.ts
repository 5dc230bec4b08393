/** The service's reconciliation report, read leniently: any server's that follows the conventions. Pure. */
import { type Finding, findings } from "../../../backend/contract/client.ts";
import type { Amount } from "../../../preload/contract.ts";

/** One line of the report. */
export interface ReportLine {
  readonly transactionId: string;
  readonly partnerId: string | null;
  readonly deviceId: string | null;
  readonly status: string;
  readonly finding: Finding;
  readonly reason: string | null;
  readonly money: Amount | null;
  /** By the service's clock. */
  readonly confirmedAtMs: number;
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const byStatus: Readonly<Record<string, Finding>> = {
  linked: "matched",
  settled: "not_linked",
  undelivered: "undelivered",
  awaiting_sca: "settle_unknown",
  settling: "settle_unknown",
};

const lineOf = (value: unknown): readonly ReportLine[] => {
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Record<string, unknown>;
  const transactionId = text(fields.transaction_id);
  const confirmedAtMs = Date.parse(text(fields.confirmed_at) ?? "");
  if (transactionId === null || !Number.isFinite(confirmedAtMs)) return [];
  const status = text(fields.status) ?? "";
  const [amount, currency] = [text(fields.amount), text(fields.currency)];
  return [
    {
      transactionId,
      partnerId: text(fields.transaction_id_partner),
      deviceId: text(fields.device_id),
      status,
      finding: findings.find((word) => word === fields.finding) ?? byStatus[status] ?? "closed",
      reason: text(fields.reason),
      money: amount === null || currency === null ? null : { amount, currency },
      confirmedAtMs,
    },
  ];
};

/** The lines of a report; null when the body is none. */
export const reportLines = (body: unknown): readonly ReportLine[] | null => {
  const lines = typeof body === "object" && body !== null && "lines" in body ? body.lines : body;
  return Array.isArray(lines) ? lines.flatMap(lineOf) : null;
};
