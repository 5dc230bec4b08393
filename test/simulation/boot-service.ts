/** Starts the real service over simulated ports: its own store, verbs, outbox, sweeper and HTTP app, without a socket. */
import { createAccess } from "../../backend/access/access.ts";
import { setAuditKey, verifyAudit } from "../../backend/access/audit.ts";
import { addCredential, revokeCredential } from "../../backend/access/credentials.ts";
import { type KeyRing, keyCipherOf, openKeyRing, watchServiceKey } from "../../backend/access/key-ring.ts";
import { type SecretHasher, serviceKeysFrom } from "../../backend/access/secrets.ts";
import { allKeys, type ChainKeys, keyNames } from "../../backend/context.ts";
import type { PartnerAnswers } from "../../backend/contract/partner.ts";
import { createApp } from "../../backend/http/create-app.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { commands } from "../../backend/operate/commands.ts";
import type { CommandContext } from "../../backend/operate/context.ts";
import { createHistoryReader, startDays } from "../../backend/operate/proof.ts";
import { startRetention } from "../../backend/operate/purge.ts";
import { verifyHistory } from "../../backend/operate/verify-history.ts";
import { plainKeys } from "../../backend/partner/keys.ts";
import { allowMerchant, everyMerchant } from "../../backend/partner/partners.ts";
import type { Clock, Random } from "../../backend/ports.ts";
import { defaultRetentionDays, periodMs, type RetentionPeriods } from "../../backend/retention.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { createDatabaseClock, type EndUncertain } from "../../backend/store/database-clock.ts";
import { servedWithSetting, setSetting } from "../../backend/store/settings.ts";
import { openSqliteStore } from "../../backend/store/sqlite.ts";
import { type Store, StoreRefused, statement } from "../../backend/store/store.ts";
import { applyPendingRestore } from "../../backend/withdrawals/restored.ts";
import { createService } from "../../backend/withdrawals/service.ts";
import { endFuture, endUncertain } from "../../backend/withdrawals/sweep.ts";
import { bankHost, eventsPath } from "./bank.ts";
import { serviceUrl } from "./carrier.ts";
import { installLightResponses, toFetch } from "./light-http.ts";
import { type BootService, pollMs, type ServicePorts } from "./service.ts";

/** The largest amount of both shops. */
export const amountMaxMinor = 100_000;
/** The shop that all tills of a story belong to. */
export const shop = "shop";
/** Another one, with terminals of the same names. */
export const otherShop = "other-shop";
/** The bank's credential. */
export const partner = { merchantId: "bank", deviceId: "server", secret: "secret of the bank" } as const;
/** The key that signs the calls to the bank at first. */
export const bankKey = `whsec_${Buffer.from("signs the calls to the bank").toString("base64")}`;
/** The secret that all tills share. */
export const tillSecret = "secret of a till";
/** The device id of a till by its index. */
export const tillDevice = (index: number): string => `till-${index}`;

const tillsMax = 16;
const strangersMax = 3;

installLightResponses();

/** Real hashing runs on the thread pool, outside virtual time. */
const cheapHasher: SecretHasher = {
  hash: async (secret) => `plain$${secret}`,
  verify: async (secret, stored) => stored === `plain$${secret}`,
};

const addMerchant = statement("simulation_merchant", (db, p: { id: string; currency: string }) =>
  db
    .insertInto("merchants")
    .values({
      id: p.id,
      name: "Shop",
      currency: p.currency,
      amount_min: 100,
      amount_max: amountMaxMinor,
      amount_step: 100,
      created_at: 0,
    })
    .onConflict((same) => same.doNothing()),
);
const addPartner = statement("simulation_partner", (db, p: { id: string; answers: PartnerAnswers; secret: string }) =>
  db
    .insertInto("partners")
    .values({
      id: p.id,
      url: `https://${bankHost}`,
      secret: p.secret,
      answers: p.answers,
      created_at: 0,
      events_url: `https://${bankHost}${eventsPath}`,
    })
    .onConflict((same) => same.doNothing()),
);

/** As an installation has them that says nothing else, but for the archive: it ends here, so that a wrong year shows. */
const periods = {
  ...(Object.fromEntries(
    Object.entries(defaultRetentionDays).map(([what, days]) => [what, periodMs(days)]),
  ) as RetentionPeriods),
  archive: periodMs(2_000),
};

/** As the operator's `audit verify` does. */
const verifyBooks = async (store: Store, ring: KeyRing): Promise<string | null> => {
  const keys = allKeys(ring);
  const reading = createHistoryReader();
  const audit = await verifyAudit(store, keys, reading.visit);
  if (audit.kind === "broken") return `entry ${audit.at} of the audit ${audit.why}`;
  const history = await verifyHistory(store, keys, reading.result(), { newer: ring.rotation?.to.auditKeyId ?? null });
  return history?.kind === "broken" ? history.what : null;
};

const firstKey = "the service key of the simulation";
const nextKey = "the next service key of the simulation";
const onlyKeys = serviceKeysFrom(firstKey, false);

/** Draws nothing of a story's. */
const ofKeys: Random = { bytes: (count) => new Uint8Array(count), fraction: () => 0, id: () => "0" };

/** The rest of what the operator's commands are given. */
const commandLine: Omit<CommandContext, "store" | "clock" | "random" | "keys"> = {
  partner: null,
  partnerSecret: null,
  proxy: null,
  publicUrl: serviceUrl,
  database: { kind: "sqlite", path: ":memory:" },
  backups: null,
};

/** The keys of a process, as `prepare-database.ts` finds them. Where an operator may change over it has both; once that is done a start needs the new one alone. */
const openKeys = async ({ hasNextKey, isFirst, fleet }: ServicePorts, store: Store): Promise<KeyRing> => {
  if (!hasNextKey) return onlyKeys;
  if (isFirst) await store.write((tx) => tx.run(setAuditKey({ key_id: onlyKeys.auditKeyId })));
  const open = (before: string | null) =>
    openKeyRing(store, { ...commandLine, serviceKey: nextKey, serviceKeyBefore: before }, ofKeys);
  const keys = await open(null).catch((problem: unknown) => {
    if (problem instanceof StoreRefused) return open(firstKey);
    throw problem;
  });
  if (fleet === null) await store.write((tx) => tx.run(setSetting({ name: servedWithSetting, value: keyNames(keys) })));
  return keys;
};

/** As `open-database.ts` does it where several processes share a database: with its clock, and with what a fleet does besides. */
const openShared = async (
  { fleet, clock }: ServicePorts,
  opened: Store,
  keys: ChainKeys,
): Promise<{ readonly store: Store; readonly clock: Clock }> => {
  if (fleet === null) return { store: opened, clock };
  const store: Store = {
    ...opened,
    dialect: "postgres",
    server: fleet.server,
    onChange: (id, run, status) => {
      const cancels = [opened.onChange(id, run, status), fleet.onChangeElsewhere(id, run)];
      return () => {
        for (const cancel of cancels) cancel();
      };
    },
  };
  const endAll: EndUncertain = (tx, now) => endUncertain(tx, { keys }, now);
  const shared = await createDatabaseClock(store, clock, fleet.elapsedMs, endAll);
  return { store: shared.checkedStore, clock: shared };
};

/** One life of the service's program over the ports it is given. */
export const bootService: BootService = async (ports) => {
  const { random, transport, hasNextKey } = ports;
  const opened = await openSqliteStore({ path: ":memory:", clock: ports.clock, open: ports.open });
  const keys = await openKeys(ports, opened);
  const keyCipher = hasNextKey ? keyCipherOf(keys, ofKeys) : plainKeys;
  const { store, clock } = await openShared(ports, opened, keys);
  await applyPendingRestore({ store, clock, keys });
  const service = createService({
    store,
    clock,
    random,
    transport,
    log: { info() {}, warn() {}, error() {} },
    telemetry: {
      transition() {},
      partnerCall() {},
      partnerAlarm() {},
      commitsLost() {},
      unlinked() {},
      silentTerminals() {},
      purged() {},
      unusablePartners() {},
      outbox() {},
      statusEvents() {},
      backup() {},
    },
    keys,
    options: { pollMs, keyCipher },
  });
  if (ports.isFirst) {
    await store.write(async (tx) => {
      for (const id of [shop, otherShop]) await tx.run(addMerchant({ id, currency: ports.currency }));
      const secret = keyCipher.seal(partner.merchantId, bankKey);
      await tx.run(addPartner({ id: partner.merchantId, answers: ports.answers, secret }));
      await tx.run(allowMerchant({ partner: partner.merchantId, merchant: everyMerchant, now: 0 }));
    });
    const bank = { kind: "client", ownerId: partner.merchantId, deviceId: partner.deviceId } as const;
    await addCredential(service, cheapHasher, bank, undefined, partner.secret);
    for (let index = 0; index < tillsMax; index++) {
      const till = { kind: "terminal", ownerId: shop, deviceId: tillDevice(index) } as const;
      await addCredential(service, cheapHasher, till, undefined, tillSecret);
      if (index < strangersMax)
        await addCredential(service, cheapHasher, { ...till, ownerId: otherShop }, undefined, tillSecret);
    }
  }
  const access = createAccess(service, "key of the simulated tokens", { secrets: cheapHasher, keys });
  const app = createApp({
    service,
    access,
    observer: { answered() {} },
    publicUrl: () => serviceUrl,
    metrics: null,
    isSandbox: false,
    clientAddress: (peer) => peer,
    leaving: new AbortController().signal,
    stopping: new AbortController().signal,
  });
  if (ports.fleet === null) await endFuture(service);
  service.start();
  startRetention(service, periods);
  startDays(service);
  if (hasNextKey) watchServiceKey(service, keys, ports.end);
  return {
    handle: (sent) => {
      const { request, bindings } = toFetch(sent);
      return app.fetch(request, bindings);
    },
    owns: service.owns,
    operator: {
      async command(name, words, flags = {}) {
        const audited = auditedStore(store, keys, clock, { name, words, flags, actor: "operator of the simulation" });
        return (
          (await commands[name]?.({ ...commandLine, keys, keyCipher, store: audited, clock, random }, words, flags)) ??
          []
        );
      },
      async renew(key, secret) {
        // It may be revoked already; any other failure is tried again.
        await revokeCredential(service, key).catch((problem: unknown) => {
          if (!(problem instanceof ServiceError && problem.code === "not_found")) throw problem;
        });
        await addCredential(service, cheapHasher, key, undefined, secret);
      },
      verify: () => verifyBooks(store, keys),
    },
  };
};
