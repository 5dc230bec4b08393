/** What every command is given: the database and the world. */
import type { Service } from "../context.ts";
import type { CommandLine } from "./arguments.ts";

export type Management = Pick<Service, "store" | "clock" | "random">;

/** What a command has to say: printed as a table, or as JSON. */
export type CommandOutput = readonly Readonly<Record<string, string | number | null>>[];

/** @param words what stands after the command's two words. */
export type Command = (on: Management, words: readonly string[], flags: CommandLine["flags"]) => Promise<CommandOutput>;
