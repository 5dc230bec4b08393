/** Ends what every open page came in with: by the running host, or on disk where none runs. */
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { callHolder, claimInstance } from "../host/instance.ts";

/** Where the key of the pages' sessions is kept. */
export const pageKeyFile = (data: string): string => path.join(data, "page.key");

/**
 * @param data the terminal's data folder. Rejects when the running host refuses or does not answer: it goes on with the key
 * that it has, whatever becomes of the file.
 */
export const endSessions = async (data: string): Promise<void> => {
  if (!existsSync(data)) return;
  const idle = claimInstance(data);
  try {
    const answer = idle === null ? await callHolder(data, "/end-sessions") : null;
    if (answer === null) rmSync(pageKeyFile(data), { force: true });
    else if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  } catch (error) {
    throw new Error("The running terminal did not end its sessions. Stop it, and say --end-sessions again.", {
      cause: error,
    });
  } finally {
    idle?.release();
  }
};
