/** The form about the own service, all of it as text; the service itself validates it. */
import type { Command, OwnNetwork, OwnServiceField, OwnServiceView } from "../../preload/contract.ts";

/** The form of all parts. */
export type OwnForm = Readonly<Record<OwnServiceField, string>>;

/** The fields of each part, in the order in which they are typed. */
export const partFields = {
  shop: ["shopId", "shopName", "currency", "smallest", "largest", "step"],
  bank: ["bankId", "bankUrl", "bankKey", "eventsUrl"],
  backups: ["backupFolder"],
  network: ["publicUrl", "networkPort", "certFile", "keyFile"],
} as const satisfies Readonly<Record<string, readonly OwnServiceField[]>>;
/** One part of the form. */
export type OwnPart = keyof typeof partFields;

const usualNetworkPort = "8443";

/** The form of a new service. */
export const emptyForm: OwnForm = {
  shopId: "",
  shopName: "",
  currency: "EUR",
  smallest: "",
  largest: "",
  step: "",
  bankId: "",
  bankUrl: "",
  bankKey: "",
  eventsUrl: "",
  backupFolder: "",
  publicUrl: "",
  networkPort: usualNetworkPort,
  certFile: "",
  keyFile: "",
};

/** The form filled with the current settings. A key is never returned: its field is empty. */
export const formOf = ({ live, backupFolder, network }: OwnServiceView): OwnForm => {
  const { shop, bank } = live ?? { shop: null, bank: null };
  return {
    ...emptyForm,
    ...(shop && { ...shop, shopId: shop.id, shopName: shop.name }),
    ...(bank && { bankId: bank.id, bankUrl: bank.url, eventsUrl: bank.eventsUrl }),
    backupFolder,
    ...(network && { ...network, networkPort: String(network.port) }),
  };
};

const shopIn = (form: OwnForm) => ({
  id: form.shopId,
  name: form.shopName,
  currency: form.currency.toUpperCase(),
  smallest: form.smallest,
  largest: form.largest,
  step: form.step,
});
const bankIn = (form: OwnForm) => ({
  id: form.bankId,
  url: form.bankUrl,
  eventsUrl: form.eventsUrl,
  key: form.bankKey,
});
const portIn = (text: string): number => {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return port <= 65_535 ? port : 0;
};
const networkIn = (form: OwnForm): OwnNetwork => ({
  publicUrl: form.publicUrl,
  port: portIn(form.networkPort),
  certFile: form.certFile,
  keyFile: form.keyFile,
});

/** Required fields. */
const needed: readonly OwnServiceField[] = [
  "shopId",
  "shopName",
  "currency",
  "bankId",
  "bankUrl",
  ...partFields.network,
];

/** Required fields of a part that are empty, or not a port number where one is needed. */
export const missingIn = (form: OwnForm, part: OwnPart): readonly OwnServiceField[] =>
  partFields[part].filter(
    (field) =>
      needed.includes(field) && (form[field].trim() === "" || (field === "networkPort" && portIn(form[field]) === 0)),
  );

/** The command of the whole form. */
export const setUpCommand = (form: OwnForm): Command => ({
  type: "set_up_service",
  shop: shopIn(form),
  bank: bankIn(form),
  backupFolder: form.backupFolder,
});

/** The command that changes one part. */
export const changeCommand = (form: OwnForm, part: OwnPart): Command => {
  switch (part) {
    case "shop":
      return { type: "change_service", change: { part, shop: shopIn(form) } };
    case "bank":
      return { type: "change_service", change: { part, bank: bankIn(form) } };
    case "backups":
      return { type: "change_service", change: { part, folder: form.backupFolder } };
    case "network":
      return { type: "change_service", change: { part, network: networkIn(form) } };
  }
};
