/** The shops a customer can choose from: all that hand out the currency of the account. */

import type { Service } from "../context.ts";
import { statement } from "../store/statement.ts";
import { all } from "../store/store.ts";
import type { Shop } from "./pages/amount-rules.ts";

const shopsMax = 500;

const shopsByCurrency = statement("websdk_shops", (db, p: { currency: string }) =>
  db
    .selectFrom("merchants")
    .select(["id", "name", "currency", "amount_min", "amount_max", "amount_step"])
    .where("currency", "=", p.currency)
    .orderBy("name")
    .orderBy("id")
    .limit(shopsMax),
);

export const shopsFor = ({ store }: Pick<Service, "store">, currency: string): Promise<readonly Shop[]> =>
  store.read(() => all(shopsByCurrency({ currency })));
