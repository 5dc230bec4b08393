import type { DayReport } from "../../../preload/contract.ts";
import type { PrintTask } from "../receipts/printed-lines.ts";
import { type State, shopOf } from "./state.ts";

/** The printed form of a day's report. @param isReprint a manager's copy: it was printed before, or perhaps. */
export const dayReportTask = (state: State, report: DayReport, isReprint: boolean): PrintTask => ({
  kind: "day_report",
  report,
  shop: shopOf(state)?.name ?? state.device?.merchantId ?? "",
  terminal: state.device?.deviceId ?? "",
  training: state.training,
  isReprint,
  isBlind: report.isBlind && !isReprint,
});
