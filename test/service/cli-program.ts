/** The built service at a shell, as an operator runs it. */
import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { bareEnvironment } from "../runner/run-program.ts";

/** How the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the built service with these arguments; it is killed when the test is over. `address` rejects when it ends without listening. */
export const program = (args: readonly string[], settings: Record<string, string>) => {
  const child = spawn(process.execPath, ["out/main/service.js", ...args], {
    env: {
      ...bareEnvironment,
      TOKEN_SECRET: "a token secret of the tests",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, out, err })));
  const address = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const found = /^service listening on (http:\/\/\S+)\n/.exec(out);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.on("close", () => reject(new Error(`ended without listening: ${err}`)));
  });
  address.catch(() => {});
  return { child, ended, address };
};

/** The same, waited for. */
export const run = (args: readonly string[], settings: Record<string, string>) => program(args, settings).ended;

/** A token request as a form. */
export const signIn = (
  address: string,
  device_type: string,
  merchant_id: string,
  device_id: string,
  password: string,
) =>
  fetch(`${address}/oauth2/authorize`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", device_type, merchant_id, device_id, password }),
  });
