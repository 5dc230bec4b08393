/** What every command is given: the database and the world. */
import type { KeyRing } from "../access/key-ring.ts";
import type { Config } from "../config.ts";
import type { Service } from "../context.ts";
import type { KeyCipher } from "../partner/keys.ts";
import type { BackupPlan } from "../store/copy.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import type { CommandLine } from "./arguments.ts";

/** What the commands on shops, partners and users work with. */
export type Management = Pick<Service, "store" | "clock" | "random" | "keys"> & {
  /** Default: banks' keys are stored as they are. */
  readonly keyCipher?: KeyCipher;
};

/** What some need besides. */
export interface CommandContext extends Management {
  readonly keys: KeyRing;
  /** Whether they come from a SERVICE_KEY of the operator's. */
  readonly isKeyGiven: boolean;
  /** The bank of PARTNER_ID, where the service's settings are at hand. */
  readonly partner: Config["partner"];
  /** PARTNER_SECRET as it was given to this command; null without. */
  readonly partnerSecret: string | null;
  /** Between this machine and the banks; null: none. */
  readonly proxy: Config["proxy"];
  /** Where terminals reach the service. */
  readonly publicUrl: string;
  readonly database: DatabaseAddress;
  /** BACKUP_DIR and BACKUPS_KEPT; null when nobody set them. */
  readonly backups: BackupPlan | null;
}

/** What a command has to say: printed as a table, or as JSON. */
export type CommandOutput = readonly Readonly<Record<string, string | number | null>>[];

/** @param words what stands after the command's two words. */
export type Command = (
  on: CommandContext,
  words: readonly string[],
  flags: CommandLine["flags"],
) => Promise<CommandOutput>;
