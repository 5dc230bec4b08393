/** Partner Checkin (interface 4.3): a partner's server announces a user and gets an address for the user's browser. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import { marks, type Tokens } from "../access/credentials.ts";
import { writeSettings } from "../access/setting-entries.ts";
import type { Setting } from "../access/setting-kinds.ts";
import type { Client, Service } from "../context.ts";
import type { checkinBodySchema, checkinReplySchema } from "../contract/client.ts";
import { parseAmount } from "../contract/money.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { hourMs, toTime } from "../contract/times.ts";
import { invalidField, ServiceError } from "../service-error.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, insertRow, statement } from "../store/store.ts";
import { foldedId, isUser, type UserKey, userKey } from "../store/user-key.ts";

/** How long `destination_url` waits to be opened. */
export const destinationLifetimeMs = 10 * 60_000;

/** https, or http on this very machine; nothing that could smuggle a password or a script. */
const isUrlBack = (text: string): boolean =>
  isServiceUrl(text) && new URL(text).username === "" && new URL(text).password === "";

/** Whose money a check-in is about, how much of it, and until when it opens. */
type Bound = Pick<RowOf<"checkins">, "id" | "partner_id" | "user_id" | "balance" | "currency" | "expires_at">;

/** Releases before this one made secrets of the same length that are random throughout: they open what their row says. */
const bound = { mark: marks.checkin, saltEnd: 26, length: 43 } as const;
/** Ends in a digest of that, so that a check-in whose row was changed in the database opens for nobody. */
const boundTo = (tokens: Pick<Tokens, "hash">, markAndSalt: string, of: Bound): string => {
  const said = [markAndSalt, of.id, of.partner_id, of.user_id, of.balance, of.currency, of.expires_at];
  return `${markAndSalt}${tokens.hash(JSON.stringify(said))}`.slice(0, bound.length);
};
const makeBoundSecret = ({ random }: Pick<Service, "random">, tokens: Pick<Tokens, "hash">, of: Bound): string =>
  boundTo(tokens, `${bound.mark}${Buffer.from(random.bytes(16)).toString("base64url")}`, of);
const isBoundTo = (tokens: Pick<Tokens, "hash">, secret: string, of: Bound): boolean =>
  secret.startsWith(bound.mark)
    ? secret === boundTo(tokens, secret.slice(0, bound.saltEnd), of)
    : !secret.startsWith(marks.token);

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
  if (balanceMinor === null) throw invalidField("additionalData.balance", `must be an amount in ${currency}`);
  if (!isUrlBack(urlBack)) throw invalidField("additionalData.urlBack", "must be https, or http on a loopback host");

  const now = service.clock.now();
  const id = Buffer.from(service.random.bytes(15)).toString("base64url");
  const expiresAt = now + destinationLifetimeMs;
  const whose = { partner_id: client.partnerId, user_id: userId, balance: balanceMinor, currency };
  const of = { id, ...whose, expires_at: expiresAt };
  const linkToken = makeBoundSecret(service, tokens, of);
  const status = await service.store.write(async (tx) => {
    const customer = await tx.first(customerByKey(userKey(client.partnerId, userId)));
    if (customer !== undefined && customer.blocked_at !== null) return "blocked";
    await tx.run(
      insertCheckin({
        ...of,
        token_hash: tokens.hash(linkToken),
        reference_id: body.referenceId,
        brand,
        url_back: urlBack,
        created_at: now,
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
    expires_at: toTime(expiresAt),
  };
};

/** Where the customer's pages are, below PUBLIC_URL. */
export const webSdkPath = "/websdk";
/** The parameter of a destination url that holds its secret. */
export const linkTokenName = "token";

/** Whether a text has the form of a check-in's id (base64url); nothing else from a path is looked up. */
export const isCheckinId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

/** The page of one check-in; also the path of its cookie, so that two check-ins in one browser stay apart. */
export const pagePath = (checkinId: string): string => `${webSdkPath}/${encodeURIComponent(checkinId)}`;

/** @param publicUrl PUBLIC_URL, without a slash at its end. @param linkToken opens the page once. */
export const destinationUrl = (publicUrl: string, checkinId: string, linkToken: string): string =>
  `${publicUrl}${pagePath(checkinId)}?${linkTokenName}=${encodeURIComponent(linkToken)}`;

/** How long an opened page works: an order's lifetime plus time to see how it ended. */
export const checkinSessionMs = hourMs;

/** An opened check-in, as the customer's pages use it. */
export type Checkin = Readonly<Omit<RowOf<"checkins">, "token_hash" | "session_hash">>;

type Stored = Pick<Service, "store" | "clock">;

/**
 * Opens the page of `destination_url`: once, within 10 minutes. The customer counts as `active` from then on.
 * @returns the check-in and the session secret for the browser's cookie; `null` when the address is wrong, used or late.
 */
export const openCheckin = (
  { store, clock, random }: Pick<Service, "store" | "clock" | "random">,
  tokens: Pick<Tokens, "hash">,
  checkinId: string,
  linkToken: string,
): Promise<{ readonly checkin: Checkin; readonly session: string } | null> => {
  const now = clock.now();
  const token = tokens.hash(linkToken);
  return store.write(async (tx) => {
    const row = await tx.first(linkByToken({ id: checkinId, token }));
    if (row === undefined || !isBoundTo(tokens, linkToken, row)) return null;
    const session = makeBoundSecret({ random }, tokens, row);
    const opened = { opened_at: now, session_hash: tokens.hash(session) };
    if ((await tx.run(openCheckinRow({ id: checkinId, session: opened.session_hash, now }))) === 0) return null;
    const customer = await tx.first(customerByKey(userKey(row.partner_id, row.user_id)));
    if (customer !== undefined && customer.blocked_at !== null) return null;
    await tx.run(addCustomer({ partner: row.partner_id, user: foldedId(row.user_id), now }));
    return { checkin: { ...row, ...opened }, session };
  });
};

/** The check-in that this browser opened; `null` when it did not, when it was too long ago, or the user is blocked. */
export const findCheckin = (
  { store, clock }: Stored,
  tokens: Pick<Tokens, "hash">,
  checkinId: string,
  session: string,
): Promise<Checkin | null> =>
  store.read(async (tx) => {
    const openedAfter = clock.now() - checkinSessionMs;
    const row = await tx.first(checkinBySession({ id: checkinId, session: tokens.hash(session), openedAfter }));
    if (row === undefined || row.expires_at <= openedAfter || !isBoundTo(tokens, session, row)) return null;
    const customer = await tx.first(customerByKey(userKey(row.partner_id, row.user_id)));
    return customer === undefined || customer.blocked_at === null ? row : null;
  });

/**
 * Remembers the withdrawal that the page asked for, so that a reload shows it again.
 * @returns false when another tab of the same browser was faster.
 */
export const linkCheckin = ({ store }: Stored, checkin: Checkin, transactionId: string): Promise<boolean> =>
  store.write(async (tx) => {
    const before = checkin.transaction_id;
    return (await tx.run(linkCheckinRow({ id: checkin.id, transaction: transactionId, before }))) === 1;
  });

const checkinColumns = columnsOf("checkins");

/** Keeps a check-in with the HMAC of its address's secret. */
const insertCheckin = statement("checkin_insert", (db, p: RowOf<"checkins">) => insertRow(db, "checkins", p));

/** The compare-and-set that lets an address work once. */
const openCheckinRow = statement(
  "checkin_open",
  (db, p: { readonly id: string; readonly session: string; readonly now: number }) =>
    db
      .updateTable("checkins")
      .set({ opened_at: p.now, session_hash: p.session })
      .where("id", "=", p.id)
      .where("opened_at", "is", null)
      .where("expires_at", ">", p.now),
);

/** The check-in that a page's session belongs to, if it was opened after `openedAfter`. */
const checkinBySession = statement(
  "checkin_by_session",
  (db, p: { readonly id: string; readonly session: string; readonly openedAfter: number }) =>
    db
      .selectFrom("checkins")
      .select(checkinColumns)
      .where((row) => row.and({ id: p.id, session_hash: p.session }))
      .where("opened_at", ">", p.openedAfter),
);

/** The check-in behind an address, opened or not. */
export const linkByToken = statement("checkin_link_by_token", (db, p: { id: string; token: string }) =>
  db.selectFrom("checkins").select(checkinColumns).where("id", "=", p.id).where("token_hash", "=", p.token),
);

/** Links a check-in to a withdrawal; replacing an earlier one requires naming it. */
const linkCheckinRow = statement(
  "checkin_link",
  (db, p: { readonly id: string; readonly transaction: string; readonly before: string | null }) =>
    db
      .updateTable("checkins")
      .set({ transaction_id: p.transaction })
      .where("id", "=", p.id)
      .where((where) => where.or([where("transaction_id", "is", null), where("transaction_id", "=", p.before)])),
);

/** SQL condition: the user is blocked. @param isTheUser about `user_id` of `customers`. */
export const customerIsBlocked = (partner: RawBuilder<unknown>, isTheUser: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from customers as blocked where blocked.partner_id = ${partner}
    and ${isTheUser} and blocked.blocked_at is not null)`;

/** @param user in one case for all of the user's ids (`foldedId`); releases before wrote it as it came. */
type ByCustomer = { readonly partner: string; readonly user: string; readonly now: number };

/** The user's row, ignoring case; a blocked one first. */
const customerByKey = statement("customer_by_key", (db, p: UserKey) =>
  db
    .selectFrom("customers")
    .select("blocked_at")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .orderBy(sql`case when blocked_at is null then 1 else 0 end`)
    .limit(1),
);

/** Adds a user; an existing one is left unchanged. */
export const addCustomer = statement("customer_add", (db, p: ByCustomer) =>
  db
    .insertInto("customers")
    .values({ partner_id: p.partner, user_id: p.user, created_at: p.now, blocked_at: null })
    .onConflict((conflict) => conflict.columns(["partner_id", "user_id"]).doNothing()),
);

/** Blocks a user, known or not. */
const blockCustomer = statement("customer_block", (db, p: ByCustomer) =>
  db
    .insertInto("customers")
    .values({ partner_id: p.partner, user_id: p.user, created_at: p.now, blocked_at: p.now })
    .onConflict((conflict) => conflict.columns(["partner_id", "user_id"]).doUpdateSet({ blocked_at: p.now })),
);

/** Ends a block, ignoring the id's case. */
const unblockCustomer = statement("customer_unblock", (db, p: UserKey) =>
  db
    .updateTable("customers")
    .set({ blocked_at: null })
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("blocked_at", "is not", null),
);

/** The user's row if blocked. */
export const blockedCustomer = statement("customer_blocked", (db, p: UserKey) =>
  db
    .selectFrom("customers")
    .select("user_id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("blocked_at", "is not", null)
    .limit(1),
);

/** Deletes what is kept of a user. */
export const forgetUser = (table: "checkins" | "customers", key: UserKey) =>
  adhoc((db) => db.deleteFrom(table).where("partner_id", "=", key.partner).where(isUser(key)));

/** Deletes the `limit` oldest that were made before `before`. */
export const purgeCheckins = statement("checkins_purge", (db, p: { before: number; limit: number }) =>
  db
    .deleteFrom("checkins")
    .where("id", "in", (old) =>
      old.selectFrom("checkins").select("id").where("created_at", "<", p.before).orderBy("created_at").limit(p.limit),
    ),
);

type CustomerKey = { readonly partnerId: string; readonly userId: string };
type Blocking = Pick<Service, "store" | "clock" | "keys">;
const blockOf = ({ partnerId, userId }: CustomerKey): Setting => ["customers", partnerId, userId];

/** Blocks a user: no new withdrawals, and none that waits can be confirmed. @returns rows written. */
export const block = (on: Blocking, key: CustomerKey): Promise<number> =>
  writeSettings(on, (tx, changed) => {
    changed.push([blockOf(key), {}]);
    return tx.run(blockCustomer({ partner: key.partnerId, user: foldedId(key.userId), now: on.clock.now() }));
  });

/** @throws ServiceError `not_found` when the user is not blocked. */
export const unblock = (on: Blocking, key: CustomerKey): Promise<void> =>
  writeSettings(on, async (tx, changed) => {
    const changes = await tx.run(unblockCustomer(userKey(key.partnerId, key.userId)));
    if (changes === 0) throw new ServiceError("not_found", `user ${key.userId} of ${key.partnerId} is not blocked`);
    changed.push([blockOf(key), null]);
  });
