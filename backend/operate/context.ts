/** What commands are given. */
import type { KeyRing } from "../access/key-ring.ts";
import type { Config } from "../config.ts";
import type { Service } from "../context.ts";
import type { KeyCipher } from "../partner/keys.ts";
import type { BackupPlan } from "../store/copy.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import type { CommandLine } from "./arguments.ts";

/** What the commands on shops, partners and users need. */
export type Management = Pick<Service, "store" | "clock" | "random" | "keys"> & {
  /** Default: banks' keys are stored as they are. */
  readonly keyCipher?: KeyCipher;
};

/** What other commands need besides. */
export interface CommandContext extends Management {
  readonly keys: KeyRing;
  /** The bank of PARTNER_ID; null where the settings name none. */
  readonly partner: Config["partner"];
  /** PARTNER_SECRET of this command; null without. */
  readonly partnerSecret: string | null;
  /** HTTP proxy on the way to the banks; null: none. */
  readonly proxy: Config["proxy"];
  /** Address at which terminals reach the service. */
  readonly publicUrl: string;
  readonly database: DatabaseAddress;
  /** BACKUP_DIR and BACKUPS_KEPT; null when nobody set them. */
  readonly backups: BackupPlan | null;
}

/** A command's result, printed as a table or as JSON. */
export type CommandOutput = readonly Readonly<Record<string, string | number | null>>[];

/** A command. @param words the words after the command's name. */
export type Command = (
  on: CommandContext,
  words: readonly string[],
  flags: CommandLine["flags"],
) => Promise<CommandOutput>;
