/** Links from the phone pages into the sandbox, which serves these paths; without the base path. */

/** Path of the sandbox's start page. */
export const sandboxHomePath = "/sandbox";
/** Path of the sandbox bank's orders. */
export const sandboxBankPath = `${sandboxHomePath}/bank`;
/** Path of the sandbox bank's approval pages. */
export const scaPathBase = `${sandboxBankPath}/sca`;

/** Path of the bank's SCA page of one withdrawal; it leads back to the page of the check-in. */
export const scaPathOf = (transactionId: string, checkinId: string): string =>
  `${scaPathBase}/${encodeURIComponent(transactionId)}?from=${encodeURIComponent(checkinId)}`;
