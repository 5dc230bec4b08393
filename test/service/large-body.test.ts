/** A body beyond 64 KiB is not read: not to find out that it is too large, and not after it was refused. */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHttpStage, type HttpStage } from "./http-stage.ts";

let stage: HttpStage;
let token: string;
beforeAll(async () => {
  stage = await createHttpStage("sqlite");
  token = await stage.token();
});
afterAll(() => stage.dispose());

/** What fits into the buffers of two sockets, generously. */
const buffersMax = 12 * 1024 * 1024;
const bodyBytes = 128 * 1024 * 1024;

/** Sends a body as fast as the service takes it. @returns the answer's head and how much was taken until the end. */
const pour = (head: readonly string[]): Promise<{ answer: string; taken: number; ended: boolean }> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(stage.baseUrl());
    // Whoever means it goes on sending after the answer has ended.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const piece = Buffer.alloc(64 * 1024, "x");
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
    let answer = "";
    let taken = 0;
    let closed = false;
    const finish = (ended: boolean) => {
      if (closed) return;
      closed = true;
      socket.destroy();
      resolve({ answer, taken, ended });
    };
    const write = () => {
      while (!closed && taken < bodyBytes) {
        taken += chunk.length;
        if (!socket.write(chunk)) return void socket.once("drain", write);
      }
      // All of it was taken: the service read the whole.
      if (!closed) finish(false);
    };
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("error", () => finish(true));
    socket.on("close", () => finish(true));
    socket.once("connect", () => {
      socket.write([...head, "Host: till", "Transfer-Encoding: chunked", "", ""].join("\r\n"));
      write();
    });
  });

const confirm = "POST /transaction/confirm HTTP/1.1";
test.each([
  ["413 with a token", () => [confirm, `Authorization: Bearer ${token}`, "Content-Type: application/json"], 413],
  ["401 without one", () => [confirm, "Content-Type: application/json"], 401],
  ["415 for another type", () => [confirm, `Authorization: Bearer ${token}`, "Content-Type: text/plain"], 415],
  ["200 to a read, which needs none", () => ["GET /healthz HTTP/1.1"], 200],
] as const)("%s: the connection ends with the rest unread", async (_, head, status) => {
  const { answer, taken, ended } = await pour(head());
  expect(answer.split("\r\n")[0]).toContain(` ${status} `);
  expect(ended).toBe(true);
  expect(taken).toBeLessThan(buffersMax);
});

test("after a small body that was refused unread the connection goes on", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reused: boolean[] = [];
  for (let n = 0; n < 3; n += 1) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const call = request(`${stage.baseUrl()}/transaction/confirm`, { method: "POST", agent }, (response) => {
        reused.push(call.reusedSocket);
        response.resume().on("end", () => resolve(response.statusCode));
      });
      call.on("error", reject).end("x".repeat(40_000));
    });
    expect(status).toBe(401);
  }
  agent.destroy();
  expect(reused).toEqual([false, true, true]);
});
