/** The sandbox's bank asks for a token of its own, and for another one where that is worth nothing any more. */
import { expect, test } from "vitest";
import { createBankClient } from "../../backend/sandbox/bank.ts";

const tokenPath = "/oauth2/authorize";
/** @param tokens what it is given, one after the other; null: it is refused. The service takes "good" alone. */
const clientOf = (...tokens: readonly (string | null)[]) => {
  const left = [...tokens];
  const asked: string[] = [];
  const client = createBankClient((request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname !== tokenPath)
      return new Response("{}", { status: request.headers.get("authorization") === "Bearer good" ? 200 : 401 });
    const access_token = left.shift() ?? null;
    return access_token === null
      ? new Response("{}", { status: 429 })
      : new Response(JSON.stringify({ access_token }), { status: 201 });
  });
  return { client, asked };
};

test("a token that has ended is followed by another, for that call and the next ones", async () => {
  const { client, asked } = clientOf("ended", "good");
  for (const path of ["/a", "/b"]) expect((await client.post(path, {})).status).toBe(200);
  expect(asked).toEqual([tokenPath, "/a", tokenPath, "/a", "/b"]);
});

test("whoever was refused a token asks for one again with the next call", async () => {
  const { client } = clientOf(null, "good");
  await expect(client.post("/a", {})).rejects.toThrow("was refused a token: 429");
  expect((await client.post("/a", {})).status).toBe(200);
});
