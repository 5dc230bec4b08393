/** Where the phone pages lead in a service with the sandbox; the sandbox serves these paths. */

/** Where the sandbox's page is. */
export const sandboxHomePath = "/sandbox";
/** Where the sandbox's own bank takes its orders. */
export const sandboxBankPath = `${sandboxHomePath}/bank`;
/** Where the sandbox bank's approval pages are. */
export const scaPathBase = `${sandboxBankPath}/sca`;

/** Links of the pages into the sandbox. Paths without the base path. */
export interface SandboxLinks {
  readonly homePath: string;
  /** The bank's SCA page of one withdrawal; it leads back to the page of the check-in. */
  scaPath(transactionId: string, checkinId: string): string;
}

/** The links to them from a customer's page. */
export const sandboxLinks: SandboxLinks = {
  homePath: sandboxHomePath,
  scaPath: (transactionId, checkinId) =>
    `${scaPathBase}/${encodeURIComponent(transactionId)}?from=${encodeURIComponent(checkinId)}`,
};
