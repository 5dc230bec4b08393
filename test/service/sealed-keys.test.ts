/** Banks' keys come under SERVICE_KEY beside a service that runs (docs/api.md, "Getting in"). */
import { describe, expect, test } from "vitest";
import { serviceKeysFrom } from "../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { createKeyCipher, plainKeys } from "../../backend/partner/keys.ts";
import { allPartners, preparePartners, updatePartner } from "../../backend/partner/partners.ts";
import { startService } from "../../backend/serve.ts";
import type { Store } from "../../backend/store/store.ts";
import { type Place, stores } from "./stores.ts";
import { storePerTest } from "./world-stage.ts";

const serviceKey = "a service key of the tests";
const cipher = createKeyCipher(serviceKeysFrom(serviceKey, true).encryption, systemRandom);

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  storePerTest(dialect, (stage) => {
    ({ place, store } = stage);
  });

  const command = (...args: string[]) =>
    manage(parseCommandLine(args, { DATABASE_URL: place.url, SERVICE_KEY: serviceKey }));
  const commandWithoutKey = (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: place.url }));
  const stored = async (id = "bank") =>
    (await store.read((tx) => tx.all(allPartners({})))).find((partner) => partner.id === id);

  test("a rotation in the middle of the encryption counts: the old key does not come back", async () => {
    const [made] = await commandWithoutKey("partners", "add", "bank", "--url", "https://bank.example");
    const rotated = "whsec_cm90YXRlZCBpbiB0aGUgbWlkZGxlIG9mIGl0";
    let looks = 0;
    const meanwhile: Store = {
      ...store,
      async write(unit) {
        const result = await store.write(unit);
        looks += 1;
        const before = await stored();
        if (looks === 1 && before)
          await store.write((tx) =>
            tx.first(updatePartner("bank", { secret: cipher.seal("bank", rotated), previous_secret: before.secret })),
          );
        return result;
      },
    };
    await preparePartners(meanwhile, systemClock, { partner: null, keyCipher: cipher, seal: true });
    const after = await stored();
    expect(cipher.open("bank", after?.secret ?? "")).toBe(rotated);
    expect(cipher.open("bank", after?.previous_secret ?? "")).toBe(made?.secret);
  });

  test("in a fleet a process that is given SERVICE_KEY leaves the keys readable for the others, until the operator says so", async () => {
    const [made] = await commandWithoutKey("partners", "add", "bank", "--url", "https://bank.example");
    const settings = { DATABASE_URL: place.url, PORT: "0", METRICS_PORT: "0", SERVICE_KEY: serviceKey };
    const config = parseConfig({ ...settings, LOG_LEVEL: "silent" });
    if (!config.ok) throw new Error("no config");
    if (dialect === "sqlite") await store.close();
    const first = await startService(config.config, createLog("silent"));
    await first.stop();
    if (dialect === "sqlite") store = await place.open();
    if (dialect === "postgres") {
      expect((await stored())?.secret).toBe(made?.secret);
      expect(plainKeys.open("bank", (await stored())?.secret ?? "")).toBe(made?.secret);
    }
    expect(await command("partners", "encrypt-keys")).toEqual([{ keys_encrypted: dialect === "postgres" ? 1 : 0 }]);
    expect(cipher.open("bank", (await stored())?.secret ?? "")).toBe(made?.secret);
    expect((await stored())?.secret).toMatch(/^sealed1:/);
    expect(await command("partners", "encrypt-keys")).toEqual([{ keys_encrypted: 0 }]);
    await expect(commandWithoutKey("partners", "encrypt-keys")).rejects.toThrow(/SERVICE_KEY/);
  });
});
