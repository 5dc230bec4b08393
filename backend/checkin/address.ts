/**
 * Where the web-SDK page of a check-in lives: `destination_url` is made here by the check-in and taken apart by the page.
 * The secret is in the query, which is not logged; the path alone opens nothing.
 */

/** Where the customer's pages are, below PUBLIC_URL. */
export const webSdkPath = "/websdk";
/** The parameter of a destination url that holds its secret. */
export const linkTokenName = "token";

/** The form of a check-in's id (base64url). Nothing else from a path is asked of the database, which may refuse it. */
export const isCheckinId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

/** The page of one check-in; also the path of its cookie, so that two check-ins in one browser do not meet. */
export const pagePath = (checkinId: string): string => `${webSdkPath}/${encodeURIComponent(checkinId)}`;

/** @param publicUrl PUBLIC_URL, without a slash at its end. @param linkToken opens the page once. */
export const destinationUrl = (publicUrl: string, checkinId: string, linkToken: string): string =>
  `${publicUrl}${pagePath(checkinId)}?${linkTokenName}=${encodeURIComponent(linkToken)}`;
