/** The service that this terminal runs itself: a manager's settings and commands, and its state for the screens. */
import { z } from "zod";
import type { ServiceState, ServiceTrouble } from "../backend/contract/host-channel.ts";
import type { ownServiceParts } from "./choices.ts";
import { command } from "./command.ts";

const word = z.string().trim().max(64);
const line = z.string().trim().max(2048);
const amount = z.string().trim().max(20);

/** The shop as typed; the service validates it as the operator's commands do. Empty amounts: the defaults. */
const ownShopSchema = z.object({
  id: word,
  name: z.string().trim().max(200),
  currency: z.string().trim().max(3),
  smallest: amount,
  largest: amount,
  step: amount,
});
/** The shop of the own service. */
export type OwnShop = z.infer<typeof ownShopSchema>;

/** The bank as typed. The key is write-only: no reply and no snapshot returns it. */
const ownBankSchema = z.object({
  id: word,
  url: line,
  /** Empty: the bank wants no status events. */
  eventsUrl: line,
  /** Empty: the service creates one the first time, and keeps it afterwards. */
  key: z.string().trim().max(512),
});
/** The bank of the own service. */
export type OwnBank = z.infer<typeof ownBankSchema>;

/** How other machines reach the service: never without a certificate. */
export const ownNetworkSchema = z.object({
  /** The https address for terminals and banks. */
  publicUrl: line,
  port: z.int().min(1).max(65_535),
  /** PEM files on this machine. */
  certFile: line,
  keyFile: line,
});
/** How other machines reach the service. */
export type OwnNetwork = z.infer<typeof ownNetworkSchema>;

type Parts = typeof ownServiceParts;
/** A field of these forms, by the name in which a refusal reports it. */
export type OwnServiceField = { [Part in keyof Parts]: keyof Parts[Part] }[keyof Parts];

/** The commands about it; `commands.ts` puts them among the others. */
export const ownServiceCommands = [
  /**
   * Starts the bundled service in live with a database of its own, gives it shop and bank, and enrols this terminal at it by a
   * one-time code that never leaves the host. May be sent again after it was cut short. Reply data: OwnServiceReply.
   */
  command("set_up_service", "manager", "ownService", { shop: ownShopSchema, bank: ownBankSchema, backupFolder: line }),
  /** Changes a part of it; `network` null closes it to other machines. Reply data: OwnServiceReply. */
  command("change_service", "manager", "ownService", {
    change: z.discriminatedUnion("part", [
      z.object({ part: z.literal("shop"), shop: ownShopSchema }),
      z.object({ part: z.literal("bank"), bank: ownBankSchema }),
      z.object({ part: z.literal("backups"), folder: line }),
      z.object({ part: z.literal("network"), network: ownNetworkSchema.nullable() }),
    ]),
  }),
  /** Its state. Reply data: OwnServiceView. */
  command("get_service", "manager", "ownService"),
  /** Starts it again where it does not run. */
  command("restart_service", "manager", "ownService"),
  /** Backs its database up now. Reply data: OwnServiceReply. */
  command("back_up_service", "manager", "ownService"),
  /** Makes a new key and password for the bank, in a new file; the old key stays valid for a day. Reply data: OwnServiceReply. */
  command("renew_bank_access", "manager", "ownService"),
  /** Deletes the bank's file here: the bank has received it. */
  command("discard_bank_file", "manager", "ownService"),
] as const;
/** Commands about the own service. */
export type OwnServiceCommand = z.infer<(typeof ownServiceCommands)[number]["schema"]>;

/** Whether the command succeeded. */
export type OwnServiceReply =
  | { readonly kind: "done" }
  /** The refused part changed nothing. `output`: the service's own sentence, in English; null where `fields` tells it. */
  | { readonly kind: "refused"; readonly fields: readonly OwnServiceField[]; readonly output: string | null };

/** Why the own service does not run. `newer_settings`: its settings are a newer program's, and left unchanged. */
type OwnServiceTrouble = ServiceTrouble | "newer_settings";

/** Its state in every snapshot. */
export interface OwnServiceStatus {
  readonly state: "starting" | "running" | "restarting" | "given_up";
  /** Why it is not running, or failed to start last time; null while it runs and at the first start. */
  readonly why: OwnServiceTrouble | null;
}

/** What the manager's page *Service* shows. */
export interface OwnServiceView extends OwnServiceStatus {
  /** Where this terminal reaches it. */
  readonly address: string;
  readonly database: string;
  readonly backupFolder: string;
  readonly network: OwnNetwork | null;
  /** Path of the file with what the bank has to know; null once it was handed over. */
  readonly bankFile: string | null;
  /** Its own report; null while it does not run. */
  readonly live: {
    readonly service: ServiceState;
    readonly shop: OwnShop | null;
    readonly bank: Omit<OwnBank, "key"> | null;
  } | null;
  /** Its last log lines before it ended, for support, in English. */
  readonly lastOutput: string | null;
}
