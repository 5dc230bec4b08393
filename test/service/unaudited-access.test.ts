/** Keys that somebody who writes the database puts there, uses, and takes away again: `audit verify` names each use, on both stores. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { appendAudit } from "../../backend/access/audit.ts";
import { createTokens } from "../../backend/access/credentials.ts";
import { hashGeneratedSecret } from "../../backend/access/secrets.ts";
import { recordFound } from "../../backend/access/setting-entries.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { acceptHistory, checkAudit } from "../../backend/operate/audit.ts";
import { adhoc, type Query, type Store, type Tx, type UnitOfWork, type Value } from "../../backend/store/store.ts";
import { bank, createHttpStage, type HttpStage, office, otherBank, till, till2 } from "./http-stage.ts";
import { createPlace, stores } from "./stores.ts";
import { quiet } from "./world.ts";

type Row = Readonly<Record<string, Value>>;
interface Whose {
  readonly merchant_id: string;
  readonly device_id: string;
  readonly device_type: string;
}

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  let store: Store;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
    store = await stage.place.open();
    await recordFound({ store, clock: systemClock, keys: stage.keys() });
  });
  afterAll(async () => {
    await store.close();
    await stage.dispose();
  });
  const on = () => ({ store, clock: systemClock, keys: stage.keys() }) as never;
  /** As the command does. */
  const accept = () =>
    store
      .write((tx) =>
        appendAudit(tx, stage.keys(), systemClock.now(), {
          event: "audit accept",
          actor: "operator ada",
          address: null,
          object: "audit",
          detail: null,
        }),
      )
      .then(() => acceptHistory(on(), "looked at"));
  const verify = () =>
    checkAudit(on()).then(
      () => "whole",
      (error: Error) => error.message,
    );
  const rowOf = async (of: Whose) => {
    const where = { kind: of.device_type, owner_id: of.merchant_id, device_id: of.device_id };
    const read = adhoc((db) =>
      db
        .selectFrom("credentials")
        .selectAll()
        .where((is) => is.and(where as never)),
    );
    return (await store.read((tx) => tx.first(read))) as Row;
  };
  const put = (id: Value, row: Row) =>
    store.write((tx) =>
      tx.run(
        adhoc((db) =>
          db
            .updateTable("credentials")
            .set(row as never)
            .where("id", "=", id as string),
        ),
      ),
    );
  const ownHash = () => ({ secret_hash: hashGeneratedSecret(systemRandom, "mine") });

  /** Changes a row, does something, and puts it back as it was. */
  const meanwhile = async (of: Whose, change: Row, act: () => Promise<unknown>) => {
    const before = await rowOf(of);
    await put(before.id as Value, change);
    await act();
    await put(before.id as Value, before);
  };

  test.each<[string, Whose, () => Row, Whose & { password: string }, string]>([
    [
      "a bank's secret",
      bank,
      ownHash,
      { ...bank, password: "mine" },
      "the secret of access of client demo-bank/server-1 is not the one that was audited last",
    ],
    [
      "a till's secret",
      till2,
      ownHash,
      { ...till2, password: "mine" },
      "the secret of access of terminal demo-shop/till-2 is not the one that was audited last",
    ],
    [
      "a key's scopes",
      office,
      () => ({ scopes: "reports terminals withdrawals" }),
      office,
      "the scope of access of chain demo-chain/office is reports terminals withdrawals, its last audited value is reports terminals",
    ],
    [
      "whose a key is",
      otherBank,
      () => ({ owner_id: "demo-bank", device_id: "server-2" }),
      { ...otherBank, merchant_id: "demo-bank", device_id: "server-2" },
      "access of client demo-bank/server-2 had no entry in the audit",
    ],
  ])("%s is changed for a sign-in", async (_, whose, change, as, finding) => {
    expect(await verify()).toBe("whole");
    await meanwhile(whose, change(), async () => expect((await stage.authorize({ ...as })).status).toBe(201));
    expect(await verify()).toMatch(new RegExp(`${finding}, when it was used \\(entry \\d+ of the audit\\)\\.$`));
    await accept();
    expect(await verify()).toBe("whole");
  });

  test("whose a key is is changed for a call with a token that was there", async () => {
    const token = await stage.token(otherBank);
    await meanwhile(otherBank, { owner_id: "demo-bank", device_id: "server-2" }, async () => {
      expect((await stage.call("GET", "/ext/v1/stores", { token })).status).toBe(200);
    });
    expect(await verify()).toMatch(/access of client demo-bank\/server-2 had no entry in the audit, when it was used/);
    await accept();
  });

  test("a new key is there for a sign-in", async () => {
    const row = { ...(await rowOf(bank)), ...ownHash(), id: "0123456789abcdef", device_id: "server-9" };
    const insert = adhoc((db) => db.insertInto("credentials").values(row as never));
    await store.write((tx) => tx.run(insert));
    await stage.token({ ...bank, device_id: "server-9", password: "mine" });
    for (const table of ["tokens", "credentials"] as const)
      await store.write((tx) =>
        tx.run(adhoc((db) => db.deleteFrom(table).where(table === "tokens" ? "credential_id" : "id", "=", row.id))),
      );
    expect(await verify()).toMatch(/access of client demo-bank\/server-9 had no entry in the audit, when it was used/);
    await accept();
  });

  test("a key's entries, and the one that all settings have theirs, are away for a sign-in", async () => {
    await stage.token(till);
    const away = sql`update audit set event = event || '?' where event = 'settings_recorded' or object = 'access of terminal demo-shop/till-2'`;
    const back = sql`update audit set event = replace(event, '?', '') where event like '%?'`;
    const run = (query: typeof away) =>
      store.write((tx) => tx.run(adhoc((db) => ({ compile: () => query.compile(db) }))));
    await run(away);
    await meanwhile(till2, ownHash(), () => stage.token({ ...till2, password: "mine" }));
    await run(back);
    expect(await verify()).toMatch(/access of terminal demo-shop\/till-2 had no entry in the audit, when it was used/);
    await accept();
  });

  test("the newest entry on a key is under an unknown SERVICE_KEY for a sign-in", async () => {
    const newest = sql`select max(seq) from audit where object = 'access of terminal demo-shop/till-2' and event = 'setting'`;
    const rename = (to: string) =>
      store.write((tx) =>
        tx.run(
          adhoc((db) => ({ compile: () => sql`update audit set key_id = ${to} where seq = (${newest})`.compile(db) })),
        ),
      );
    await rename("lost");
    await meanwhile(till2, ownHash(), async () =>
      expect((await stage.authorize({ ...till2, password: "mine" })).status).toBe(201),
    );
    await rename(stage.keys().auditKeyId);
    expect(await verify()).toMatch(
      /the newest entry on access of terminal demo-shop\/till-2 was under a SERVICE_KEY that this service does not have, when/,
    );
    await accept();
    expect(await verify()).toBe("whole");
  });

  test("an entry is invented beside it, with a digest that is another key's", async () => {
    const own = await rowOf(till2);
    const forged = { ...own, kind: "client", owner_id: "demo-bank", device_id: "server-9" };
    const newest = adhoc((db) =>
      db
        .selectFrom("audit")
        .selectAll()
        .where("event", "=", "setting")
        .where("object", "=", "access of terminal demo-shop/till-2")
        .orderBy("seq", "desc")
        .limit(1),
    );
    const entry = (await store.read((tx) => tx.first(newest))) as Row;
    const detail = JSON.stringify({
      ...JSON.parse(String(entry.detail)),
      kind: "client",
      owner_id: "demo-bank",
      device_id: "server-9",
    });
    const seq = 1_000_000;
    const invented = { ...entry, seq, detail, object: "access of client demo-bank/server-9" };
    await store.write((tx) => tx.run(adhoc((db) => db.insertInto("audit").values(invented as never))));
    await meanwhile(till2, { kind: forged.kind, owner_id: forged.owner_id, device_id: forged.device_id }, () =>
      stage.token({ ...till2, merchant_id: "demo-bank", device_id: "server-9", device_type: "client" }),
    );
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("audit").where("seq", "=", seq))));
    expect(await verify()).toMatch(
      /the newest entry on access of client demo-bank\/server-9 was not the audit's own, when/,
    );
    await accept();
  });

  test.each(["token_by_hash", "credential_in_use"])(
    "a key that is recorded as found while %s is asked is not named",
    async (name) => {
      const place = await createPlace(dialect);
      onTestFinished(() => place.dispose());
      const fresh = await place.open();
      const key = { id: "0123456789abcdef", secret_hash: "x" };
      const row = { ...key, kind: "terminal", owner_id: "shop", device_id: "till", scopes: "transactions" };
      const insert = adhoc((db) => db.insertInto("credentials").values({ ...row, created_at: 0 } as never));
      await fresh.write((tx) => tx.run(insert));
      // PostgreSQL alone lets another commit come between two statements.
      const found = () => recordFound({ store: fresh, clock: systemClock, keys: stage.keys() });
      const first = async (tx: Tx, query: Query<never>) => {
        const answer = await tx.first(query);
        if (query.name === name && dialect === "postgres") await found();
        return answer;
      };
      const unit = (of: UnitOfWork<unknown>) => (tx: Tx) =>
        of({ ...tx, first: (query) => first(tx, query as never) } as Tx);
      const between = {
        ...fresh,
        read: (of: UnitOfWork<unknown>) => fresh.read(unit(of)),
        write: (of: UnitOfWork<unknown>) => fresh.write(unit(of)),
      };
      const service = { store: between, clock: systemClock, random: systemRandom, keys: stage.keys(), log: quiet };
      const tokens = createTokens(service as never, "a token secret");
      expect(await tokens.find((await tokens.issue(key, ["transactions"])) ?? "")).not.toBeNull();
      await found();
      const named = adhoc((db) => db.selectFrom("audit").select("detail").where("event", "=", "unaudited_access"));
      expect(await fresh.read((tx) => tx.all(named))).toEqual([]);
    },
  );

  test("two calls within an hour say it once, a key as it was audited is never named", async () => {
    const unaudited = async () =>
      (
        await store.read((tx) =>
          tx.all(adhoc((db) => db.selectFrom("audit").select("seq").where("event", "=", "unaudited_access"))),
        )
      ).length;
    const [token, before] = [await stage.token(till), await unaudited()];
    await stage.call("GET", "/transaction?id=0000000000000000", { token });
    expect(await unaudited()).toBe(before);
    const other = (await stage.authorize({ ...till })).body.access_token;
    await meanwhile(till, { scopes: "transactions users" }, async () => {
      await stage.call("GET", "/transaction?id=0000000000000000", { token: other });
      await stage.call("GET", "/transaction?id=0000000000000001", { token: other });
    });
    expect(await unaudited()).toBe(before + 1);
    expect(stage.log().match(/"event":"unaudited_access"[^\n]*till-1[^\n]*"msg":"audit"/g)).toHaveLength(1);
    expect(await verify()).toMatch(/the scope of access of terminal demo-shop\/till-1 is transactions users/);
  });
});
