/** Create a new user (interface 4.9). The password is answered in plain text once and kept only as a hash. */
import type { z } from "zod";
import type { SecretHasher } from "../access/secrets.ts";
import type { Client, Service } from "../context.ts";
import type { createUserBodySchema, createUserReplySchema } from "../contract/client.ts";
import { adhoc, statement } from "../store/statement.ts";
import { UniqueViolation } from "../store/store.ts";
import type { UserKey } from "../store/user-key.ts";

/** The id is taken, by whatever case it was written in. */
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
          folded: id.toLowerCase(),
          id,
          partner: client.partnerId,
          hash,
          email: body.email ?? null,
          phone: body.phone ?? null,
          update: body.isAutoUpdateEnabled ? 1 : 0,
          now: clock.now(),
        }),
      );
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new UserExists("a user with this id exists", { cause: error });
    throw error;
  }
  return {
    id,
    password,
    ...(body.email === undefined ? {} : { email: body.email }),
    ...(body.phone === undefined ? {} : { phone: body.phone }),
    isAutoUpdateEnabled: body.isAutoUpdateEnabled,
  };
};

type NewUser = {
  readonly folded: string;
  readonly id: string;
  readonly partner: string;
  readonly hash: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly update: number;
  readonly now: number;
};

/** A new account; a unique index refuses an id that is taken in any case. */
export const insertUser = statement("user_insert", (db, p: NewUser) =>
  db.insertInto("users").values({
    id_folded: p.folded,
    id: p.id,
    partner_id: p.partner,
    password_hash: p.hash,
    email: p.email,
    phone: p.phone,
    auto_update: p.update,
    created_at: p.now,
  }),
);

/** Deletes a user's account. */
export const forgetAccount = ({ partner, lower }: UserKey) =>
  adhoc((db) => db.deleteFrom("users").where("partner_id", "=", partner).where("id_folded", "=", lower));
