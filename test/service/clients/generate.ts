/** `node generate.ts DOCUMENT FOLDER`: the clients that three generators make of an OpenAPI document, each in a folder of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate as orval } from "orval";

const [document = "", folder = ""] = process.argv.slice(2);

mkdirSync(join(folder, "openapi-typescript"), { recursive: true });
const schema = await openapiTypescript(pathToFileURL(document));
writeFileSync(join(folder, "openapi-typescript/schema.ts"), astToString(schema));

await createClient({ input: document, output: join(folder, "hey-api"), logs: { level: "warn" } });

await orval({
  input: { target: document },
  output: {
    target: join(folder, "orval/client.ts"),
    client: "fetch",
    headers: true,
    baseUrl: { getBaseUrlFromSpecification: true },
  },
});
