/** What is known of terminals: last call, version, state of the journal, and which are silent. */
import type { z } from "zod";
import { type Repeated, watch } from "../background.ts";
import type { Chain, Service } from "../context.ts";
import type { terminalsQuerySchema, terminalsSchema } from "../contract/terminal.ts";
import { minuteMs, toNullableTime, toTime } from "../contract/times.ts";
import { shopOfChain } from "../merchants/chains.ts";
import { openForMs } from "../merchants/opening.ts";
import { invalidField } from "../service-error.ts";
import { newestAuditByObject } from "./audit.ts";
import { endFutureContacts, type TerminalsPage, terminalsPage } from "./contacts.ts";
import { forkedEvent, journalOf } from "./journal-heads.ts";

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
  const forks = new Map(
    (await store.read((tx) => tx.all(newestAuditByObject({ event: forkedEvent })))).map(({ object, at }) => [
      object,
      at,
    ]),
  );
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
