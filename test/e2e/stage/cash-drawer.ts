/** A cash drawer on a receipt printer in the network: takes what it is sent, and can be switched off. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** The drawer on its port. */
export interface CashDrawer {
  readonly port: number;
  /** How often the kick came. */
  opens(): number;
  switchOff(): Promise<void>;
  switchOn(): Promise<void>;
}

/** ESC p: the pulse that opens a drawer (`test/printer/virtual-printer.ts` names the documents). */
const kick = Buffer.from([0x1b, 0x70]);

/** An address of this machine that no other test has, at the port of printers: a manager can choose no other. */
export const ownPrinterPort = (): { readonly host: string; readonly port: number } => {
  const figure = () => 2 + Math.floor(Math.random() * 250);
  return { host: `127.${figure()}.${figure()}.${figure()}`, port: 9100 };
};

/** Listens there, and again after it was off. */
export const startCashDrawer = async ({ host, port }: ReturnType<typeof ownPrinterPort>): Promise<CashDrawer> => {
  const sockets = new Set<Socket>();
  let kicks = 0;
  const listen = async (): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("data", (bytes) => {
        if (bytes.includes(kick)) kicks += 1;
        // To a question for its state it says that all is well, and that the drawer is shut.
        if (bytes.includes(0x10)) socket.write(Buffer.from([0x12]));
      });
    });
    server.listen(port, host);
    await once(server, "listening");
    return server;
  };
  let server: Server | null = await listen();
  return {
    port,
    opens: () => kicks,
    async switchOff() {
      server?.close();
      server = null;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async switchOn() {
      server ??= await listen();
    },
  };
};
