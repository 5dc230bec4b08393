/** Links from the phone pages into the sandbox, which serves these paths. */

/** Path of the sandbox's start page. */
export const sandboxHomePath = "/sandbox";
/** Path of the sandbox bank's orders. */
export const sandboxBankPath = `${sandboxHomePath}/bank`;
/** Path of the sandbox bank's approval pages. */
export const scaPathBase = `${sandboxBankPath}/sca`;

/** Links from the pages into the sandbox, as paths without the base path. */
export interface SandboxLinks {
  readonly homePath: string;
  /** The bank's SCA page of one withdrawal; it leads back to the page of the check-in. */
  scaPath(transactionId: string, checkinId: string): string;
}

/** The sandbox's links. */
export const sandboxLinks: SandboxLinks = {
  homePath: sandboxHomePath,
  scaPath: (transactionId, checkinId) =>
    `${scaPathBase}/${encodeURIComponent(transactionId)}?from=${encodeURIComponent(checkinId)}`,
};
