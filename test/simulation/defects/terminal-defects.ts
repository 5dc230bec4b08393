/** Careless changes to the terminal. */
import type { Transport } from "../../../main/terminal/ports.ts";
import { realPrograms } from "../programs.ts";
import type { Defect } from "./defect.ts";
import {
  done,
  inTill,
  inTransport,
  isLost,
  lateJournal,
  otherAmounts,
  programsWithProblems,
  rewritten,
  transactionIn,
  withoutHandOuts,
  withoutProblems,
} from "./defect-places.ts";
import {
  atOneTill,
  atTwoTills,
  byDays,
  countedRight,
  deadlyTills,
  everybody,
  lostRequests,
  often,
  putBack,
  served,
  turn,
} from "./worlds.ts";

/** Each must be caught by the checker. */
export const terminalDefects: readonly Defect[] = [
  {
    name: "journal after send",
    text: "the till writes its journal when the answer has come, not before the request leaves",
    firstSeed: 16,
    world: [],
    programs: inTill((ports) => {
      const { late, flush } = lateJournal(ports);
      const send: Transport["send"] = async (request) => {
        const answer = await ports.transport.send(request);
        flush();
        return answer;
      };
      return { journal: late, transport: { send } };
    }),
  },
  {
    name: "link dropped on 500",
    text: "a link that gets no answer or a 5xx counts as told",
    firstSeed: 14,
    world: [lostRequests],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return request.path === "/transaction/link" && isLost(answer) ? done : answer;
    }),
  },
  {
    name: "link given up after two silences",
    text: "a link that has got no answer or a 5xx twice counts as told; no single fault can show it",
    world: null,
    programs: inTransport((send) => {
      const lost = new Map<string, number>();
      return async (request) => {
        const answer = await send(request);
        if (request.path !== "/transaction/link" || !isLost(answer)) return answer;
        const count = (lost.get(transactionIn(request)) ?? 0) + 1;
        lost.set(transactionIn(request), count);
        return count >= 2 ? done : answer;
      };
    }),
  },
  {
    name: "confirm retried with a new id",
    text: "each repeat of a confirm carries another `transaction_id_partner`",
    firstSeed: 7,
    world: [lostRequests],
    programs: inTransport((send) => {
      const tries = new Map<string, number>();
      return (request) => {
        if (request.path !== "/transaction/confirm") return send(request);
        const count = (tries.get(transactionIn(request)) ?? 0) + 1;
        tries.set(transactionIn(request), count);
        const body = request.body as { transaction_id_partner: string };
        const other = { ...body, transaction_id_partner: `${body.transaction_id_partner}.${count}` };
        return send(count === 1 ? request : { ...request, body: other });
      };
    }),
  },
  {
    name: "settling taken for settled",
    text: "the till offers cash as soon as the order to pay is out",
    firstSeed: 9,
    world: [],
    programs: inTransport(
      (send) => async (request) =>
        rewritten(await send(request), (body) => (body.status === "settling" ? { ...body, status: "settled" } : body)),
    ),
  },
  {
    name: "another till's confirm taken for one's own",
    text: "the till does not look at whose confirm the service took",
    firstSeed: 22,
    world: [atTwoTills],
    programs: inTransport((send) => {
      const own = new Map<string, unknown>();
      return async (request) => {
        if (request.path === "/transaction/confirm")
          own.set(transactionIn(request), (request.body as { transaction_id_partner: string }).transaction_id_partner);
        return rewritten(await send(request), (body) => {
          const id = own.get(String(body.transaction_id));
          return id !== undefined && body.transaction_id_partner !== null
            ? { ...body, transaction_id_partner: id }
            : body;
        });
      };
    }),
  },
  {
    name: "reject without an answer taken for done",
    text: "the till frees itself when its reject times out, whatever became of the customer's approval",
    firstSeed: 8,
    world: [everybody({ customer: "approves_late" }), lostRequests],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return request.path === "/transaction/reject" && isLost(answer) ? done : answer;
    }),
  },
  {
    name: "a restore of the service not heard of",
    text: "a terminal takes the service for one that was never put back, and repeats nothing",
    firstSeed: 10,
    world: [served, putBack],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return answer.kind === "answer" && answer.status === 200 && /^\/ext\/v1\/till(\?|$)/.test(request.path)
        ? { ...answer, body: { ...(answer.body as object), restored_at: null } }
        : answer;
    }),
  },
  {
    name: "the answer to another call taken for one's own",
    text: "the till does not look which withdrawal an answer is about",
    firstSeed: 11,
    world: [often({ answerSwapped: 0.2 })],
    programs: inTransport((send) => async (request) => {
      const asked = new URLSearchParams(request.path.split("?")[1]).get("id") ?? transactionIn(request);
      return rewritten(await send(request), (body) => ({ ...body, transaction_id: asked }));
    }),
  },
  {
    name: "each of two presses opens the drawer",
    text: "an order to open that somebody else gives on the same screen at the same time goes to the drawer as well",
    world: [everybody({ cashier: "two_at_once" }), often({ drawerFails: 0.5 })],
    programs: {
      ...realPrograms,
      bootTerminal: async (ports) => {
        const terminal = await realPrograms.bootTerminal(ports);
        let pressedOn = "";
        const dispatch: typeof terminal.dispatch = (command) => {
          if (command.type === "open_drawer" && command.step === pressedOn) void ports.drawer.open();
          if (command.type === "open_drawer") pressedOn = command.step;
          return terminal.dispatch(command);
        };
        return { ...terminal, dispatch };
      },
    },
  },
  {
    name: "a link given up after ten minutes",
    text: "a link that has got no answer for ten minutes counts as told",
    turns: ["offline"],
    firstSeed: 18,
    world: [served, turn("offline", [12, 15])],
    programs: inTill(({ transport, clock }) => {
      const since = new Map<string, number>();
      return {
        transport: {
          send: async (request) => {
            const answer = await transport.send(request);
            if (request.path !== "/transaction/link" || !isLost(answer)) return answer;
            const first = since.get(transactionIn(request)) ?? clock.monotonicMs();
            since.set(transactionIn(request), first);
            return clock.monotonicMs() - first >= 10 * 60_000 ? done : answer;
          },
        },
      };
    }),
  },
  {
    name: "recovery without a journal",
    text: "a till that starts again begins with an empty head",
    firstSeed: 13,
    world: [often({ tillDies: 0.02 })],
    programs: inTill(({ journal }) => ({ journal: { ...journal, read: () => ({ entries: [], damaged: [] }) } })),
  },
  {
    name: "recovery from the checkpoint alone",
    text: "a till that starts again does not read what was written after its last checkpoint",
    firstSeed: 15,
    world: [atOneTill, deadlyTills],
    programs: inTill(({ journal }) => ({
      journal: {
        ...journal,
        read: (latest) => {
          const { entries, damaged } = journal.read(latest);
          const all = [...entries];
          const isCheckpoint = all[0]?.body.startsWith('{"type":"checkpoint"') ?? false;
          return { entries: isCheckpoint ? all.slice(0, 1) : all, damaged };
        },
      },
    })),
  },
  {
    name: "calls without a time-out",
    text: "the till waits for an answer as long as it takes",
    firstSeed: 19,
    world: [often({ delayed: 0.2 })],
    programs: inTransport((send) => (request) => send({ ...request, timeoutMs: 3_600_000 })),
  },
  {
    name: "drawer opened again after silence",
    text: "a drawer that does not answer is told to open once more, and nobody pressed for it",
    firstSeed: 17,
    world: [often({ drawerFails: 0.5 })],
    programs: inTill(({ drawer }) => ({
      drawer: {
        ...drawer,
        open: async () => {
          const result = await drawer.open();
          return result === "unknown" ? drawer.open() : result;
        },
      },
    })),
  },
  {
    name: "unclear paper taken for blank",
    text: "a slip of which some may be on paper is printed again as if it were the first",
    firstSeed: 6,
    world: [often({ printerFails: 0.3 })],
    programs: inTill(({ printer }) => ({
      printer: {
        print: async (lines) => {
          const answer = await printer.print(lines);
          return answer.kind === "unclear" ? { kind: "not_printed", why: answer.why } : answer;
        },
      },
    })),
  },
  {
    name: "awaiting approval taken for denied",
    text: "the terminal shows a customer who has not answered yet as one who has denied",
    firstSeed: 15,
    world: [],
    programs: inTransport(
      (send) => async (request) =>
        rewritten(await send(request), (body) =>
          body.status === "awaiting_sca" && request.method === "GET"
            ? { ...body, status: "canceled", reason: "sca_denied" }
            : body,
        ),
    ),
  },
  {
    name: "problems left out of the checkpoint",
    text: "the service names other amounts; what nobody has explained yet is gone from the header after the next start",
    firstSeed: 4,
    world: [atOneTill, deadlyTills, countedRight],
    programs: inTill((ports) => ({ ...otherAmounts(ports), journal: withoutProblems(ports.journal) })),
    sound: programsWithProblems,
  },
  {
    name: "the day's hand-outs left out of the checkpoint",
    text: "what was handed out before it is no longer in the drawer's sums after the next start",
    firstSeed: 7,
    world: [atOneTill, byDays, deadlyTills],
    programs: inTill(({ journal }) => ({ journal: withoutHandOuts(journal) })),
  },
];
