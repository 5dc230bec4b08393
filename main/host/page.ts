/** The page of the terminal: built files, or a developer's Vite server behind the same origin, guards and session. */
import { openPageFiles, type Page } from "./page-files.ts";

const forwarded = ["accept", "content-type", "cache-control", "etag"];

/** Everything from the dev server as it is, without the content policy, which its hot reload would break. */
const openDevServer =
  (server: string): Page =>
  async ({ pathname, search }) => {
    const answer = await fetch(new URL(pathname + search, server), { headers: { accept: "*/*" } });
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => forwarded.includes(name)));
    return { status: answer.status, headers, body: new Uint8Array(await answer.arrayBuffer()) };
  };

/** `devServer` is set by `npm run dev` alone. */
export const openPage = (folder: string, devServer: string | undefined): Page =>
  devServer === undefined ? openPageFiles(folder) : openDevServer(devServer);
