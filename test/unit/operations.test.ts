/** No call is left out: each operation of a resource's file is among those that are routed and documented. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../backend/http/operations/index.ts";

const folder = path.resolve(import.meta.dirname, "../../backend/http/operations");
const resources = globSync("*.ts", { cwd: folder }).filter((file) => file !== "index.ts");

test("there are resources", () => expect(resources.length).toBeGreaterThan(5));
test.each(resources)("%s", (file) => {
  const made = [...readFileSync(path.join(folder, file), "utf8").matchAll(/^ {4}id: "(\w+)",$/gm)].map(([, id]) => id);
  expect(made.length).toBeGreaterThan(0);
  expect(operations.map(({ id }) => id)).toEqual(expect.arrayContaining(made));
});

test("each file says as many as it adds", () => {
  const said = resources.flatMap((file) => [
    ...readFileSync(path.join(folder, file), "utf8").matchAll(/^ {2}operation\(\{$/gm),
  ]);
  expect(operations).toHaveLength(said.length);
});

test("each call asks for the scopes that stand here, one of which is enough, and the others for no token", () => {
  const [all, pos, orders] = [["reconciliation", "transactions", "reports"], ["transactions"], ["withdrawals"]];
  const asked = operations.filter(({ scopes }) => scopes !== null);
  expect(Object.fromEntries(asked.map(({ method, path, scopes }) => [`${method} ${path}`, scopes]))).toEqual({
    ...{ "get /transaction": pos, "post /transaction/confirm": pos, "post /transaction/reject": pos },
    ...{ "post /transaction/link": pos, "post /ext/v1/transactions/{id}/undelivered": pos, "get /ext/v1/till": pos },
    ...{ "post /ext/v1/journal-heads": pos, "get /ext/v1/journal-heads": pos },
    ...{ "post /api/v7/partnerCheckin": ["checkin"], "post /api/v2/users": ["users"] },
    ...{ "post /ext/v1/withdrawals": orders, "get /ext/v1/withdrawals/{id}": orders },
    ...{ "post /ext/v1/withdrawals/{id}/sca": orders, "post /ext/v1/withdrawals/{id}/cancel": orders },
    ...{ "get /ext/v1/stores": ["withdrawals", "reports"], "get /ext/v1/withdrawals": ["withdrawals", "reports"] },
    "get /ext/v1/transactions/{id}/events": ["transactions", "withdrawals", "reconciliation", "reports"],
    ...{ "get /ext/v1/reconciliation": all, "get /ext/v1/reconciliation.csv": all },
    ...{ "get /ext/v1/reconciliation/stores": ["reports"], "get /ext/v1/terminals": ["terminals"] },
  });
  const open = operations.filter(({ scopes }) => scopes === null).map(({ path }) => path);
  expect(open).toEqual([
    ...["/oauth2/authorize", "/oauth2/token", "/ext/v1/enrolments", "/ext/v1/manager-resets"],
    ...["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/docs/{file}"],
  ]);
});
