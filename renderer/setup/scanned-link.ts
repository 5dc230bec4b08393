/** The provider's enrolment link, scanned from a QR code during the set-up. */
import { create } from "zustand";
import { type EnrolmentLink, readEnrolmentLink } from "../../backend/contract/enrolment-link.ts";

/** The latest link; each scan is a new object, so that the same code counts again. */
export const useScannedLink = create<{ readonly link: EnrolmentLink | null }>(() => ({ link: null }));

/** Stores the text if it is an enrolment link. @returns whether it is one. */
export const acceptScannedLink = (text: string): boolean => {
  const link = readEnrolmentLink(text);
  if (link !== null) useScannedLink.setState({ link });
  return link !== null;
};
