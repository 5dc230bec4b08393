/** Drawer and printer as set in the current settings. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Settings } from "../../../preload/contract.ts";
import type { Clock, Drawer, Ports } from "../ports.ts";
import { encodePaper } from "../printing/encode.ts";
import { type Connection, connectLine, createConnection, type OpenLine, openSerialLine } from "./line.ts";
import { createPrinter, createPrinterDrawer } from "./printer.ts";

const createSimulatedDrawer = (): Drawer => {
  let open = false;
  return {
    async open() {
      open = true;
      return "opened";
    },
    async state() {
      return open ? "open" : "closed";
    },
  };
};

/** A shop without an electric drawer: the cashier opens it by key, so opening always succeeds and its state is unknown. */
const createAbsentDrawer = (): Drawer => ({
  open: async () => "opened",
  state: async () => "unknown",
});

const connectTimeoutMs = 2_000;

type Chosen = Pick<Settings, "drawer" | "printer">;
type Place =
  | { readonly kind: "network"; readonly host: string; readonly port: number }
  | { readonly kind: "serial"; readonly path: string; readonly baudRate: number };

/** Reuses a device while its settings stay the same, so that it keeps what it has learned. */
const remembered = <Of, Made>(make: (of: Of) => Made): ((of: Of) => Made) => {
  let last: { readonly name: string; readonly made: Made } | null = null;
  return (of) => {
    const name = JSON.stringify(of);
    if (last?.name !== name) last = { name, made: make(of) };
    return last.made;
  };
};

/** The drawer and the printer. */
export type Devices = Pick<Ports, "drawer" | "printer">;

/** Follows the settings. Drawer and printer at the same address share a connection, so that a kick and a receipt never mix. */
export const createConfiguredDevices = (settings: () => Chosen, clock: Clock): Devices => {
  const connections = new Map<string, Connection>();
  const connectionTo = (place: Place): Connection => {
    const name = place.kind === "network" ? `${place.host}:${place.port}` : place.path;
    const open: OpenLine = () =>
      place.kind === "network" ? connectLine(place, clock, connectTimeoutMs) : openSerialLine(place, clock);
    const connection = connections.get(name) ?? createConnection(open);
    connections.set(name, connection);
    // The same port at another speed is the same device.
    return { use: (urgency, job) => connection.use(urgency, job, open) };
  };

  const makeDrawer = ({ drawer, printer }: Chosen): Drawer => {
    switch (drawer.kind) {
      case "simulated":
        return createSimulatedDrawer();
      case "none":
        return createAbsentDrawer();
      case "printer":
        return printer.kind === "none"
          ? createAbsentDrawer()
          : createPrinterDrawer(drawer, connectionTo(printer), clock);
      case "network":
        return createPrinterDrawer(drawer, connectionTo(drawer), clock);
      default:
        return assertNever(drawer);
    }
  };
  const drawerOf = remembered(makeDrawer);
  const triedDrawerOf = remembered(makeDrawer);

  const drawer = (tried?: Settings["drawer"]): Drawer => {
    const { drawer, printer } = settings();
    return tried === undefined ? drawerOf({ drawer, printer }) : triedDrawerOf({ drawer: tried, printer });
  };
  return {
    drawer: { open: (tried) => drawer(tried).open(), state: (tried) => drawer(tried).state() },
    printer: {
      async print(lines, printer = settings().printer) {
        if (printer.kind === "none") return { kind: "not_printed", why: "unreachable" };
        return createPrinter(connectionTo(printer)).print(encodePaper(lines, printer));
      },
    },
  };
};
