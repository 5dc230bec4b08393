/** The sandbox's pages for a person: the start page and the bank's approval page. */
import { Hono } from "hono";
import { isCheckinId, pagePath } from "../checkin/address.ts";
import { isTransactionId } from "../contract/ids.ts";
import { statuses } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import type { Bindings } from "../http/request.ts";
import { ServiceError } from "../service-error.ts";
import { messagePage } from "../websdk/pages/message.ts";
import { sandboxHomePath, sandboxLinks, scaPathBase } from "../websdk/sandbox-links.ts";
import { type Pages, pageHeaders, readOwnForm, servePage, type Visit } from "../websdk/serve-page.ts";
import type { BankClient, Fetch } from "./bank-client.ts";
import { checkInDemo, startDemo } from "./demo-start.ts";
import { checkinPath, homePage, startPath } from "./home-page.ts";
import { findHold } from "./ledger.ts";
import { scaPage } from "./sca-page.ts";
import { sandboxTexts } from "./texts.ts";

const scaRoute = `${scaPathBase}/:reference`;
const refreshWithoutScriptsSeconds = 3;
const bankBrand = "Demo Bank";

/** The pages of the sandbox, for a person who plays the customer. */
export const sandboxPageRoutes = (app: App, bank: BankClient, fetch: Fetch): Hono<{ Bindings: Bindings }> => {
  const hono = new Hono<{ Bindings: Bindings }>();
  const pages: Pages = { app, sandbox: sandboxLinks };
  const freshLink = () =>
    checkInDemo(bank, app.publicUrl(), `demo-${Buffer.from(app.service.random.bytes(6)).toString("hex")}`);

  hono.get(
    sandboxHomePath,
    servePage(pages, sandboxHomePath, (visit) => showHome(app, visit)),
  );
  hono.post(
    checkinPath,
    servePage(pages, checkinPath, async (visit) => {
      await readOwnForm(app, visit.c);
      return visit.seeOther(await freshLink());
    }),
  );
  hono.post(
    startPath,
    servePage(pages, startPath, async (visit) => {
      const form = await readOwnForm(app, visit.c);
      const started = await startDemo(fetch, app.publicUrl(), await freshLink(), form.get("amount") ?? "");
      const response = visit.seeOther(started.location);
      for (const cookie of started.cookies) response.headers.append("Set-Cookie", cookie);
      return response;
    }),
  );
  hono.get(
    scaRoute,
    servePage(pages, scaRoute, (visit) => showSca(pages, bank, visit)),
  );
  hono.post(
    scaRoute,
    servePage(pages, scaRoute, async (visit) => {
      const form = await readOwnForm(app, visit.c);
      await answerSca(bank, referenceOf(visit), form.get("outcome"));
      return visit.seeOther(sandboxLinks.scaPath(referenceOf(visit), fromOf(visit)));
    }),
  );
  hono.get(
    `${scaRoute}/live`,
    servePage(pages, `${scaRoute}/live`, (visit) => answerLive(pages, bank, visit)),
  );
  return hono;
};

/** Empty, which no withdrawal has, for what cannot be a transaction id. */
const referenceOf = (visit: Visit): string => {
  const reference = visit.c.req.param("reference") ?? "";
  return isTransactionId(reference) ? reference : "";
};
/** Where the customer came from; nothing but an id of ours leads back. */
const fromOf = (visit: Visit): string => {
  const from = visit.c.req.query("from") ?? "";
  return isCheckinId(from) ? from : "";
};

const showHome = (app: App, visit: Visit): Promise<Response> => {
  const { language } = visit.texts;
  const own = sandboxTexts[language];
  const query = (name: string) => (visit.c.req.query(name) ?? "").slice(0, 64);
  const returnedWith = query("outcome") === "" ? null : { outcome: query("outcome"), reference: query("reference") };
  const main = homePage({
    own,
    language,
    basePath: visit.basePath,
    returnedWith,
    scaSeconds: app.service.options.scaTimeoutMs / 1000,
  });
  return visit.show({ title: own.homeName, brand: "Tillcash", main });
};

const showSca = async ({ app }: Pages, bank: BankClient, visit: Visit): Promise<Response> => {
  const own = sandboxTexts[visit.texts.language];
  const { service } = app;
  const reference = referenceOf(visit);
  const hold = await findHold(service.store, reference);
  const transaction = hold === undefined ? null : await bank.withdrawal(reference);
  if (hold === undefined || transaction === null) {
    return visit.show({ title: own.unknown.title, brand: bankBrand, main: messagePage(own.unknown, null) }, 404);
  }
  const from = fromOf(visit);
  const path = `${visit.basePath}${scaPathBase}/${reference}`;
  const main = scaPage({
    texts: visit.texts,
    own,
    transaction,
    hold,
    nowMs: service.clock.now(),
    action: visit.basePath + sandboxLinks.scaPath(reference, from),
    liveHref: `${path}/live?seen=${transaction.status}`,
    backHref: from === "" ? null : visit.basePath + pagePath(from),
  });
  return visit.show({ title: own.scaName, brand: bankBrand, main, refreshSeconds: refreshWithoutScriptsSeconds });
};

/** Sends the customer's decision to the service; the page shows when it came too late. */
const answerSca = async (bank: BankClient, reference: string, outcome: string | null): Promise<void> => {
  if (outcome !== "approved" && outcome !== "denied") throw new ServiceError("validation_failed");
  const reply = await bank.post(`/ext/v1/withdrawals/${encodeURIComponent(reference)}/sca`, { outcome });
  if (reply.status >= 500) throw new ServiceError("unavailable");
};

const answerLive = async ({ app }: Pages, bank: BankClient, visit: Visit): Promise<Response> => {
  const seen = statuses.find((status) => status === visit.c.req.query("seen"));
  const signal = AbortSignal.any([visit.c.req.raw.signal, app.stopping]);
  const known = await bank.withdrawal(referenceOf(visit), seen && { status: seen, signal });
  if (known === null) throw new ServiceError("transaction_not_found");
  const headers = { ...pageHeaders, "Content-Type": "application/json" };
  return new Response(JSON.stringify({ status: known.status }), { headers });
};
