import { readEnrolmentLink } from "../../backend/contract/enrolment-link.ts";
import { foreignIdFault } from "../../backend/contract/foreign-ids.ts";
import { isTransactionId, normalizeTypedId } from "../../backend/contract/ids.ts";
import type { ScanSource, Settings, Symbology } from "../../preload/contract.ts";

/** One barcode as it goes to the terminal's core, wherever it came from. */
interface Scan {
  readonly text: string;
  readonly source: ScanSource;
  readonly symbology?: Symbology;
}

/** Takes each scan as it comes. */
export type OnScan = (scan: Scan) => void;

/** The core refuses longer texts; no scanner sends them. */
export const scanTextLengthMax = 4096;

/** The settings that decide which codes are valid. */
export type ScanRules = Pick<Settings, "symbologies" | "fixedLength" | "foreignIds">;
/** The format of another network's ids; see `settingsSchema`. */
export type ForeignIds = NonNullable<Settings["foreignIds"]>;

/** Why a text is not valid. */
export type Fault = "symbology_off" | "length" | "alphabet" | "check";

const crockford = /^[0-9A-HJKMNP-TV-Z]+$/;

const ownFault = (text: string): Fault | null => {
  if (text.length !== 16) return "length";
  if (!crockford.test(text)) return "alphabet";
  return isTransactionId(text) ? null : "check";
};

/** Why a text is neither an id of ours nor one of the network in the settings; null: it is one. */
export const idFault = (text: string, rules: Pick<ScanRules, "foreignIds">): Fault | null => {
  const own = ownFault(text);
  if (own === null || rules.foreignIds === null) return own;
  return foreignIdFault(text, rules.foreignIds);
};

/** ITF and Code 39 often give truncated texts, and have no check character against it. */
const needsFixedLength = (symbology: Symbology): boolean => symbology === "itf" || symbology === "code39";

/** The symbologies to decode. ITF and Code 39 only with a fixed length, and only where the ids have a check character. */
export const symbologiesInUse = (rules: ScanRules): readonly Symbology[] =>
  rules.symbologies.filter(
    (symbology) => !needsFixedLength(symbology) || (rules.fixedLength !== null && rules.foreignIds?.check !== "none"),
  );

/** Why a text of a symbology is not valid; null: it is. Linear codes need two equal reads as well: see `FrameReader`. */
export const readFault = (text: string, symbology: Symbology, rules: ScanRules): Fault | null => {
  // The provider's enrolment link is valid too; outside of the set-up the terminal refuses it as a withdrawal code.
  if (symbology === "qr" && readEnrolmentLink(text) !== null) return null;
  if (!symbologiesInUse(rules).includes(symbology)) return "symbology_off";
  if (needsFixedLength(symbology) && text.length !== rules.fixedLength) return "length";
  return idFault(text, rules);
};

/** An id out of what a person typed or pasted: as it stands, or as Crockford reads it; null when it is none. */
export const readTypedId = (text: string, rules: Pick<ScanRules, "foreignIds">): string | null => {
  const trimmed = text.trim();
  for (const candidate of [trimmed, normalizeTypedId(trimmed)])
    if (idFault(candidate, rules) === null) return candidate;
  return null;
};
