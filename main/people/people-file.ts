/** The people of a terminal in `people.json` of its data folder, mode 0600: names, roles and scrypt hashes of PINs. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { languages, roles } from "../../preload/choices.ts";
import type { Role } from "../../preload/contract.ts";
import { personCodeSchema } from "../../preload/people.ts";
import { writeJson } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";
import { giveReserveBack, holdRest } from "../terminal/journal/files.ts";
import { noTries, pinHashSchema, triesSchema } from "./pins.ts";

const peopleVersion = 1;

const personSchema = z.object({
  code: personCodeSchema,
  name: z.string(),
  role: z.enum(roles),
  pin: pinHashSchema,
  /** An unknown language must not make the file unreadable. */
  language: z.enum(languages).nullable().default(null).catch(null),
  tries: triesSchema.default(noTries),
});
/** One person as stored. */
export type Person = z.infer<typeof personSchema>;

const peopleSchema = z.object({
  version: z.literal(peopleVersion),
  /** Number of the next code. Codes are never reused, even after their person has left. */
  nextNumber: z.int().min(1),
  people: z.array(personSchema).max(200),
});
/** All people of a terminal as stored. */
export type People = Pick<z.infer<typeof peopleSchema>, "nextNumber" | "people">;

/** `unreadable`: damaged, or a newer program's. No PIN is accepted then; the file stays until replaced on purpose. */
export type KeptPeople =
  | { readonly kind: "kept"; readonly people: People }
  | { readonly kind: "none" }
  | { readonly kind: "unreadable" };

/** See `openPeopleFile`. */
export type PeopleFile = ReturnType<typeof openPeopleFile>;

/** The next person's code: a letter for their first role, and a number. */
export const nextCode = ({ nextNumber }: People, role: Role): string =>
  `${role === "manager" ? "M" : "C"}${nextNumber}`;

/** More than the longest list takes. */
const reserveBytes = 256 * 1024;

/** `save` writes the whole file, keeps a copy of an unreadable one, and throws if the disk refuses. */
export const openPeopleFile = (folder: string, log: Log) => {
  const file = path.join(folder, "people.json");
  const load = (): KeptPeople => {
    try {
      const { version: _, ...people } = peopleSchema.parse(JSON.parse(readFileSync(file, "utf8")));
      return { kind: "kept", people };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return { kind: "none" };
      log("error", "the people of this terminal cannot be read: no PIN is taken", { file, code });
      return { kind: "unreadable" };
    }
  };
  if (existsSync(file)) holdRest(file, reserveBytes);
  return {
    load,
    /** @throws if it cannot be written, or could not be read again; the file is unchanged then. */
    save(people: People): void {
      const document = peopleSchema.parse({ version: peopleVersion, ...people });
      if (load().kind === "unreadable") copyFileSync(file, `${file}.kept`);
      try {
        writeJson(file, document);
      } catch (error) {
        // Tries are counted here: on a full disk nobody could sign in, not even for a customer who has paid.
        if (!giveReserveBack(file)) throw error;
        writeJson(file, document);
      }
      holdRest(file, reserveBytes);
    },
  };
};
