/** Create a new user (interface 4.9). The password is returned in plain text once and stored as a hash. */
import type { z } from "zod";
import type { SecretHasher } from "../access/secrets.ts";
import type { Client, Service } from "../context.ts";
import type { createUserBodySchema, createUserReplySchema } from "../contract/client.ts";
import type { RowOf } from "../store/schema.ts";
import { adhoc, insertRow, statement, UniqueViolation } from "../store/store.ts";
import { foldedId, type UserKey } from "../store/user-key.ts";

/** The id is taken, ignoring case. */
export class UserExists extends Error {
  override readonly name = "UserExists";
}

/** @throws UserExists; ServiceError `too_many_requests` when too many secrets are being hashed. */
export const createUser = async (
  { store, clock, random }: Pick<Service, "store" | "clock" | "random">,
  secrets: SecretHasher,
  client: Client,
  body: z.output<typeof createUserBodySchema>,
): Promise<z.infer<typeof createUserReplySchema>> => {
  const id = body.id ?? Buffer.from(random.bytes(15)).toString("hex");
  const password = body.password ?? Buffer.from(random.bytes(18)).toString("base64url");
  const hash = await secrets.hash(password);
  try {
    await store.write(async (tx) => {
      await tx.run(
        insertUser({
          id_folded: foldedId(id),
          id,
          partner_id: client.partnerId,
          password_hash: hash,
          email: body.email ?? null,
          phone: body.phone ?? null,
          auto_update: body.isAutoUpdateEnabled ? 1 : 0,
          created_at: clock.now(),
        }),
      );
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new UserExists("a user with this id exists", { cause: error });
    throw error;
  }
  const { email, phone, isAutoUpdateEnabled } = body;
  return { id, password, email, phone, isAutoUpdateEnabled };
};

/** Inserts an account; a unique index refuses an id that is taken, ignoring case. */
export const insertUser = statement("user_insert", (db, p: RowOf<"users">) => insertRow(db, "users", p));

/** Deletes a user's account. */
export const forgetAccount = ({ partner, lower }: UserKey) =>
  adhoc((db) => db.deleteFrom("users").where("partner_id", "=", partner).where("id_folded", "=", lower));
