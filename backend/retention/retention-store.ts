/** What is deleted or forgotten by age, some rows at a time. */
import { sql } from "kysely";
import { statement } from "../store/statement.ts";
import { all, one, run, type UnitOfWork } from "../store/store.ts";

interface Oldest {
  readonly before: number;
  readonly limit: number;
  readonly [name: string]: number;
}

export const purgeCheckins = statement("checkins_purge", (db, p: Oldest) =>
  db
    .deleteFrom("checkins")
    .where("id", "in", (old) =>
      old.selectFrom("checkins").select("id").where("created_at", "<", p.before).orderBy("created_at").limit(p.limit),
    ),
);

/** Access tokens that ended so long ago; one that works is never touched. */
export const purgeTokens = statement("tokens_purge", (db, p: Oldest) =>
  db
    .deleteFrom("tokens")
    .where("token_hash", "in", (old) =>
      old
        .selectFrom("tokens")
        .select("token_hash")
        .where("expires_at", "<", p.before)
        .orderBy("expires_at")
        .limit(p.limit),
    ),
);

/** Up to which time of creation keys are forgotten, so that no look begins at the first withdrawal of all. */
const markName = "idempotency_keys_forgotten_until";

const mark = statement("retention_mark", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("settings").select("value").where("name", "=", markName),
);

const setMark = statement("retention_mark_set", (db, p: { value: string }) =>
  db
    .insertInto("settings")
    .values({ name: markName, value: p.value })
    .onConflict((same) => same.column("name").doUpdateSet({ value: p.value })),
);

/** A space keeps a forgotten key apart from every key that a caller can send. */
const forgetKeys = statement("idempotency_keys_forget", (db, p: Oldest & { readonly from: number }) =>
  db
    .updateTable("withdrawals")
    .set({ idempotency_key: sql<string>`'forgotten ' || id`, request_hash: "" })
    .where("id", "in", (old) =>
      old
        .selectFrom("withdrawals")
        .select("id")
        .where("created_at", ">=", p.from)
        .where("created_at", "<", p.before)
        .where("request_hash", "!=", "")
        .orderBy("created_at")
        .limit(p.limit),
    )
    .returning("created_at"),
);

/** From then on a repeat under the key is a request of its own. @returns how many. */
export function* forgetIdempotencyKeys({ before, limit }: Oldest): UnitOfWork<number> {
  const from = Number((yield* one(mark({})))?.value ?? 0);
  const rows = yield* all(forgetKeys({ from, before, limit }));
  const newest = rows.reduce((latest, { created_at }) => Math.max(latest, Number(created_at)), from);
  if (newest > from) yield* run(setMark({ value: String(newest) }));
  return rows.length;
}
