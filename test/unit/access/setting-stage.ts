/** A shop, a bank, a key, permissions, a chain's place and two users, as settings that the audit names. */
import { createHmac } from "node:crypto";
import { beforeEach } from "vitest";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { recordAsFound, settingFindings } from "../../../backend/access/setting-entries.ts";
import type { Setting } from "../../../backend/access/setting-kinds.ts";
import type { ChainKeys } from "../../../backend/context.ts";
import { adhoc, type Query } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "./stage.ts";

/** A user's name in the audit. */
export const nameOf = (user: string, { audit }: Pick<ChainKeys, "audit"> = testKeys) =>
  createHmac("sha256", audit).update(user).digest("hex").slice(0, 16);
/** One key and the next. */
export const [old, next] = [serviceKeysFrom("old", true), serviceKeysFrom("new", true)];

/** The shop's columns. */
export const shop = { name: "Kiosk", currency: "EUR", amount_min: 1_000, amount_max: 20_000, amount_step: 1_000 };
/** What the audit calls it. */
export const kiosk = "shop kiosk";
/** Every setting that is there. */
export const all: readonly Setting[] = [
  ["merchants", "kiosk"],
  ["partners", "nord"],
  ["credentials", "terminal", "kiosk", "till-1"],
  ["partner_merchants", "nord", "kiosk"],
  ["partner_merchants", "nord", "*"],
  ["chain_merchants", "acme", "kiosk"],
  ["customers", "nord", "bob"],
];

/** What is found of a value that was changed by hand. */
export const says = (what: string, of: string, is: string, was: string) =>
  `the ${what} of ${of} is ${is}, its last audited value is ${was}`;

/** Registers the hooks of a file. */
export const settingStage = () => {
  const stage = accessStage();
  const change = (query: Query<unknown>) => stage.store.write((tx) => tx.run(query));
  beforeEach(async () => {
    for (const table of [
      ...(["merchants", "partners", "credentials", "partner_merchants", "chain_merchants", "customers"] as const),
    ])
      await change(adhoc((db) => db.deleteFrom(table)));
    await change(adhoc((db) => db.insertInto("merchants").values({ id: "kiosk", ...shop, created_at: 0 })));
    const bank = { id: "nord", url: "https://nord.example", secret: "whsec_x", created_at: 0 };
    await change(adhoc((db) => db.insertInto("partners").values(bank)));
    const key = { id: "c1", kind: "terminal", owner_id: "kiosk", device_id: "till-1", secret_hash: "h" } as const;
    await change(
      adhoc((db) =>
        db.insertInto("credentials").values({ ...key, scopes: "transactions", created_at: 0, revoked_at: null }),
      ),
    );
    for (const merchant_id of ["kiosk", "*"])
      await change(
        adhoc((db) => db.insertInto("partner_merchants").values({ partner_id: "nord", merchant_id, created_at: 0 })),
      );
    await change(
      adhoc((db) => db.insertInto("chain_merchants").values({ chain_id: "acme", merchant_id: "kiosk", created_at: 0 })),
    );
    for (const [user_id, blocked_at] of [
      ["bob", 1],
      ["ann", null],
    ] as const)
      await change(
        adhoc((db) => db.insertInto("customers").values({ partner_id: "nord", user_id, created_at: 0, blocked_at })),
      );
  });
  const record = (settings: readonly Setting[], keys: ChainKeys = testKeys, actor = "service") =>
    stage.store.write((tx) => recordAsFound(tx, keys, stage.clock.now(), settings, actor));
  const entries = async () =>
    (
      await stage.store.read((tx) =>
        tx.all(adhoc((db) => db.selectFrom("audit").selectAll().where("event", "=", "setting").orderBy("seq"))),
      )
    ).map(({ object, detail, actor }) => ({ object, actor, held: JSON.parse(detail ?? "null") }));
  const held = async () => (await entries()).map((entry) => [entry.object, entry.held]);
  const findings = async (chain: readonly ChainKeys[] = [testKeys], store = stage.store) => {
    const found = [];
    for await (const page of settingFindings(store, chain)) found.push(...page);
    return found;
  };
  const messages = async (chain?: readonly ChainKeys[]) => (await findings(chain)).map(({ message }) => message);
  const set = (table: "merchants" | "partners" | "credentials", values: object) =>
    change(adhoc((db) => db.updateTable(table).set(values as never)));
  return { stage, change, record, entries, held, findings, messages, set };
};
