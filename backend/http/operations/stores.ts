import { storesQuerySchema, storesReplySchema } from "../../contract/stores.ts";
import { listStores } from "../../merchants/list-stores.ts";
import { clientOf } from "../authenticate.ts";
import { json, operation } from "../operation.ts";

/** `GET /ext/v1/stores`. */
export const storesOperation = operation({
  id: "listStores",
  method: "get",
  path: "/ext/v1/stores",
  tag: "Extension",
  section: null,
  summary: "List the stores",
  description:
    "The shops at which the bank's customers can withdraw cash, with name, currency, smallest and largest amount and step. In pages: `next` of one is `after` of the following.",
  conventions: [],
  scopes: ["withdrawals"],
  errorShape: "problem",
  query: storesQuerySchema,
  replies: { 200: json("A page of shops.", storesReplySchema) },
  errors: [],
  async handle({ app, session, query }) {
    const page = { after: query.after ?? "", limit: query.limit };
    return { status: 200, body: await listStores(app.service, clientOf(session), page) };
  },
});
