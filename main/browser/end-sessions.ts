/** Ends what every open page came in with: by the running host, or on disk where none runs. */
import { rmSync } from "node:fs";
import path from "node:path";
import { callHolder } from "../host/instance.ts";

/** Where the key of the pages' cookies is kept. */
export const pageKeyFile = (data: string): string => path.join(data, "page.key");

/** @param data the terminal's data folder. Rejects when the running host refuses. */
export const endSessions = async (data: string): Promise<void> => {
  const answer = await callHolder(data, "/end-sessions").catch(() => null);
  if (answer === null) rmSync(pageKeyFile(data), { force: true });
  else if (!answer.ok) throw new Error("The running terminal did not end its sessions.");
};
