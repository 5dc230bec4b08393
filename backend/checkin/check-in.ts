/** Partner Checkin (interface 4.3): a partner's server announces a user and gets an address for the user's browser. */
import type { z } from "zod";
import type { Tokens } from "../access/tokens.ts";
import type { Client, Service } from "../context.ts";
import type { checkinBodySchema, checkinReplySchema } from "../contract/client.ts";
import { parseAmount } from "../contract/money.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { ServiceError } from "../service-error.ts";
import { customerByKey, insertCheckin } from "./checkin-store.ts";

/** How long `destination_url` waits to be opened. */
export const destinationLifetimeMs = 10 * 60_000;

const invalid = (path: string, message: string) =>
  new ServiceError("validation_failed", undefined, { errors: [{ path, message }] });

/** https, or http on this very machine; nothing that could smuggle a password or a script. */
export const isUrlBack = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  return isServiceUrl(text);
};

/**
 * @param publicUrl PUBLIC_URL: what the address is built on.
 * @throws ServiceError `validation_failed` for a balance or a urlBack that does not hold.
 */
export const checkIn = async (
  service: Pick<Service, "store" | "clock" | "random">,
  tokens: Pick<Tokens, "hash">,
  client: Client,
  body: z.output<typeof checkinBodySchema>,
  publicUrl: string,
): Promise<z.infer<typeof checkinReplySchema>> => {
  const { brand, userId, balance, currency, urlBack } = body.additionalData;
  const balanceMinor = parseAmount(balance, currency);
  if (balanceMinor === null) throw invalid("additionalData.balance", `must be an amount in ${currency}`);
  if (!isUrlBack(urlBack)) throw invalid("additionalData.urlBack", "must be https, or http on a loopback host");

  const now = service.clock.now();
  const id = Buffer.from(service.random.bytes(15)).toString("base64url");
  const linkToken = Buffer.from(service.random.bytes(32)).toString("base64url");
  const expiresAt = now + destinationLifetimeMs;
  const status = await service.store.write(async (tx) => {
    const customer = await tx.first(customerByKey({ partner: client.partnerId, user: userId }));
    if (customer !== undefined && customer.blocked_at !== null) return "blocked";
    await tx.run(
      insertCheckin({
        id,
        partner_id: client.partnerId,
        token_hash: tokens.hash(linkToken),
        reference_id: body.referenceId,
        brand,
        user_id: userId,
        balance: balanceMinor,
        currency,
        url_back: urlBack,
        created_at: now,
        expires_at: expiresAt,
        opened_at: null,
        session_hash: null,
        transaction_id: null,
      }),
    );
    return customer === undefined ? "new" : "active";
  });
  if (status === "blocked") return { status, destination_url: null, expires_at: null };
  return {
    status,
    destination_url: destinationUrl(publicUrl, id, linkToken),
    expires_at: new Date(expiresAt).toISOString(),
  };
};

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
