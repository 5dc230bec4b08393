/** From nothing to the first answer, with the sandbox's credentials, for whoever opens the reference for the first time. */

import { html } from "hono/html";
import { type ApiDocument, exampleOf } from "./document.ts";
import { code, type Entry, json, paragraphs } from "./markup.ts";

/** The first entry: a token, a withdrawal and its look-up as three curl commands against the sandbox. */
export const quickStart = (document: ApiDocument): Entry => {
  const url = document.servers[0].url;
  const example = exampleOf(document, document.components.schemas.Transaction ?? {}) as Record<string, unknown>;
  const { transaction_id, amount, currency, expires_at } = example;
  const token = `TOKEN=$(curl -s -u demo-bank%2Fserver-1:bank-secret ${url}/oauth2/token -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  const ask = `curl ${url}/ext/v1/withdrawals -H "Authorization: Bearer $TOKEN" \\
  -H 'Idempotency-Key: first-try' -H 'Content-Type: application/json' \\
  -d '{"user_id":"customer-77","amount":"50.00","currency":"EUR","store":"demo-shop"}'`;
  const till = `TILL=$(curl -s ${url}/oauth2/authorize -H 'Content-Type: application/json' \\
  -d '{"grant_type":"client_credentials","merchant_id":"demo-shop","device_id":"till-1","device_type":"terminal","password":"till-secret","scope":""}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl "${url}/transaction?id=TRANSACTION_ID" -H "Authorization: Bearer $TILL"`;
  return {
    id: "quick-start",
    title: "Quick start",
    body: html`${paragraphs("Three commands, with the credentials of the sandbox (`npm run backend -- --sandbox`). **1. A token**, good for 24 hours; keep it, and get another when an answer is 401:")}
${code(token)}
${paragraphs("**2. A withdrawal**, as a bank's server asks for it. The answer is `ready`, and its `transaction_id` is the barcode:")}
${code(ask)}
${json({ transaction_id, status: "ready", amount, currency, store: "demo-shop", expires_at })}
${paragraphs("**3. The terminal's side**: a token of its own, and what the cashier sees after the scan. Then confirm, and link when the cash was handed over:")}
${code(till)}
${paragraphs("The nine calls of the interface come next. `docs/integrate.md` in the service's repository leads a bank from here to a settled withdrawal, with signed examples.")}`,
  };
};
