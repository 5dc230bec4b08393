/** Careless changes that only an installation's years show. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { DamagedEntry, JournalEntry, Ports, ServiceAnswer, Transport } from "../../../main/terminal/ports.ts";
import { openFolderDisk } from "../folder/data-folder.ts";
import { openHostFiles, productFiles } from "../folder/host-files.ts";
import { openerOf } from "../folder/program.ts";
import { quickHashing, realPrograms } from "../programs.ts";
import type { Defect } from "./defect.ts";
import { done, inGuard, inTill, inTransport, isLost, otherAmounts, programsWithProblems } from "./defect-places.ts";
import {
  atOneTill,
  beforeYearsEnd,
  countedRight,
  everybody,
  firstPinPutBack,
  often,
  oneMachinePutBack,
  served,
  slowly,
  turn,
} from "./worlds.ts";

type Read = { readonly entries: Iterable<JournalEntry>; readonly damaged: readonly DamagedEntry[] };

/** A journal whose entries are read otherwise than they were written. */
const reading = ({ journal }: Ports, change: (entries: readonly JournalEntry[]) => readonly JournalEntry[]) => {
  const changed = (read: Read): Read => ({ ...read, entries: change([...read.entries]) });
  return {
    journal: {
      ...journal,
      read: (latest?: number) => changed(journal.read(latest)),
      readOther: (name: string) => changed(journal.readOther(name)),
    },
  };
};

const bookIn = /"book":\{"purpose":"[^"]*","serviceUrl":"[^"]*","merchantId":"[^"]*","deviceId":"[^"]*"\}/g;

/** Whoever is enrolled takes the journal for its own. */
const takenForOwn = (ports: Ports): Partial<Ports> => {
  const credential = ports.secrets.load();
  if (credential === null) return {};
  const purpose = ports.training ? "training" : "live";
  return reading(ports, (entries) =>
    entries.map((entry) => {
      const { serviceUrl, merchantId, deviceId } = ports.secrets.load() ?? credential;
      const book = JSON.stringify({ purpose, serviceUrl, merchantId, deviceId });
      return { ...entry, body: entry.body.replaceAll(bookIn, `"book":${book}`) };
    }),
  );
};

const isKnown = ({ body }: JournalEntry): boolean => !body.includes('"type":"handed_out_in_parts"');
const knownAlone = (ports: Ports) => reading(ports, (entries) => entries.filter(isKnown));

const isReport = (path: string): boolean => path === "/transaction/link" || path.endsWith("/undelivered");
const isRefused = (answer: Awaited<ReturnType<Transport["send"]>>): boolean =>
  answer.kind === "answer" && answer.status === 401;

const withoutSettings = (body: string): string => {
  if (!body.includes('"settings":')) return body;
  const { settings: _, ...event } = JSON.parse(body) as { type: string; settings?: object };
  return JSON.stringify(event.type === "settings_recorded" ? { type: "act", act: "settings", about: null } : event);
};

const statusIn = (answer: ServiceAnswer): unknown =>
  answer.kind === "answer" && typeof answer.body === "object" && answer.body !== null && "status" in answer.body
    ? answer.body.status
    : null;

/** As large as a small archive, under a name that nothing removes. */
const leaveLying = (journal: Ports["journal"]): void => {
  const file = "path" in journal ? String(journal.path) : ":memory:";
  if (file !== ":memory:") writeFileSync(path.join(path.dirname(file), "archive", "begun"), Buffer.alloc(512 * 1_024));
};

const keepingAll: typeof openHostFiles = (home, room) =>
  openHostFiles(home, room, { ...productFiles, pruneCrashes: () => {} });
/** Lines of a file that never becomes an older one. */
const loggingAll: typeof openHostFiles = (home, room) =>
  openHostFiles(home, room, {
    ...productFiles,
    openLineFile: (folder, name, disk) => (line) => disk?.append(path.join(folder, name), line),
  });

const yearEndsAt = Date.UTC(2026, 0, 1);

/** Found only in the stories of an installation's life. */
export const installationDefects: readonly Defect[] = [
  {
    name: "training in the live journal",
    text: "training shares the live folder, and nobody looks whose journal it is",
    turns: ["training"],
    firstSeed: 18,
    world: [turn("training")],
    programs: { ...inTill(takenForOwn), openFolder: () => openFolderDisk(() => ".") },
  },
  {
    name: "unknown entries skipped",
    text: "an entry that this version does not know is left out in silence: what a newer one handed out is offered again",
    turns: ["careless_program"],
    firstSeed: 2,
    world: [slowly, turn("careless_program")],
    programs: inTill(knownAlone),
  },
  {
    name: "a newer journal opened all the same",
    text: "the format of the file is not looked at, and what this version does not know is left out",
    turns: ["newer_program"],
    firstSeed: 6,
    world: [turn("newer_program")],
    programs: {
      ...inTill(knownAlone),
      openFolder: () => openFolderDisk(undefined, (version) => openerOf(version === "newer" ? "careless" : version)),
    },
  },
  {
    name: "report dropped while the key is refused",
    text: "a link or an undelivered report that is answered 401 counts as told",
    turns: ["key_revoked"],
    firstSeed: 6,
    world: [slowly, turn("key_revoked")],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return isReport(request.path) && isRefused(answer) ? done : answer;
    }),
  },
  {
    name: "entries dropped while the disk is full",
    text: "what the disk does not take is thrown away, and the till goes on",
    turns: ["disk_full"],
    firstSeed: 2,
    world: [turn("disk_full")],
    programs: inTill(({ journal }) => ({
      journal: {
        ...journal,
        append: (at, bodies) => {
          try {
            journal.append(at, bodies);
          } catch (error) {
            if (!String(error).includes("ENOSPC")) throw error;
          }
        },
      },
    })),
  },
  {
    name: "a half-written archive left lying",
    text: "what was begun of an archive when the disk was full stays there, and takes the last of its room",
    turns: ["disk_fills"],
    firstSeed: 13,
    world: [
      atOneTill,
      often({ tillDies: 0 }),
      everybody({ cashier: "unplugs" }),
      turn("disk_fills", [20, 22]),
      beforeYearsEnd(6),
    ],
    programs: inTill(({ journal }) => ({
      journal: {
        ...journal,
        *archiveSlices(plan) {
          let isOver = false;
          try {
            const archived = yield* journal.archiveSlices(plan);
            isOver = true;
            return archived;
          } finally {
            if (!isOver) leaveLying(journal);
          }
        },
      },
    })),
  },
  {
    name: "dumps of crashes kept",
    text: "a process of the terminal that crashes leaves a dump each time, and none is removed",
    turns: ["wrong_clock"],
    firstSeed: 14,
    world: [turn("wrong_clock"), often({ tillDies: 0.03 })],
    programs: { ...realPrograms, openFolder: () => openFolderDisk(undefined, undefined, keepingAll) },
  },
  {
    name: "a log without a bound",
    text: "the log grows as long as the terminal has something to say",
    turns: ["wrong_clock"],
    firstSeed: 2,
    world: [turn("wrong_clock"), often({ tillDies: 0.03 })],
    programs: { ...realPrograms, openFolder: () => openFolderDisk(undefined, undefined, loggingAll) },
  },
  {
    name: "the file of settings believed",
    text: "a start goes by the file of settings and not by what the journal says about authority and cash",
    turns: ["settings_lost"],
    firstSeed: 10,
    world: [turn("settings_lost")],
    programs: inTill((ports) =>
      reading(ports, (entries) => entries.map((entry) => ({ ...entry, body: withoutSettings(entry.body) }))),
    ),
  },
  {
    name: "a forked journal kept quiet",
    text: "the service's word that it knows another journal under this terminal's name is not shown",
    turns: ["restored"],
    firstSeed: 14,
    world: [turn("restored")],
    programs: inTransport((send) => async (request) => {
      const answer = await send(request);
      return request.path === "/ext/v1/journal-heads" && answer.kind === "answer" && answer.status === 409
        ? done
        : answer;
    }),
  },
  {
    name: "a fork taken for a continuation",
    text: "a start does not ask which link the service holds: a copy that was put back and went on past it passes",
    turns: ["restored"],
    firstSeed: 16,
    world: [turn("restored")],
    programs: inTransport(
      (send) => async (request) =>
        request.method === "GET" && request.path.startsWith("/ext/v1/journal-heads")
          ? { ...done, body: { heads: [] } }
          : send(request),
    ),
  },
  {
    name: "the kept link known by its number alone",
    text: "after a restore of the service a till repeats what follows the number of the link in the copy, also where its own folder was put back and has another entry there",
    turns: ["restored"],
    firstSeed: 18,
    world: [served, atOneTill, oneMachinePutBack],
    programs: inTill(({ journal, transport }) => ({
      transport: {
        send: async (request) => {
          const answer = await transport.send(request);
          if (answer.kind !== "answer") return answer;
          const { kept_head: kept } = (answer.body ?? {}) as { readonly kept_head?: { readonly seq: number } | null };
          if (!kept) return answer;
          const { last } = journal.readSlice(kept.seq, 1);
          return { ...answer, body: { ...(answer.body as object), kept_head: { ...kept, head: last?.hash } } };
        },
      },
    })),
  },
  {
    name: "the closed year left behind",
    text: "the service names other amounts; a start reads this year's entries alone, and not what a closed year left open",
    turns: ["key_lost"],
    firstSeed: 2,
    world: [often({ tillDies: 0.02 }), beforeYearsEnd(3), countedRight],
    programs: inTill((ports) => {
      const isOver = ports.clock.now() >= yearEndsAt;
      const thisYear = isOver ? reading(ports, (entries) => entries.filter(({ at }) => at >= yearEndsAt)) : {};
      return { ...otherAmounts(ports), ...thisYear };
    }),
    sound: programsWithProblems,
  },
  {
    name: "settled once is settled for ever",
    text: "what the service has said is paid is handed out on that word, whatever became of it since: another machine with a copy of the folder may have given it",
    turns: ["second_machine"],
    world: [turn("second_machine")],
    programs: inTransport((send) => {
      const settled = new Map<string, ServiceAnswer>();
      return async (request) => {
        const id = /[?&]id=([^&]+)/.exec(request.path)?.[1] ?? "";
        const known = request.method === "GET" ? settled.get(id) : undefined;
        const answer = known ?? (await send(request));
        if (statusIn(answer) === "settled") settled.set(id, answer);
        return answer;
      };
    }),
  },
  {
    name: "undelivered given up after two silences",
    text: "a report that no cash was given counts as told when it got no answer twice; no single fault can show it",
    world: null,
    programs: inTransport((send) => {
      const lost = new Map<string, number>();
      return async (request) => {
        const answer = await send(request);
        if (!request.path.endsWith("/undelivered") || !isLost(answer)) return answer;
        const count = (lost.get(request.path) ?? 0) + 1;
        lost.set(request.path, count);
        return count >= 2 ? done : answer;
      };
    }),
  },
  {
    name: "a lost list of people taken for none",
    text: "a till whose list of people is gone is one that never had any: everybody is let in, and the first PIN is open again",
    turns: ["people_lost"],
    firstSeed: 2,
    world: [slowly, turn("people_lost", [5, 6])],
    programs: inGuard((terminal) => ({
      ...terminal,
      peopleKnown: () => ({ highest: 0, needsCode: false, areStrangers: false, serviceResponded: true }),
    })),
  },
  {
    name: "people told of with the next report alone",
    text: "a start and a report of cash take the journal's head along, and a first PIN does not: put back to before it, a till takes one again",
    turns: ["restored"],
    world: [firstPinPutBack],
    programs: inTransport((send) => {
      let isStarted = false;
      return async (request) => {
        const isHead = request.path === "/ext/v1/journal-heads" && request.method === "POST";
        if (isHead && isStarted) return done;
        isStarted ||= isHead;
        return send(request);
      };
    }),
  },
  {
    name: "the only cashier taken for the second person",
    text: "whoever says that nothing was handed out may agree to it with their own PIN",
    turns: ["people_lost"],
    firstSeed: 7,
    world: [slowly, turn("people_lost", [5, 6]), everybody({ cashier: "declares" })],
    programs: inGuard((terminal) => ({
      ...terminal,
      dispatch: (command, actor) =>
        terminal.dispatch(command, actor.approvedBy?.code === actor.code ? { ...actor, code: "C99" } : actor),
    })),
  },
  {
    name: "any PIN taken for the right one",
    text: "a PIN is not compared with the one that was set",
    turns: ["people_lost"],
    firstSeed: 11,
    world: [slowly, turn("people_lost", [5, 6])],
    programs: inGuard(undefined, { ...quickHashing, derive: async () => Buffer.alloc(32) }),
  },
];
