/** Shop and bank of the own service, set by the operator's commands with all their checks. Each function may be repeated. */
import { ownServiceParts } from "../../../preload/choices.ts";
import type { OwnBank, OwnServiceField, OwnShop } from "../../../preload/contract.ts";
import { type Rows, type ServiceChannel, ServiceRefusal } from "../service-channel.ts";

/** `device_id` of the bank's server in the service's credentials. */
export const bankDevice = "server-1";
/** `device_id` of this terminal at its own service. */
const ownDevice = "till-1";

/** Runs commands as one person of this terminal. */
export interface Operator {
  /** @param secret given to this command as PARTNER_SECRET. */
  run(words: readonly string[], flags?: Readonly<Record<string, string>>, secret?: string): Promise<Rows>;
}

/** @param actor the name in the service's audit. */
export const operatorOf = (channel: ServiceChannel, actor: string): Operator => ({
  run: (words, flags = {}, secret) =>
    channel.command({ words: [...words], flags: { ...flags }, secret: secret ?? null, actor }),
});

const textIn = (row: Rows[number] | undefined, column: string): string | null => {
  const value = row?.[column];
  return typeof value === "string" ? value : null;
};

const filled = (flags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== ""));

/** Adds or changes the shop. @throws ServiceRefusal for another currency: the books are kept in the first one. */
export const applyShop = async ({ run }: Operator, shop: OwnShop): Promise<void> => {
  const { id, name, currency, smallest, largest, step } = shop;
  const known = (await run(["merchants", "list"])).find((row) => row.id === id);
  const amounts = filled({ smallest, largest, step });
  if (known === undefined) await run(["merchants", "add", id], { name, currency, ...amounts });
  else if (known.currency !== currency)
    throw new ServiceRefusal(`the shop's books are in ${known.currency}`, ["currency"]);
  else await run(["merchants", "set", id], { name, ...amounts });
};

/** Adds or changes the bank. @returns the signing key that was created for it; null where it has one, or the bank gave its own. */
export const applyBank = async ({ run }: Operator, { id, url, eventsUrl, key }: OwnBank): Promise<string | null> => {
  const isKnown = (await run(["partners", "list"])).some((row) => row.id === id);
  const words = isKnown ? ["partners", "set-url", id, url] : ["partners", "add", id];
  const [row] = await run(words, isKnown ? {} : { url });
  if (key !== "") await run(["partners", "set-key", id], {}, key);
  await run(["partners", "set", id], { "events-url": eventsUrl === "" ? "none" : eventsUrl });
  return key === "" ? textIn(row, "secret") : null;
};

/** Lets the bank use the shop. */
export const allowBank = ({ run }: Operator, bank: string, shop: string): Promise<Rows> =>
  run(["partners", "allow", bank, shop]);

interface Names {
  readonly shop: string;
  readonly bank: string;
}

/**
 * After a set-up under a mistyped shop or bank: revokes what those were given. Does nothing where this terminal has a
 * credential at that shop: then it was no mistake.
 */
export const revokeMistaken = async (operator: Operator, mistaken: Names, meant: Names): Promise<void> => {
  const { shop, bank } = mistaken;
  if (shop === meant.shop && bank === meant.bank) return;
  if (await hasCredential(operator, "terminal", shop, ownDevice)) return;
  const row = (await operator.run(["partners", "list"])).find(({ id }) => id === bank);
  const shops = (textIn(row, "shops") ?? "").split(" ");
  if (shops.includes(shop)) await operator.run(["partners", "disallow", bank, shop]);
  if (bank !== meant.bank && (await hasCredential(operator, "client", bank, bankDevice)))
    await operator.run(["credentials", "revoke", "client", bank, bankDevice]);
};

const hasCredential = async ({ run }: Operator, kind: string, owner: string, device: string): Promise<boolean> =>
  (await run(["credentials", "list"])).some(
    (row) =>
      row.device_type === kind && row.merchant_id === owner && row.device_id === device && row.status === "in use",
  );

/** Creates a new password for the bank's server and revokes the one before. */
export const makeBankPassword = async (operator: Operator, bank: string): Promise<string> => {
  const verb = (await hasCredential(operator, "client", bank, bankDevice)) ? "rotate" : "add";
  const [row] = await operator.run(["credentials", verb, "client", bank, bankDevice]);
  return textIn(row, "password") ?? "";
};

/**
 * Creates a new signing key for the bank, also during a rotation.
 * @param hours for which the one before signs too.
 */
export const makeBankKey = async ({ run }: Operator, bank: string, hours: number): Promise<string> => {
  const [row] = await run(["partners", "rotate", bank], { hours: String(hours), force: "1" });
  return textIn(row, "secret") ?? "";
};

/** Creates an enrolment code for this terminal; a credential that it had is replaced. */
export const makeTerminalCode = async (operator: Operator, shop: string): Promise<string> => {
  const verb = (await hasCredential(operator, "terminal", shop, ownDevice)) ? "rotate" : "add";
  const [row] = await operator.run(["credentials", verb, "terminal", shop, ownDevice], { enrol: "1" });
  return textIn(row, "code") ?? "";
};

/** Reads shop and bank for the form that changes them. */
export const readOwners = async ({ run }: Operator, shopId: string | null, bankId: string | null) => {
  const shop = (await run(["merchants", "list"])).find((row) => row.id === shopId);
  const bank = (await run(["partners", "list"])).find((row) => row.id === bankId);
  const text = (row: Rows[number], column: string): string => textIn(row, column) ?? "";
  const shopTexts = Object.values(ownServiceParts.shop).map((column) => [column, shop && text(shop, column)]);
  return {
    shop: shop ? (Object.fromEntries(shopTexts) as OwnShop) : null,
    bank: bank ? { id: text(bank, "id"), url: text(bank, "url"), eventsUrl: text(bank, "events_url") } : null,
  };
};

/** Fields of a part's form by the name in the operator's commands. */
const fieldsOf = (part: "shop" | "bank"): Readonly<Record<string, OwnServiceField>> =>
  Object.fromEntries(
    Object.entries(ownServiceParts[part]).map(([field, name]) => [
      name === "eventsUrl" ? "events-url" : name,
      field as OwnServiceField,
    ]),
  );
/** Of the shop's form. */
export const shopFields = fieldsOf("shop");
/** Of the bank's form. */
export const bankFields = fieldsOf("bank");
