/**
 * Electron's network on Node's http, for electron-updater's own `electronHttpExecutor.js` (6.8.10): it takes `session` and
 * `net.request` by `require("electron")`. Shapes: electron.d.ts (45), ClientRequest and its events.
 */
import { EventEmitter } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { registerHooks } from "node:module";

/** ClientRequest: `redirect` comes in place of `response`, and ends it unless it is followed. */
class FakeClientRequest extends EventEmitter {
  readonly #request: ClientRequest;
  constructor({ protocol, hostname, port, path, headers }: Readonly<Record<string, unknown>>) {
    super();
    const url = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;
    this.#request = httpRequest(url, { headers: headers as Record<string, string> });
    this.#request.on("response", (response: IncomingMessage) => {
      const { statusCode = 0, headers: answered } = response;
      if (statusCode >= 300 && statusCode < 400 && answered.location !== undefined) {
        this.emit("redirect", statusCode, "GET", new URL(answered.location, url).href, answered);
        response.destroy();
      } else this.emit("response", response);
    });
    for (const event of ["error", "close"] as const)
      this.#request.on(event, (...args: unknown[]) => this.emit(event, ...args));
  }
  end(): void {
    this.#request.end();
  }
  abort(): void {
    this.#request.destroy();
    this.emit("abort");
  }
}

const electron = {
  // docs/api/shell.md, openPath: what cannot be opened is no rejection, but a text.
  shell: { openPath: async (): Promise<string> => "Failed to open path" },
  session: { fromPartition: (name: string): object => ({ name }) },
  net: { request: (options: Readonly<Record<string, unknown>>): object => new FakeClientRequest(options) },
};

/** From now on `require("electron")` is this, in this worker. */
export const standInForElectron = (): void => {
  (globalThis as Record<string, unknown>).electronOfTest = electron;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "electron"
        ? { url: "electron-of-test:", format: "commonjs", shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === "electron-of-test:"
        ? { format: "commonjs", source: "module.exports = globalThis.electronOfTest;", shortCircuit: true }
        : next(url, context),
  });
};
