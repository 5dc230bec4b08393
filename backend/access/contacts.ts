/** When each terminal last called and with which version of its program; and the list of all terminals. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import { minuteMs } from "../contract/times.ts";
import { isOfChain } from "../merchants/chains.ts";
import { adhoc, statement } from "../store/store.ts";
import { lruBound } from "./rate-limits.ts";
import type { Session } from "./tokens.ts";

/** A terminal calls at least every five minutes; the time is written at most this often. */
const contactEveryMs = 5 * minuteMs;
/** A program whose version changes with each call must not cost a write each time. */
const versionEveryMs = minuteMs;
const terminalsMax = 50_000;
const gatherMs = 2_000;

/** The version in `User-Agent: Tillcash-Terminal/1.2.3`; null for any other program. */
export const terminalVersion = (userAgent: string | undefined): string | null =>
  /^Tillcash-Terminal\/([0-9A-Za-z.+-]{1,32})$/.exec(userAgent ?? "")?.[1] ?? null;

/** Records when terminals called. Writes rarely, and never delays the call itself. */
export const createContacts = ({ store, clock, log }: Pick<Service, "store" | "clock" | "log">) => {
  const known = new LRUCache<string, { readonly at: number; readonly version: string | null }>(lruBound(terminalsMax));
  const heard = new Map<string, Parameters<typeof keepContact>[0]>();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let isPlanned = false;
  const write = () => {
    [writtenAt, isPlanned] = [clock.now(), false];
    const contacts = [...heard.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
    heard.clear();
    store
      .write(async (tx) => {
        for (const each of contacts) tx.runUnawaited(keepContact(each));
      })
      .catch((error: unknown) => log.warn({ err: error }, "when terminals were heard could not be written"));
  };
  /** At once, or together with the calls of the next two seconds: of a thousand terminals three call each second. */
  const writeSoon = (now: number) => {
    const waitMs = writtenAt + gatherMs - now;
    if (waitMs <= 0 || waitMs > gatherMs) return write();
    if (!isPlanned) clock.after(waitMs, write);
    isPlanned = true;
  };
  return (session: Session, userAgent: string | undefined): void => {
    if (session.kind !== "terminal") return;
    const { ownerId: merchant, deviceId: device } = session;
    const [now, version, name] = [clock.now(), terminalVersion(userAgent), `${merchant}\n${device}`];
    const last = known.get(name);
    const pauseMs = last?.version === version ? contactEveryMs : versionEveryMs;
    if (last !== undefined && now >= last.at && now - last.at < pauseMs) return;
    known.set(name, { at: now, version });
    heard.set(name, { merchant, device, now, version });
    writeSoon(now);
  };
};

const keepContact = statement(
  "terminal_contact_keep",
  (db, p: { merchant: string; device: string; now: number; version: string | null }) =>
    db
      .insertInto("terminal_contacts")
      .values({ merchant_id: p.merchant, device_id: p.device, heard_at: p.now, version: p.version })
      .onConflict((same) =>
        same.columns(["merchant_id", "device_id"]).doUpdateSet((set) => ({
          heard_at: set.ref("excluded.heard_at"),
          version: set.ref("excluded.version"),
        })),
      ),
);

/** When one terminal last called, to within five minutes. */
export const contactOf = statement("terminal_contact_of", (db, p: { merchant: string; device: string }) =>
  db
    .selectFrom("terminal_contacts")
    .select("heard_at")
    .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device })),
);

/** Sets times in the future, which a clock that was ahead has written, to now: else a silent terminal would seem to be there until then. */
export const endFutureContacts = statement("terminal_contacts_future", (db, p: { now: number }) =>
  db.updateTable("terminal_contacts").set({ heard_at: p.now }).where("heard_at", ">", p.now),
);

/** Which terminals are asked for. */
export interface TerminalsPage {
  /** Null: of all shops. */
  readonly chain: string | null;
  readonly shop: string | undefined;
  readonly after: { readonly shop: string; readonly terminal: string };
  readonly limit: number;
}

/** Terminals that may sign in, in the order of shop and name. `epoch_at`: since when it has the journal that it has. */
export const terminalsPage = ({ chain, shop, after, limit }: TerminalsPage) =>
  adhoc((db) => {
    const owner: RawBuilder<unknown> = sql.ref("credentials.owner_id");
    const ours = shop === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`credentials.owner_id = ${shop}`;
    // The page is cut first: else the joins would run for every terminal before sorting.
    const page = db
      .selectFrom("credentials")
      .select(["id", "owner_id", "device_id"])
      .where("kind", "=", "terminal")
      .where("revoked_at", "is", null)
      .where("owner_id", ">=", after.shop)
      .where(sql<SqlBool>`(owner_id, device_id) > (${after.shop}, ${after.terminal})`)
      .where(ours)
      .where(chain === null ? sql<SqlBool>`1 = 1` : isOfChain(chain, owner))
      .orderBy("owner_id")
      .orderBy("device_id")
      .limit(limit);
    return db
      .selectFrom(page.as("c"))
      .innerJoin("merchants as m", "m.id", "c.owner_id")
      .leftJoin("terminal_contacts as t", (on) =>
        on.onRef("t.merchant_id", "=", "c.owner_id").onRef("t.device_id", "=", "c.device_id"),
      )
      .select((row) => {
        const heads = row
          .selectFrom("journal_heads as h")
          .whereRef("h.merchant_id", "=", "c.owner_id")
          .whereRef("h.device_id", "=", "c.device_id");
        const newest = heads.orderBy("h.epoch", "desc").orderBy("h.seq", "desc").limit(1);
        return [
          "c.owner_id as shop",
          "c.device_id as terminal",
          "m.name as shop_name",
          "m.opening",
          "m.time_zone",
          "m.disabled_at",
          "t.heard_at",
          "t.version",
          newest.select("h.seq").as("seq"),
          newest.select("h.at").as("entry_at"),
          // The first row of the newest journal is number 0.
          heads.where("h.seq", "=", 0).orderBy("h.epoch", "desc").limit(1).select("h.received_at").as("epoch_at"),
        ];
      })
      .orderBy("c.owner_id")
      .orderBy("c.device_id");
  });
