/** The provider's QR code, read by any scanner while the terminal is set up. */
import { create } from "zustand";
import { type EnrolmentLink, readEnrolmentLink } from "../../backend/contract/enrolment-link.ts";

/** The latest one; each reading is a new object. */
export const useScannedLink = create<{ readonly link: EnrolmentLink | null }>(() => ({ link: null }));

/** Keeps a provider's code for the set-up; false for every other text. */
export const takeLink = (text: string): boolean => {
  const link = readEnrolmentLink(text);
  if (link !== null) useScannedLink.setState({ link });
  return link !== null;
};
