/** The commands of the set-up and of practice: they try things out and decide nothing about a withdrawal. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { DrawerTest, FoundPrinter, PracticeWithdrawal, PrinterTest, Reply } from "../../preload/contract.ts";
import type { Core } from "./core.ts";
import type { Device, Ports } from "./ports.ts";
import { printerTestLines } from "./printing/receipt.ts";
import { checkConnection } from "./service/check-connection.ts";
import { createPractice } from "./service/practice.ts";
import { openDrawer, printOnce } from "./withdrawal/effects-runner.ts";
import type { Actor, SetUpCommand } from "./withdrawal/inputs.ts";

const failed: Reply = { ok: false, code: "failed" };

/** Answers them. */
export const createSetUpCommands = (
  core: Core,
  ports: Ports,
): ((command: SetUpCommand, actor: Actor, isOpen: boolean) => Promise<Reply>) => {
  const practice = createPractice(ports);
  let testing = false;
  let searching: Promise<readonly FoundPrinter[]> | null = null;

  /** The intent first: a drawer that opened is in the journal, whatever happens to the program meanwhile. */
  const testDrawer = async (actor: Actor): Promise<Reply> => {
    const { activeScreen, open, phase } = core.state;
    if (testing || phase !== "running" || activeScreen.kind !== "idle" || open.size > 0)
      return { ok: false, code: "busy" };
    const tried = (about: string) => ({ type: "act", act: "drawer_test", about }) as const;
    if (!core.apply([tried("intended")], core.momentNow(), actor)) return failed;
    testing = true;
    try {
      const result: DrawerTest = await openDrawer(ports.drawer, ports.clock);
      core.applyAndQueueWrite([tried(result)], core.momentNow(), actor);
      return { ok: true, data: result };
    } finally {
      testing = false;
    }
  };

  const testPrinter = async (): Promise<Reply> => {
    const { settings, printing, phase } = core.state;
    if (settings.printer.kind === "none") return { ok: false, code: "no_printer" };
    if (testing || phase !== "running" || printing.jobs.length > 0) return { ok: false, code: "busy" };
    testing = true;
    try {
      const answer = await printOnce(ports.printer, printerTestLines(settings.language), ports.clock);
      const data: PrinterTest = answer.kind === "printed" ? "printed" : answer.why;
      return { ok: true, data };
    } finally {
      testing = false;
    }
  };

  /** A second press while it runs gets the same answer. */
  const findPrinters = async (): Promise<Reply> => {
    searching ??= (ports.findPrinters?.() ?? Promise.resolve([])).finally(() => {
      searching = null;
    });
    return { ok: true, data: await searching };
  };

  const runPractice = async (callService: (device: Device) => Promise<PracticeWithdrawal | null>): Promise<Reply> => {
    const { device } = core.state;
    if (!ports.training || device === null) return { ok: false, code: "invalid" };
    const data = await callService(device);
    return data === null ? failed : { ok: true, data };
  };

  return async (command, actor, isOpen) => {
    switch (command.type) {
      case "check_connection":
        return { ok: true, data: await checkConnection(ports, command.serviceUrl) };
      case "test_drawer":
        return isOpen ? testDrawer(actor) : failed;
      case "test_printer":
        return isOpen ? testPrinter() : failed;
      case "find_printers":
        return findPrinters();
      case "practice_request":
        return runPractice(({ serviceUrl, merchantId }) => practice.request(serviceUrl, merchantId, command.amount));
      case "practice_read":
        return runPractice(({ serviceUrl }) => practice.read(serviceUrl, command.transactionId));
      case "practice_decide":
        return runPractice(({ serviceUrl }) => practice.decide(serviceUrl, command.transactionId, command.approved));
      default:
        return assertNever(command);
    }
  };
};
