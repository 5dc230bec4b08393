/**
 * A pooler between the service and PostgreSQL, as PgBouncer is one: it gives each connection a cancel key of its own, and in the mode `transaction`
 * each transaction the session that was given back last (https://www.pgbouncer.org/features.html, "SQL feature map for pooling modes").
 */
import { connect, createServer, type Socket } from "node:net";
import { listenInFrontOf } from "./silent-way.ts";

/** Calls with each message of the protocol and its letter. @param hasStart whether a client sends them, whose first one has no letter. */
export const messages = (hasStart: boolean, use: (type: string, message: Buffer) => void) => {
  let [rest, started] = [Buffer.alloc(0), !hasStart];
  return (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      use(started ? String.fromCharCode(message[0] ?? 0) : "start", message);
      started = true;
    }
  };
};

/** What PgBouncer takes at a connection's start; unless told to ignore others, it refuses them. */
const startParameters = [
  ...["user", "database", "application_name", "client_encoding"],
  ...["DateStyle", "TimeZone", "standard_conforming_strings"],
];
const refusal = (why: string) => {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${why}\0\0`);
  const head = Buffer.from("E....");
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
};

/** Starts a pooler in front of the database. */
export const createPooler = async (target: URL, mode: "session" | "transaction") => {
  const sockets = new Set<Socket>();
  const free: Socket[] = [];
  const clientOf = new Map<Socket, (type: string, message: Buffer) => void>();
  const server = createServer((client) => {
    let session: Socket | undefined = connect(Number(target.port), target.hostname);
    let [unanswered, isIn] = [0, false];
    const own = session;
    for (const socket of [client, own]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    client.on("close", () => mode === "session" && own.destroy());
    const back = (type: string, message: Buffer) => {
      if (type === "K") message.writeInt32BE(message.readInt32BE(5) + 1_000_000, 5);
      client.write(message);
      if (type !== "Z") return;
      unanswered -= isIn ? 1 : 0;
      isIn = true;
      const isBetween = unanswered === 0 && message.toString("latin1", 5) === "I";
      if (mode === "session" || !isBetween || session === undefined) return;
      free.push(session);
      session = undefined;
    };
    own.on(
      "data",
      messages(false, (type, message) => clientOf.get(own)?.(type, message)),
    );
    clientOf.set(own, back);
    client.on(
      "data",
      messages(true, (type, message) => {
        if (type === "X" && mode === "transaction") return;
        if (type === "start") {
          const other = message
            .toString("latin1", 8)
            .split("\0")
            .find((name, at) => at % 2 === 0 && name !== "" && !startParameters.includes(name));
          if (other !== undefined) return void client.end(refusal(`unsupported startup parameter: ${other}`));
        }
        session ??= free.pop();
        if (session === undefined) throw new Error("each connection has brought a session");
        clientOf.set(session, back);
        if (isIn && (type === "Q" || type === "S")) unanswered += 1;
        session.write(message);
      }),
    );
  });
  return {
    url: await listenInFrontOf(target, server),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
