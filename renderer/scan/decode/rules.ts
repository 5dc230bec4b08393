import { readEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { foreignIdFault } from "../../../backend/contract/foreign-ids.ts";
import { isTransactionId } from "../../../backend/contract/ids.ts";
import type { Settings, Symbology } from "../../../preload/contract.ts";

/** What the manager's settings say about codes that count. */
export type ScanRules = Pick<Settings, "symbologies" | "fixedLength" | "foreignIds">;
/** How ids of another system look; see `settingsSchema`. */
export type ForeignIds = NonNullable<Settings["foreignIds"]>;

/** Why a text does not count. */
export type Fault = "symbology_off" | "length" | "alphabet" | "check";

const crockford = /^[0-9A-HJKMNP-TV-Z]+$/;

const ownFault = (text: string): Fault | null => {
  if (text.length !== 16) return "length";
  if (!crockford.test(text)) return "alphabet";
  return isTransactionId(text) ? null : "check";
};

/** Whether a text is an id of ours, or of the network that the manager described: null when it is, else the nearest fault. */
export const idFault = (text: string, rules: Pick<ScanRules, "foreignIds">): Fault | null => {
  const own = ownFault(text);
  if (own === null || rules.foreignIds === null) return own;
  return foreignIdFault(text, rules.foreignIds);
};

/** ITF and Code 39 give cut-off texts again and again, with nothing in the symbol against it. */
const needsFixedLength = (symbology: Symbology): boolean => symbology === "itf" || symbology === "code39";

/**
 * The symbologies that are worth looking for. ITF and Code 39 are on only with a fixed length, and only where an id's check
 * character can catch what the length does not.
 */
export const symbologiesInUse = (rules: ScanRules): readonly Symbology[] =>
  rules.symbologies.filter(
    (symbology) => !needsFixedLength(symbology) || (rules.fixedLength !== null && rules.foreignIds?.check !== "none"),
  );

/** Whether a text read from a symbol of this kind counts: null when it does. Two reads of bars must agree as well: see `agreement.ts`. */
export const readFault = (text: string, symbology: Symbology, rules: ScanRules): Fault | null => {
  // The provider's QR code for a new terminal; whoever gets it while none is set up takes it for no withdrawal code.
  if (symbology === "qr" && readEnrolmentLink(text) !== null) return null;
  if (!symbologiesInUse(rules).includes(symbology)) return "symbology_off";
  if (needsFixedLength(symbology) && text.length !== rules.fixedLength) return "length";
  return idFault(text, rules);
};
