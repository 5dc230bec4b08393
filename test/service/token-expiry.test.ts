/** A token ends after its 24 hours: in the database, and in the memory of the process that has just looked it up. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  addCredential,
  changeSeenMs,
  createTokens,
  credentialByDevice,
  liveTokensMax,
  type Tokens,
} from "../../backend/access/credentials.ts";
import { createSecretHasher } from "../../backend/access/secrets.ts";
import { systemRandom } from "../../backend/adapters.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { till, type World } from "./world.ts";
import { oneWorld } from "./world-stage.ts";

const lifetimeMs = 86_400_000;
const key = { kind: "terminal", ownerId: till.merchantId, deviceId: till.deviceId } as const;
const sharedSecret = "a token secret of the tests";

describe.each(stores)("on %s", (dialect) => {
  let clock: VirtualClock;
  let world: World;
  let tokens: Tokens;
  oneWorld(dialect, {}, (stage) => {
    ({ clock, world } = stage);
  });
  beforeAll(async () => {
    await addCredential(world.service, createSecretHasher(systemRandom, { N: 2, r: 1, p: 1 }), key);
    tokens = createTokens(world.service, sharedSecret);
  });

  const issue = async (): Promise<string> => {
    const credential = await world.service.store.read((tx) => tx.first(credentialByDevice(key)));
    if (credential === undefined) throw new Error("no credential");
    return (await tokens.issue(credential, ["transactions"])) ?? "";
  };

  test("in another process, which has never seen it", async () => {
    const token = await issue();
    clock.jump(lifetimeMs - 1);
    expect(await createTokens(world.service, sharedSecret).find(token)).toMatchObject({ deviceId: till.deviceId });
    clock.jump(1);
    expect(await createTokens(world.service, sharedSecret).find(token)).toBeNull();
  });

  test("where it was used a moment before its end", async () => {
    const token = await issue();
    clock.jump(lifetimeMs - changeSeenMs / 2);
    expect(await tokens.find(token)).toMatchObject({ deviceId: till.deviceId });
    clock.jump(changeSeenMs / 2);
    expect(await tokens.find(token)).toBeNull();
  });

  test("and no new one is surplus beside those that a clock granted which was ahead", async () => {
    const hour = 3_600_000;
    clock.jump(hour);
    for (let n = 0; n < liveTokensMax; n += 1) await issue();
    clock.jump(-hour);
    const mine = [await issue()];
    clock.jump(1);
    mine.push(await issue());
    expect(await Promise.all(mine.map((token) => tokens.find(token)))).toMatchObject([
      { deviceId: till.deviceId },
      { deviceId: till.deviceId },
    ]);
  });
});
