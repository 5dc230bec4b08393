/** The web-SDK page under hostile input, and in the reader's language. */
import { describe, expect, test } from "vitest";
import { createApp } from "../../backend/http/create-app.ts";
import { listen } from "../../backend/http/listen.ts";
import { adhoc } from "../../backend/store/store.ts";
import { webSdkMount } from "../../backend/websdk/routes.ts";
import { de } from "../../backend/websdk/texts/de.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { createBrowser } from "./browser.ts";
import { stores } from "./stores.ts";
import { useWebSdk } from "./websdk-stage.ts";

describe.each(stores)("the guarded web-SDK page on %s", (dialect) => {
  const sdk = useWebSdk(dialect);

  describe("hostile input", () => {
    const script = '"><script>alert(1)</script><img src=x onerror=alert(2)>';

    test("never becomes markup", async () => {
      const hostile = {
        brand: script,
        userId: "ann'; DROP TABLE withdrawals; --",
        urlBack: `https://bank.example/?a=${script}`,
      };
      const browser = createBrowser();
      const page = await browser.open((await sdk.checkIn(hostile, script)).body.destination_url);
      const refused = await browser.submit(`${page.url}/withdrawal`, { after: script, amount: script, store: script });
      const wrong = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: script, store: script });
      const ready = await browser.submit(`${page.url}/withdrawal`, { after: "", amount: "50", store: "demo-shop" });
      const home = await browser.open(
        `${sdk.url()}/sandbox?outcome=${encodeURIComponent(script)}&reference=${encodeURIComponent(script)}`,
      );
      const sca = await browser.open(
        `${sdk.url()}/sandbox/bank/sca/${encodeURIComponent(script)}?from=${encodeURIComponent(script)}`,
      );
      for (const { html } of [page, refused, wrong, ready, home, sca]) {
        expect(html).not.toContain("<script>alert");
        expect(html).not.toContain("<img");
      }
      expect(page.html).toContain("&lt;script&gt;");
    });

    test.each([
      ["https://cash.example/pay", "/pay", true],
      ["http://cash.example", "", false],
    ])("cookies of pages at %s go there alone, over https where there is one, and to no script", async (...row) => {
      const [publicUrl, base, isSecure] = row;
      const app = { ...sdk.app(), publicUrl: () => publicUrl };
      const there = await listen(app, createApp(app, [webSdkMount(true)]), "127.0.0.1", 0);
      const { pathname, search } = new URL(await sdk.freshLink());
      const link = new URL(`http://127.0.0.1:${there.port}${pathname}${search}`);
      link.searchParams.set("lang", "de");
      const answer = await fetch(link, { redirect: "manual" });
      await there.close(0);
      const rest = `HttpOnly${isSecure ? "; Secure" : ""}; SameSite=Lax`;
      const [ofPage, ofLanguage] = answer.headers.getSetCookie().sort((one) => (one.includes("session") ? -1 : 1));
      expect(ofPage).toMatch(
        new RegExp(`^tillcash_session=[\\w-]{43}; Max-Age=3600; Path=${base}/\\S+/\\S+; ${rest}$`),
      );
      expect(ofLanguage).toMatch(new RegExp(`^\\w+=de; Max-Age=31536000; Path=${base}/; ${rest}$`));
    });

    test("pages behind a proxy that strips a path lead to one another below it", async () => {
      const own = { url: "" };
      const answered: { route: string; durationMs: number }[] = [];
      const observer = { answered: (request: (typeof answered)[number]) => void answered.push(request) };
      const app = { ...sdk.app(), observer, publicUrl: () => own.url };
      const routes = createApp(app, [webSdkMount(false)]);
      const stripped = (request: Request) => new Request(request.url.replace("/pay/", "/"), request);
      const proxied = { fetch: (request: Request, ...more: []) => routes.fetch(stripped(request), ...more) };
      const there = await listen(app, proxied as typeof routes, "127.0.0.1", 0);
      own.url = `http://127.0.0.1:${there.port}/pay`;
      const { pathname, search } = new URL(await sdk.freshLink());
      const browser = createBrowser();
      const amount = await browser.open(`${own.url}${pathname}${search}`);
      const refused = await browser.submit(`${amount.url}/withdrawal`, { after: "", amount: "x", store: "demo-shop" });
      const ready = await browser.submit(`${amount.url}/withdrawal`, { after: "", amount: "50", store: "demo-shop" });
      const id = /data-code="(\w{16})"/.exec(ready.html)?.[1] ?? "";
      const canceled = await browser.submit(`${amount.url}/cancel`, { transaction_id: id });
      expect(canceled.html).toContain(en.userCanceled.title);
      const path = new URL(amount.url).pathname;
      expect([amount, ready, canceled].map(({ url }) => url)).toEqual(Array(3).fill(`${own.url}${pathname}`));
      const ways = [amount, refused, ready, canceled].flatMap(({ html }) =>
        [...html.matchAll(/ (href|src|action|data-live)="(\/[^"]*)"/g)].map(([, kind, to = ""]) => [kind, to] as const),
      );
      expect(ways.filter(([, to]) => !to.startsWith("/pay/"))).toEqual([]);
      // Counted by their route: each check-in's own path would be a measurement for ever.
      const counted = new Set(answered.map(({ route }) => route.replace("/websdk/:id", "")));
      expect(counted).toEqual(new Set(["", "/withdrawal", "/cancel"]));
      // How long each took, and not when it ended.
      expect(answered.filter(({ durationMs }) => durationMs < 0 || durationMs > 1e12)).toEqual([]);
      const forms = ways.filter(([kind]) => kind === "action").map(([, to]) => to);
      expect(new Set(forms)).toEqual(new Set([`${path}/withdrawal`, `${path}/cancel`]));
      expect(ways.map(([, to]) => to)).toContain(`${path}?lang=de`);
      expect(ways.filter(([kind]) => kind === "data-live")).toEqual([
        ["data-live", `${path}/live?seen=ready&amp;of=${id}`],
      ]);
      for (const [, to] of ways.filter(([kind]) => kind === "src" || kind === "href"))
        expect([to, (await browser.open(new URL(to.replaceAll("&amp;", "&"), own.url).href)).status]).toEqual([
          to,
          200,
        ]);
      await there.close(0);
    });

    test("one customer's cookie holds a few answers open, not all that the service can", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      let waiting = 40;
      const statuses: number[] = [];
      const held = Array.from({ length: waiting }, () =>
        browser.open(`${page.url}/live?seen=ready&of=${id}`).then(({ status }) => {
          waiting -= 1;
          statuses.push(status);
        }),
      );
      await expect.poll(() => waiting).toBe(8);
      expect(new Set(statuses)).toEqual(new Set([429]));
      // Of another withdrawal than that of the page the answer is there.
      const other = await browser.open(`${page.url}/live?seen=ready&of=7F3K9Q2MX4T8WZ0G`);
      expect(other).toMatchObject({ status: 200 });
      await browser.submit(`${page.url}/cancel`, { transaction_id: id });
      await Promise.all(held);
      expect(statuses.slice(-8)).toEqual(Array.from({ length: 8 }, () => 200));
      // Their places are free again.
      expect(await browser.open(`${page.url}/live?seen=ready&of=${id}`)).toMatchObject({ status: 200 });
    });

    test.each([
      ["nothing", {}],
      ["another site", { origin: "https://evil.example" }],
      ["no origin", { origin: "null" }],
      ["a frame of another site", { origin: "own", "sec-fetch-site": "cross-site" }],
      ["a frame of a sister site", { origin: "own", "sec-fetch-site": "same-site" }],
    ])("a form that comes from %s changes nothing", async (_, from: Record<string, string>) => {
      const { browser, page, id } = await sdk.placeOrder("50");
      const before = await sdk.countHolds();
      const headers = from.origin === "own" ? { ...from, origin: sdk.url() } : from;
      for (const [path, fields] of [
        [`${page.url}/cancel`, { transaction_id: id }],
        [`${page.url}/withdrawal`, { after: "", amount: "50", store: "demo-shop" }],
        [`${sdk.url()}/sandbox/withdrawals`, { amount: "50.00" }],
        [`${sdk.url()}/sandbox/bank/sca/${id}`, { outcome: "denied" }],
      ] as const) {
        const refused = await browser.submit(path, fields, headers);
        expect(refused).toMatchObject({ status: 403 });
        expect(refused.html).toContain(en.foreignRequest.title);
      }
      expect((await browser.open(page.url)).html).toContain(`data-code="${id}"`);
      expect((await sdk.till().get(`/transaction?id=${id}`)).body).toMatchObject({ status: "ready" });
      expect(await sdk.countHolds()).toBe(before);
    });

    test("a form of another withdrawal's page changes nothing", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      const other = await sdk.placeOrder("60");
      await browser.submit(`${page.url}/cancel`, { transaction_id: other.id });
      expect((await browser.open(page.url)).html).toContain(`data-code="${id}"`);
      const before = await sdk.countHolds();
      const fresh = createBrowser();
      const { url } = await fresh.open(await sdk.freshLink());
      await fresh.submit(`${url}/withdrawal`, { after: id, amount: "50", store: "demo-shop" });
      expect(await sdk.countHolds()).toBe(before);
    });

    test("an address back to no page is not shown, however it came into the database", async () => {
      const { browser, page, id } = await sdk.placeOrder("50");
      await browser.submit(`${page.url}/cancel`, { transaction_id: id });
      const checkin = new URL(page.url).pathname.split("/").at(-1) ?? "";
      for (const [url_back, isShown] of [
        ["http://bank.example/", true],
        ["javascript:alert(1)", false],
        ["data:text/html,x", false],
        ["no address", false],
      ] as const) {
        await sdk
          .store()
          .write((tx) => tx.run(adhoc((db) => db.updateTable("checkins").set({ url_back }).where("id", "=", checkin))));
        for (const asked of [page.url, `${page.url}?again`])
          expect((await browser.open(asked)).html.includes(`href="${url_back}`), `${url_back} at ${asked}`).toBe(
            isShown,
          );
      }
    });

    test("a body without end is cut off", async () => {
      const { browser, page } = await sdk.placeOrder("50");
      const reply = await browser.submit(`${page.url}/withdrawal`, { after: "x".repeat(70_000) });
      expect(reply.status).toBe(413);
    });

    test("pages let nothing in but our own script and style, and nobody frame them", async () => {
      const { page } = await sdk.placeOrder("50");
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(page.html).not.toMatch(/<script(?![^>]* src="\/)|<style| on\w+=| style=/);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
    });
  });

  describe("languages", () => {
    test("follow the browser, and the reader's choice from then on", async () => {
      const browser = createBrowser();
      const page = await browser.open(await sdk.freshLink(), { "accept-language": "de-AT,de;q=0.9,en;q=0.5" });
      expect(page.html).toContain('<html lang="de">');
      expect(page.html).toContain(de.amountTitle);
      expect(page.html).toContain("300,00");
      const chosen = await browser.open(`${page.url}?lang=en`, { "accept-language": "de" });
      expect(chosen.html).toContain(en.amountTitle);
      expect((await browser.open(page.url, { "accept-language": "de" })).html).toContain(en.amountTitle);
      expect(chosen.html).not.toContain("?lang=en");
      expect((await browser.open(`${page.url}?lang=de`)).html).toContain(de.amountTitle);
    });
  });
});
