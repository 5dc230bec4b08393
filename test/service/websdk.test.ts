/** The web-SDK page as a browser sees it: a link that opens once, limits, one withdrawal from the amount to its end. */

import { describe, expect, onTestFinished, test, vi } from "vitest";
import { updateMerchant } from "../../backend/merchants/merchants.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { adhoc, statement } from "../../backend/store/store.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { createBrowser } from "./browser.ts";
import { hostileApprovalLinks } from "./hostile-approval-links.ts";
import { waitForChange } from "./sandbox-stage.ts";
import { stores } from "./stores.ts";
import { useWebSdk } from "./websdk-stage.ts";

const addShop = statement("test_kiosk", (db, p: { id: string }) =>
  db.insertInto("merchants").values({
    id: p.id,
    name: "Kiosk <North>",
    currency: "EUR",
    amount_min: 2_000,
    amount_max: 10_000,
    amount_step: 2_000,
    created_at: 0,
  }),
);

describe.each(stores)("the web-SDK page on %s", (dialect) => {
  const sdk = useWebSdk(dialect);

  describe("the link", () => {
    test("opens once; a reload works; another browser is refused in plain words", async () => {
      const link = await sdk.freshLink();
      const mine = createBrowser();
      const first = await mine.open(link);
      expect(first).toMatchObject({ status: 200 });
      expect(first.url).not.toContain("token");
      expect(first.html).toContain(en.amountTitle);
      expect((await mine.open(first.url)).html).toContain(en.amountTitle);
      expect((await mine.open(link)).html).toContain(en.amountTitle);

      const other = createBrowser();
      const refused = await other.open(link);
      expect(refused).toMatchObject({ status: 410 });
      expect(refused.html).toContain(en.linkUsed.title);
      expect(refused.html).toContain("<b>Demo Bank</b>");
      expect(refused.cookies).toEqual([]);
      expect(await other.open(first.url)).toMatchObject({ status: 404 });
    });

    test("opened by two browsers in the same moment it opens for one", async () => {
      const link = await sdk.freshLink();
      const answers = await Promise.all(Array.from({ length: 8 }, () => createBrowser().open(link)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 410)).toHaveLength(7);
    });

    test("is not used up by a browser that looks ahead", async () => {
      const link = await sdk.freshLink();
      for (const headers of [{ "sec-purpose": "prefetch" }, { purpose: "preview" }, { purpose: "Prefetch" }] as const) {
        const ahead = await createBrowser().open(link, { ...headers });
        expect(ahead).toMatchObject({ status: 204, cookies: [] });
      }
      expect((await fetch(link, { method: "HEAD" })).status).toBe(204);
      expect((await createBrowser().open(link)).status).toBe(200);
    });

    test("says that it expired after 10 minutes", async () => {
      const link = await sdk.freshLink();
      sdk.later(10 * 60_000);
      const late = await createBrowser().open(link);
      expect(late).toMatchObject({ status: 410 });
      expect(late.html).toContain(en.linkExpired.title);
    });

    test.each(["?token=wrong", "?token=", "?token=%00", ""])("that was made up (%s) opens nothing", async (query) => {
      const { pathname } = new URL(await sdk.freshLink());
      const made = await createBrowser().open(sdk.url() + pathname + query);
      expect(made).toMatchObject({ status: 404, cookies: [] });
    });

    test("leaves a cookie that scripts cannot read and that goes to this page alone", async () => {
      const browser = createBrowser();
      const page = await browser.open(await sdk.freshLink());
      const [cookie] = browser.seen;
      expect(cookie).toMatch(/; HttpOnly(;|$)/);
      expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
      expect(cookie).toContain(`Path=${new URL(page.url).pathname}`);
    });
  });

  describe("the amount", () => {
    test.each([
      ["", en.amountMissing],
      ["abc", "for example 10"],
      ["1e2", "for example 10"],
      ["-50", "for example 10"],
      ["1,000", "for example 10"],
      ["50.001", "for example 10"],
      ["00050.001", "for example 10"],
      ["9.99", "The smallest amount is €10."],
      ["500.01", "The largest amount is €500."],
      ["300.01", "Your available balance is €300.00."],
      ["99999999999999999999", "for example 10"],
    ])("%j is refused with what to do instead", async (amount, hint) => {
      const before = await sdk.countHolds();
      const { reply } = await sdk.placeOrder(amount);
      expect(reply).toMatchObject({ status: 400 });
      expect(reply.html).toContain(hint);
      expect(reply.html).toContain('aria-invalid="true"');
      expect(await sdk.countHolds()).toBe(before);
    });

    test.each([
      ["10", "10.00"],
      ["50,5", "50.50"],
      ["300.00", "300.00"],
    ])("%j is asked for as %s", async (typed, amount) => {
      const { reply, id } = await sdk.placeOrder(typed);
      expect(reply.status).toBe(200);
      expect((await sdk.till().get(`/transaction?id=${id}`)).body).toMatchObject({
        status: "ready",
        amount,
        store: "demo-shop",
      });
    });

    test("pressed ten times at once is one withdrawal", async () => {
      const browser = createBrowser();
      const page = await browser.open(await sdk.freshLink());
      const press = () => browser.submit(`${page.url}/withdrawal`, { after: "", amount: "50", store: "demo-shop" });
      const before = await sdk.countHolds();
      const replies = await Promise.all(Array.from({ length: 10 }, press));
      const ids = replies.map(({ html }) => /data-code="(\w{16})"/.exec(html)?.[1]).filter((id) => id !== undefined);
      expect(new Set(ids).size).toBe(1);
      // As every release has written it, and no bank can: with the space.
      const key = `websdk ${new URL(page.url).pathname.split("/").at(-1)} `;
      const withKey = adhoc((db) => db.selectFrom("withdrawals").select("id").where("idempotency_key", "=", key));
      expect(await sdk.store().read((tx) => tx.all(withKey))).toEqual([{ id: ids[0] }]);
      expect(await sdk.countHolds()).toBe(before + 1);
      const other = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "60", store: "demo-shop" });
      expect(other.html).toContain("€50.00");
      expect(await sdk.countHolds()).toBe(before + 1);
    });

    test.each([
      ["unknown", "nowhere"],
      ["of another currency", "zurich"],
    ])("at a shop that is %s is refused", async (_, store) => {
      const abroad = { id: "zurich", name: "Zürich", currency: "CHF", amount_min: 1_000, amount_max: 50_000 };
      const values = { ...abroad, amount_step: 1_000, created_at: 0 };
      await sdk.store().write((tx) =>
        tx.run(
          adhoc((db) =>
            db
              .insertInto("merchants")
              .values(values)
              .onConflict((same) => same.doNothing()),
          ),
        ),
      );
      const browser = createBrowser();
      const page = await browser.open(await sdk.freshLink());
      const before = await sdk.countHolds();
      const reply = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "50", store });
      expect(reply).toMatchObject({ status: 400 });
      expect(await sdk.countHolds()).toBe(before);
      expect(reply.html).toContain(en.storeMissing);
    });

    test("beyond what its shop may hand out in a day is refused as that", async () => {
      const limit = (shop_day_max: number | null) =>
        sdk.store().write((tx) => tx.first(updateMerchant("demo-shop", { shop_day_max })));
      await limit(1);
      const { reply } = await sdk.placeOrder("50").finally(() => limit(null));
      expect(reply).toMatchObject({ status: 400 });
      expect(reply.html).toContain(en.limitReached);
    });

    test("is limited by the shop that is chosen", async () => {
      await sdk.store().write((tx) => tx.run(addShop({ id: "kiosk" })));
      const browser = createBrowser();
      const page = await browser.open(await sdk.freshLink());
      expect(page.html).toMatch(/<select id="store"/);
      const refused = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "25", store: "kiosk" });
      expect(refused.html).toContain("Choose an amount in steps of €20.");
      expect(refused.html).toMatch(/value="kiosk"[^>]* selected/);
      const taken = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "40", store: "kiosk" });
      expect(taken.html).toContain("at Kiosk &lt;North&gt;");
    });

    test("in a currency that no shop has says so and leads back", async () => {
      const page = await createBrowser().open(await sdk.freshLink({ currency: "SEK" }));
      expect(page.html).toContain(en.noStore.title);
      expect(page.html).toContain("outcome=none");
    });
  });

  describe("the withdrawal", () => {
    test("is canceled by the customer, then a new one can be started", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      const open = await browser.open(`${page.url}?again`);
      expect(open.html).toContain(`data-code="${id}"`);
      const second = await browser.submit(`${page.url}/withdrawal`, { after: id, amount: "60", store: "demo-shop" });
      expect(second.html).toContain(`data-code="${id}"`);
      expect(open.html).toContain('<noscript><meta http-equiv="refresh" content="3"></noscript>');
      const canceled = await browser.submit(`${page.url}/cancel`, { transaction_id: id });
      expect(canceled.html).toContain(en.userCanceled.title);
      expect(canceled.html).not.toContain("refresh");
      expect(canceled.html).toContain(
        `https://bank.example/back?tab=cash&amp;reference=ref-1&amp;outcome=canceled&amp;transaction_id=${id}`,
      );
      expect((await sdk.till().get(`/transaction?id=${id}`)).body).toMatchObject({
        status: "canceled",
        reason: "user_canceled",
      });

      const again = await browser.open(`${page.url}?again`);
      expect(again.html).toContain(`name="after" value="${id}"`);
      const next = await browser.submit(`${page.url}/withdrawal`, { after: id, amount: "60", store: "demo-shop" });
      expect(next.html).toContain("€60.00");
      expect(next.html).not.toContain(id);
    });

    test("that the cashier has confirmed is not canceled", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      await sdk.till().post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
      const kept = await browser.submit(`${page.url}/cancel`, { transaction_id: id });
      expect(kept.html).toContain(en.awaitingSca.title);
      // The customer's own time, and not the code's.
      expect(Number(/data-left-ms="(\d+)"/.exec(kept.html)?.[1])).toBeLessThanOrEqual(40_000);
      expect(kept.html).toContain(`/sandbox/bank/sca/${id}`);
      expect((await sdk.till().get(`/transaction?id=${id}`)).body).toMatchObject({ status: "awaiting_sca" });
    });

    test("is told, without a reload, when the cashier confirms", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      const held = browser.open(`${page.url}/live?seen=ready&of=${id}`);
      await sdk.till().post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
      expect(JSON.parse((await held).html)).toEqual({ status: "awaiting_sca" });
      expect(await createBrowser().open(`${page.url}/live?seen=ready&of=${id}`)).toMatchObject({ status: 404 });
    });

    test("is approved on the bank's page, which shows exactly amount and shop", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      await sdk.till().post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
      const checkinId = new URL(page.url).pathname.split("/").at(-1);
      const sca = await browser.open(`${sdk.url()}/sandbox/bank/sca/${id}?from=${checkinId}`);
      expect(sca.html).toContain("€50.00");
      expect(sca.html).toContain("Demo Shop");
      const done = await browser.submit(sca.url, { outcome: "approved" });
      expect(done.html).toContain("Approved");
      expect(done.html).toContain(`href="/websdk/${checkinId}"`);
      expect((await waitForChange(sdk.till(), id, "settling")).status).toBe("settled");
      expect((await browser.open(page.url)).html).toContain("Paid. Collect your €50.00");
    });

    test("leads into the bank's own app where the bank has set a link, and goes on by itself afterwards", async () => {
      const template = "https://app.bank.example/approve?cash={transaction_id}";
      await sdk.store().write((tx) => tx.first(updatePartner("demo-bank", { sca_url: template })));
      const { browser, page, id } = await sdk.placeOrder("50");
      expect((await browser.open(page.url)).html).not.toContain("app.bank.example");
      await sdk.till().post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
      const waiting = await browser.open(page.url);
      expect(waiting.html).toContain(`<a class="button" href="https://app.bank.example/approve?cash=${id}">`);
      expect(waiting.html).toMatch(/data-live="[^"]*seen=awaiting_sca/);
      const acquire = vi.spyOn(sdk.app().access.heldReads, "acquire");
      onTestFinished(() => acquire.mockRestore());
      const held = browser.open(`${page.url}/live?seen=awaiting_sca&of=${id}`);
      await expect.poll(() => acquire.mock.calls.length).toBe(1);
      await createBrowser().submit(`${sdk.url()}/sandbox/bank/sca/${id}`, { outcome: "approved" });
      expect(JSON.parse((await held).html).status).toMatch(/^settl(ing|ed)$/);
      await sdk.store().write((tx) => tx.first(updatePartner("demo-bank", { sca_url: null })));
    });

    test("leads into an app by the app's own scheme, and never to what a browser would run or read itself", async () => {
      const set = (sca_url: string) => sdk.store().write((tx) => tx.first(updatePartner("demo-bank", { sca_url })));
      const { browser, page, id } = await sdk.placeOrder("50");
      await sdk.till().post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
      const links = async (template: string) => {
        await set(template);
        const { html } = await browser.open(page.url);
        return [...html.matchAll(/<a class="button" href="([^"]*)">/g)].map(([, href]) => href);
      };
      expect(await links("mybank://approve?cash={transaction_id}&from=web")).toEqual([
        `mybank://approve?cash=${id}&amp;from=web`,
      ]);
      // However it came into the database: nothing of it reaches the page, which goes on without it.
      const own = `/sandbox/bank/sca/${id}?from=${new URL(page.url).pathname.split("/").at(-1)}`;
      for (const template of hostileApprovalLinks) expect([template, await links(template)]).toEqual([template, [own]]);
      const { headers } = await browser.open(page.url);
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
      await sdk.store().write((tx) => tx.first(updatePartner("demo-bank", { sca_url: null })));
    });

    test("that the customer denies on the bank's page is over", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      await sdk.till().post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
      await browser.submit(`${sdk.url()}/sandbox/bank/sca/${id}`, { outcome: "denied" });
      expect((await sdk.till().get(`/transaction?id=${id}`)).body).toMatchObject({
        status: "canceled",
        reason: "sca_denied",
      });
      expect((await browser.open(page.url)).html).toContain(en.scaDenied.title);
    });

    test("survives a restart of the service: the page is still there", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      const { port } = new URL(sdk.url());
      await sdk.restart();
      const moved = page.url.replace(`:${port}/`, `:${new URL(sdk.url()).port}/`);
      expect((await browser.open(moved)).html).toContain(`data-code="${id}"`);
    });
  });
});
