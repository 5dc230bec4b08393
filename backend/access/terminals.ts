/** What is known of terminals: last call, version, state of the journal, and which are silent. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { type Repeated, watch } from "../background.ts";
import type { Chain, Service } from "../context.ts";
import type { terminalsQuerySchema, terminalsSchema } from "../contract/terminal.ts";
import { minuteMs, toNullableTime, toTime } from "../contract/times.ts";
import { isOfChain, shopOfChain } from "../merchants/chains.ts";
import { openForMs } from "../merchants/opening.ts";
import { invalidField } from "../service-error.ts";
import { adhoc, statement } from "../store/store.ts";
import { newestAuditByObject } from "./audit.ts";
import type { Session } from "./credentials.ts";
import { forkedEvent, journalOf } from "./journal-heads.ts";
import { lruBound } from "./rate-limits.ts";

/** A terminal calls at least every five minutes; the time is written at most this often. */
const contactEveryMs = 5 * minuteMs;
/** A program whose version changes with each call must not cost a write each time. */
const versionEveryMs = minuteMs;
const terminalsMax = 50_000;
const gatherMs = 2_000;

/** The version in `User-Agent: Tillcash-Terminal/1.2.3`; null for any other program. */
export const terminalVersion = (userAgent: string | undefined): string | null =>
  userAgent?.match(/^Tillcash-Terminal\/([0-9A-Za-z.+-]{1,32})$/)?.[1] ?? null;

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
const endFutureContacts = statement("terminal_contacts_future", (db, p: { now: number }) =>
  db.updateTable("terminal_contacts").set({ heard_at: p.now }).where("heard_at", ">", p.now),
);

/** Which terminals are asked for. */
interface TerminalsPage {
  /** Null: of all shops. */
  readonly chain: string | null;
  readonly shop: string | undefined;
  readonly after: { readonly shop: string; readonly terminal: string };
  readonly limit: number;
}

/** Terminals that may sign in, in the order of shop and name. `epoch_at`: since when it has the journal that it has. */
const terminalsPage = ({ chain, shop, after, limit }: TerminalsPage) =>
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

/** A running terminal calls every five minutes and every fifth minute is written; 20 minutes allow for lost calls. */
export const silentAfterMs = 20 * minuteMs;

/** One terminal; times in epoch milliseconds. */
interface KnownTerminal {
  readonly shop: string;
  readonly shopName: string;
  readonly terminal: string;
  readonly heardAt: number | null;
  readonly version: string | null;
  readonly isSilent: boolean;
  /** The newest entry that was reported; null: none. */
  readonly entry: { readonly seq: number; readonly at: number } | null;
  readonly forkedAt: number | null;
}

const rowsPerRead = 500;

/** All terminals, one page in memory at a time. Silent: has called before, but not for 20 minutes while the shop was open. */
export async function* readTerminals(
  { store, clock }: Pick<Service, "store" | "clock">,
  {
    chain = null,
    shop,
    after: from = { shop: "", terminal: "" },
  }: Partial<Pick<TerminalsPage, "chain" | "shop" | "after">>,
): AsyncGenerator<KnownTerminal, void, undefined> {
  const entries = await store.read((tx) => tx.all(newestAuditByObject({ event: forkedEvent })));
  const forks = new Map(entries.map(({ object, at }) => [object, at]));
  const now = clock.now();
  for (let after = from; ; ) {
    const rows = await store.read((tx) => tx.all(terminalsPage({ chain, shop, after, limit: rowsPerRead })));
    for (const row of rows) {
      const heardAt = Math.min(now, row.heard_at ?? 0);
      const forkedAt = forks.get(journalOf({ merchant: row.shop, device: row.terminal })) ?? 0;
      const openMs = row.disabled_at === null ? openForMs(row.opening, row.time_zone, now) : null;
      yield {
        shop: row.shop,
        shopName: row.shop_name,
        terminal: row.terminal,
        heardAt: heardAt === 0 ? null : heardAt,
        version: row.version,
        isSilent: heardAt > 0 && openMs !== null && Math.min(openMs, now - heardAt) >= silentAfterMs,
        entry: row.seq ? { seq: row.seq, at: row.entry_at ?? 0 } : null,
        forkedAt: forkedAt > (row.epoch_at ?? 0) ? forkedAt : null,
      };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerRead) return;
    after = { shop: last.shop, terminal: last.terminal };
  }
}

/** `GET /ext/v1/terminals`: the terminals of a chain's shops. @throws ServiceError `validation_failed` for a store that is not the chain's. */
export const listChainTerminals = async (
  service: Service,
  chain: Chain,
  { store, silent, cursor, limit }: z.output<typeof terminalsQuerySchema>,
): Promise<z.infer<typeof terminalsSchema>> => {
  const isTheirs = async (shop: string) =>
    (await service.store.read((tx) => tx.first(shopOfChain({ chain: chain.chainId, shop })))) !== undefined;
  if (store !== undefined && !(await isTheirs(store))) throw invalidField("store", "is no store of yours");
  const [shop = "", terminal = ""] = cursor?.split("/") ?? [];
  const found: KnownTerminal[] = [];
  for await (const one of readTerminals(service, { chain: chain.chainId, shop: store, after: { shop, terminal } }))
    if ((!silent || one.isSilent) && found.push(one) > limit) break;
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    terminals: page.map(({ heardAt, forkedAt, entry, ...one }) => ({
      store: one.shop,
      store_name: one.shopName,
      device_id: one.terminal,
      heard_at: toNullableTime(heardAt),
      silent: one.isSilent,
      version: one.version,
      journal: {
        seq: entry?.seq ?? null,
        at: entry === null ? null : toTime(entry.at),
        forked_at: toNullableTime(forkedAt),
      },
    })),
    next: last === undefined ? null : `${last.shop}/${last.terminal}`,
  };
};

/** Counts silent terminals of open shops, in the one process that owns the metrics. */
export const watchTerminals = (service: Service): Repeated =>
  watch(service, minuteMs, "terminals could not be counted and will be again", async () => {
    const { store, clock, telemetry } = service;
    if (!service.owns("queue metrics")) return telemetry.silentTerminals(null);
    await store.write((tx) => tx.run(endFutureContacts({ now: clock.now() })));
    let count = 0;
    for await (const { isSilent } of readTerminals(service, {})) count += isSilent ? 1 : 0;
    telemetry.silentTerminals(count);
  });
