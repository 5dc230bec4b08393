/** Ends what every open page came in with. */
import { existsSync } from "node:fs";
import { callHolder, claimInstance } from "../host/instance.ts";

/** Sessions end with their host: where none runs there is nothing to end. @param data the terminal's data folder. Rejects when the running host refuses or does not answer. */
export const endSessions = async (data: string): Promise<void> => {
  if (!existsSync(data)) return;
  const idle = claimInstance(data);
  try {
    const answer = idle === null ? await callHolder(data, "/end-sessions") : null;
    if (answer !== null && !answer.ok) throw new Error(`it answers ${answer.status}`);
  } catch (error) {
    throw new Error("The running terminal did not end its sessions. Stop it, and say --end-sessions again.", {
      cause: error,
    });
  } finally {
    idle?.release();
  }
};
