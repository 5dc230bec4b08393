/** What the printer said, applied. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { dropPrints, notPrinted, type Printing, printed, printUnclear, retryPrint } from "./printing.ts";
import type { Moment } from "./state.ts";
import type { PrintEvent } from "./transient-events.ts";

/** The state after an event of the printer. */
export const evolvePrinting = (
  printing: Printing,
  event: Exclude<PrintEvent, { type: "print_asked" }>,
  { monotonicMs }: Moment,
): Printing => {
  switch (event.type) {
    case "print_retried":
      return retryPrint(printing, monotonicMs);
    case "prints_dropped":
      return dropPrints(printing);
    case "print_ended": {
      const { answer, number } = event;
      switch (answer.kind) {
        case "printed":
          return printed(printing, number, answer.paperLow, monotonicMs);
        case "not_printed":
          return notPrinted(printing, answer.why, monotonicMs);
        case "unclear":
          return printUnclear(printing, answer.why);
        default:
          return assertNever(answer);
      }
    }
    default:
      return assertNever(event);
  }
};
