/** What the program says when it cannot start: the setting that is wrong, no trace of the program's own lines. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tlsProblem } from "../../backend/http/listen.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { startFailure } from "../../backend/start-failure.ts";
import { StoreRefused } from "../../backend/store/store.ts";
import { certificate, namedKey, privateKey } from "../service/tls-files.ts";

const failureOf = (host: string, port: number): Promise<unknown> =>
  new Promise((resolve) => createServer().once("error", resolve).listen({ host, port }));

test("a port that is taken: what to set, for the API and for /metrics", async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number };
  const { text, exitCode } = startFailure(await failureOf("127.0.0.1", port));
  expect(exitCode).toBe(2);
  expect(text).toMatch(/^The address cannot be used: .*EADDRINUSE.*\n.*--port 0 .*--metrics-port .*\n$/);
});

test("a host that has no address, whatever the resolver says", () => {
  const unknown = (code: string) =>
    startFailure(Object.assign(new Error(`getaddrinfo ${code} tpyo`), { code, syscall: "getaddrinfo" }));
  for (const code of ["ENOTFOUND", "EAI_AGAIN"])
    expect(unknown(code)).toEqual({ text: `The address cannot be used: getaddrinfo ${code} tpyo\n`, exitCode: 2 });
});

test("a port that this user may not open is an address, and no file", () => {
  const error = Object.assign(new Error("listen EACCES: permission denied 0.0.0.0:80"), {
    code: "EACCES",
    syscall: "listen",
  });
  expect(startFailure(error)).toEqual({ text: `The address cannot be used: ${error.message}\n`, exitCode: 2 });
});

test("a file that may not be read is no address", () => {
  const error = Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: "EACCES", syscall: "open" });
  expect(startFailure(error)).toEqual({ text: `A file cannot be used: ${error.message}\n`, exitCode: 2 });
});

test.each([new ServiceError("unavailable", "The database is away."), new StoreRefused("The database is away.")])(
  "$name is a sentence without a trace",
  (error) => expect(startFailure(error)).toEqual({ text: "The database is away.\n", exitCode: 2 }),
);

test("a database that refuses says why", () => {
  const cause = new Error("password authentication failed");
  const { text } = startFailure(new ServiceError("unavailable", "The database is away.", { cause }));
  expect(text).toBe("The database is away. (password authentication failed)\n");
});

test("a defect keeps its trace", () => {
  const stack = "TypeError: x is undefined\n    at serve (service.js:1:1)";
  const defect = Object.assign(new TypeError("x is undefined"), { stack });
  expect(startFailure(defect)).toEqual({ text: `${stack}\n`, exitCode: 1 });
});

test("files of HTTPS: each that cannot be read, what is no PEM, a key of another certificate", () => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [cert, key] = [file("cert.pem", certificate), file("key.pem", privateKey)];
  const problem = (certFile: string, keyFile: string) => tlsProblem({ certFile, keyFile });
  expect(problem(cert, key)).toBeNull();
  expect(problem(join(folder, "none"), folder)).toMatch(/^TLS_CERT cannot be read: ENOENT.*\nTLS_KEY cannot be read: /);
  expect(problem(file("notes.txt", "no PEM"), key)).toMatch(
    /^TLS_CERT and TLS_KEY must be a certificate and its own key/,
  );
  expect(problem(cert, file("other.pem", namedKey))).toMatch(/both PEM: .*key values mismatch/);
});
