/** A feed as a web server has it: files beside each other over HTTP, and the ways in which a server can be hostile. */
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { stringify } from "yaml";
import { signFeed } from "../../../main/updates/feed.ts";

/** A key pair of a release that there never was. */
export const newKeys = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync("ed25519");

/** What a feed says; what is left out has the usual value of a feed that is good. */
interface FeedFields {
  readonly version?: string;
  readonly feed?: string;
  readonly issued?: string;
  readonly expires?: string;
  readonly url?: string;
  readonly size?: number;
  /** Other members, which take the place of those of the same name. */
  readonly more?: object;
}

/** The text of a feed that offers one file, unsigned. */
export const feedText = (content: string, fields: FeedFields = {}): string => {
  const sha512 = createHash("sha512").update(content).digest("base64");
  const { version = "0.2.0", url = `Tillcash-${version}.AppImage`, size = Buffer.byteLength(content) } = fields;
  return stringify({
    version,
    files: [{ url, sha512, size }],
    path: url,
    sha512,
    releaseDate: "2026-11-20T08:00:00.000Z",
    feed: fields.feed ?? "latest-linux",
    issued: fields.issued ?? "2026-11-20T08:00:00.000Z",
    expires: fields.expires ?? "2027-02-18T08:00:00.000Z",
    ...fields.more,
  });
};

/** A feed as it is published. */
export const signedFeed = (content: string, key: KeyObject, fields: FeedFields = {}): string =>
  signFeed(feedText(content, fields), key);

/** A running server. `files` may be changed at any time; a function answers in its own way. */
export interface FeedServer {
  readonly url: string;
  readonly files: Map<string, string | ((response: ServerResponse) => void)>;
  /** Each request's path with its headers, in order. */
  readonly requests: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[];
  close(): Promise<void>;
}

/** Listens on loopback. */
export const startFeedServer = async (): Promise<FeedServer> => {
  const files: FeedServer["files"] = new Map();
  const requests: FeedServer["requests"] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://feed").pathname);
    requests.push({ path, headers: request.headers });
    const file = files.get(path.slice("/updates/".length));
    if (file === undefined) response.writeHead(404).end();
    else if (typeof file === "string") response.end(file);
    else file(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/updates/`,
    files,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
