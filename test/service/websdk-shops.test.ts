/** Any number of shops on the customer's page: twenty at once, the others by name. */
import { beforeAll, describe, expect, test } from "vitest";
import { adhoc } from "../../backend/store/store.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { createBrowser } from "./browser.ts";
import { stores } from "./stores.ts";
import { useWebSdk } from "./websdk-stage.ts";

const shopCount = 1_200;
const pageBytesMax = 40 * 1024;
/** As long as a name may be, of letters that take two bytes. */
const nameOf = (n: number) => `Nr ${String(n).padStart(4, "0")} ${"Ä".repeat(90)}`;

describe.each(stores)("on %s", (dialect) => {
  const sdk = useWebSdk(dialect);
  beforeAll(() =>
    sdk.store().write(async (tx) => {
      const shop = (id: string, name: string) => ({
        ...{ id, name, currency: "EUR", amount_min: 1_000, amount_max: 50_000, amount_step: 1_000, created_at: 0 },
      });
      for (let n = 0; n < shopCount; n += 200) {
        const some = Array.from({ length: 200 }, (_, more) => shop(`shop-${n + more}`, nameOf(n + more)));
        await tx.run(adhoc((db) => db.insertInto("merchants").values(some)));
      }
      await tx.run(adhoc((db) => db.insertInto("merchants").values([shop("zz-last", "Zum Äpfelwirt 100%_\\")])));
      const chur = { ...shop("zz-chf", "Churer Kasse"), currency: "CHF" };
      await tx.run(adhoc((db) => db.insertInto("merchants").values(chur)));
      const names = { lodz: "Łódź Sklep", sever: "Север на углу", ecole: "L'École Élysées" };
      const capitals = Object.entries(names).map(([id, name]) => shop(id, name));
      await tx.run(adhoc((db) => db.insertInto("merchants").values(capitals)));
    }),
  );

  const open = async () => {
    const browser = createBrowser();
    return { browser, page: await browser.open(await sdk.freshLink()) };
  };

  test("the page stays small", async () => {
    const { browser, page } = await open();
    expect(Buffer.byteLength(page.html)).toBeLessThan(pageBytesMax);
    expect(page.html.match(/<option/g)).toHaveLength(20);
    // The others are found by name.
    expect(page.html).toContain(en.shopSearch);
    const found = await browser.open(`${page.url}?shop=nr+1`);
    expect(Buffer.byteLength(found.html)).toBeLessThan(pageBytesMax);
  });

  test.each(["zum äpfel", "ZUM ÄPFEL", "pfelwirt", "100%_\\"])("the last shop of all is found by %s", async (name) => {
    const { browser, page } = await open();
    const found = await browser.open(`${page.url}?shop=${encodeURIComponent(name)}&amount=40`);
    expect(found.html).toContain('value="zz-last"');
    expect(found.html).toContain('value="40"');
    const taken = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "40", store: "zz-last" });
    expect(taken.html).toContain("at Zum Äpfelwirt");
  });

  test("a shop that hands out other money is neither found nor taken", async () => {
    const { browser, page } = await open();
    const found = await browser.open(`${page.url}?shop=churer`);
    expect(found.html).toContain(en.shopNotFound);
    const taken = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "40", store: "zz-chf" });
    expect(taken).toMatchObject({ status: 400 });
    expect(taken.html).not.toContain("Churer");
  });

  const capitals = [
    ["łódź", "lodz"],
    ["Łódź sklep", "lodz"],
    ["СЕВЕР", "sever"],
    ["север на", "sever"],
    ["На углу", "sever"],
    ["école élysées", "ecole"],
    ["L'École", "ecole"],
  ];
  test.each(capitals)("%s is found: a name with both kinds of letters beyond ASCII", async (name, shop) => {
    const { browser, page } = await open();
    const found = await browser.open(`${page.url}?shop=${encodeURIComponent(name)}`);
    expect(found.html).toContain(`value="${shop}"`);
  });

  test.each(["Nr_0001", "Nr%0001"])("a sign in %s stands for itself alone", async (name) => {
    const { browser, page } = await open();
    const found = await browser.open(`${page.url}?shop=${encodeURIComponent(name)}`);
    expect(found.html).toContain(en.shopNotFound);
  });

  test("a refused amount keeps the shop that was found", async () => {
    const { browser, page } = await open();
    const refused = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "7", store: "zz-last" });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.html).toMatch(/value="zz-last"[^>]* selected/);
  });

  test.each(["no such shop", "\0", "\ud800", "x".repeat(5_000)])(
    "a search for %j finds none and says so",
    async (text) => {
      const { browser, page } = await open();
      const found = await browser.open(`${page.url}?shop=${encodeURIComponent(text.toWellFormed())}x-none`);
      expect(found).toMatchObject({ status: 200 });
      expect(found.html).toContain(en.shopNotFound);
      const asked = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "40", store: `${text}\0` });
      expect(asked).toMatchObject({ status: 400 });
    },
  );
});
