/** Answers the screens' commands: each goes to the part that knows about it. Enrolment and settings are answered here. */
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import {
  type Command,
  isFor,
  isForHost,
  type ProtectedSettings,
  type Reply,
  type Settings,
  type TerminalCommand,
} from "../../preload/contract.ts";
import { isDeviceHost, isPrinterPort } from "../../preload/device-address.ts";
import type { Core } from "./core.ts";
import { expectedShown } from "./day/drawer-money.ts";
import type { createHistoryCommands } from "./history/history-commands.ts";
import type { createJournalCheck } from "./journal/writer.ts";
import type { JournalStart } from "./journal-start.ts";
import type { Credential, Device, Ports } from "./ports.ts";
import { bodyOf } from "./service/answer.ts";
import type { ServiceClient } from "./service/client.ts";
import { createSetUpAnswers } from "./set-up-commands.ts";
import { deviceChange } from "./withdrawal/adoption.ts";
import { bookOf, deviceOf, isSameBook, isSameDevice } from "./withdrawal/book.ts";
import { mayAct } from "./withdrawal/decide-day.ts";
import { dayViewOf } from "./withdrawal/drawer-day.ts";
import type { createEffectLoop } from "./withdrawal/effects-loop.ts";
import { type Actor, type Answers, approvalMissing } from "./withdrawal/inputs.ts";
import { expectedShownAct, isUndecided, problemsOf } from "./withdrawal/problems.ts";
import { type DeviceAddress, differing, newAddresses, protectedOf, usableSettings } from "./withdrawal/settings.ts";

/** A new key of the same device may come at any time; any other one once a manager has decided what is open. */
const mayEnroll = ({ open, book, training }: Core["state"], next: Device): boolean =>
  book === null || isSameDevice(book, bookOf(next, training)) || ![...open.values()].some(isUndecided);

/** In training a printer may be played by a program at any port of this machine. */
const mayConnect = ({ host, port }: DeviceAddress, training: boolean): boolean =>
  isDeviceHost(host) && (isPrinterPort(port) || (training && isLoopbackHost(host)));

/**
 * Keeps the settings and goes by them from now on: what is about authority and cash in the journal first. @param mayRecord false
 * while no journal of this terminal is open.
 */
const changeSettings = (core: Core, ports: Ports, wanted: Settings, actor: Actor, mayRecord: boolean): Reply => {
  const settings = usableSettings(wanted, ports.training);
  if (newAddresses(core.state.settings, settings).some((address) => !mayConnect(address, ports.training)))
    return { ok: false, code: "invalid" };
  const [before, next] = [core.state.protectedSettings ?? protectedOf(core.state.settings), protectedOf(settings)];
  const record = (recorded: ProtectedSettings): boolean =>
    differing(before, next).length === 0 ||
    (mayRecord &&
      core.apply([{ type: "settings_recorded", settings: recorded, why: "changed" }], core.momentNow(), actor));
  if (!record(next)) return { ok: false, code: "failed" };
  try {
    ports.settings.save(settings);
  } catch (error) {
    ports.log("error", "the settings could not be kept", { error: String(error) });
    record(before);
    return { ok: false, code: "failed" };
  }
  core.apply([{ type: "settings_changed", settings }]);
  return { ok: true };
};

/** Whether the expected sum is a manager's to know, and this one was not shown it since the last count. */
const isShownAnew = (state: Core["state"], actor: Actor): boolean => {
  const { approvedBy, code } = actor;
  const isManagers = !mayAct(state, { ...actor, approvedBy: null }, "expected");
  return isManagers && expectedShown(state.drawerMoney, approvedBy?.code ?? code, 0) !== state.drawerMoney;
};

interface CommandParts {
  readonly core: Core;
  readonly ports: Ports;
  readonly client: ServiceClient;
  readonly effects: ReturnType<typeof createEffectLoop>;
  readonly journalStart: JournalStart;
  readonly history: ReturnType<typeof createHistoryCommands>;
  readonly checkJournal: ReturnType<typeof createJournalCheck>;
  /** As `Terminal.record`. */
  readonly record: (act: string, about: string | null, actor: Actor) => void;
}

/** What a command comes to. Rejects for nothing that a screen can send. */
export const createCommands = (parts: CommandParts) => {
  const { core, ports, client, effects, journalStart, history, checkJournal, record } = parts;
  /** A code works once: what it gave is kept for another try, when something else was in the way. */
  let redeemed: { readonly by: string; readonly credential: Credential } | null = null;

  /** Tries the credential at the service and keeps it; `undecided`, `denied`, `wait`, `unreachable` or `failed` keep nothing. */
  const enrollByKey = async ({ serviceUrl, merchantId, deviceId, secret }: Credential): Promise<Reply> => {
    const candidate = { serviceUrl, merchantId, deviceId, secret };
    const device = deviceOf(candidate);
    const isFree = (): boolean => mayEnroll(core.state, device);
    if (!isFree()) return { ok: false, code: "undecided" };
    try {
      const result = await client.enroll(candidate, isFree);
      if (result !== "accepted") return { ok: false, code: result === "busy" ? "undecided" : result };
    } catch (error) {
      ports.log("error", "the credential could not be kept", { error: String(error) });
      return { ok: false, code: "failed" };
    }
    const { book } = core.state;
    const next = bookOf(device, ports.training);
    core.apply([{ type: "enrolled", device }]);
    if (book === null || !isSameBook(book, next)) journalStart.reopen();
    else core.applyAndQueueWrite(deviceChange(core.state, next), core.momentNow());
    return { ok: true };
  };

  /** Turns a one-time code into a credential, then as above. */
  const enrollByCode = async ({ serviceUrl, code }: Extract<Command, { type: "enroll_by_code" }>): Promise<Reply> => {
    const { book, open } = core.state;
    // Another service is another device for certain: the code is not spent in vain.
    if (book !== null && book.serviceUrl !== serviceUrl && [...open.values()].some(isUndecided))
      return { ok: false, code: "undecided" };
    const by = JSON.stringify([serviceUrl, code]);
    if (redeemed?.by !== by) {
      const answer = await client.redeemEnrolmentCode(serviceUrl, code);
      if (typeof answer === "string") return { ok: false, code: answer };
      redeemed = { by, credential: answer };
    }
    const reply = await enrollByKey(redeemed.credential);
    if (reply.ok) redeemed = null;
    return reply;
  };

  const enroll = async (tried: () => Promise<Reply>, actor: Actor): Promise<Reply> => {
    if (journalStart.opened === null) return { ok: false, code: "failed" };
    const reply = await tried();
    const { device } = core.state;
    record(reply.ok ? "enrolled" : `enrolment_${reply.code}`, reply.ok && device ? device.deviceId : null, actor);
    effects.turn();
    return reply;
  };

  const answers: Answers<"setUp" | "enrolment" | "terminal"> = {
    ...createSetUpAnswers(core, ports, () => journalStart.opened !== null),
    enroll: (command, actor) => enroll(() => enrollByKey(command), actor),
    enroll_by_code: (command, actor) => enroll(() => enrollByCode(command), actor),
    answer_journal_question({ choice }, actor) {
      if (core.state.blocked?.why !== "other_journal") return { ok: false, code: "stale" };
      journalStart.reopen(choice);
      record(`journal_${choice}`, null, actor);
      return { ok: true };
    },
    change_settings({ settings }, actor) {
      const reply = changeSettings(core, ports, settings, actor, journalStart.opened !== null);
      if (reply.ok) record("settings_changed", null, actor);
      return reply;
    },
    list_problems: () => ({ ok: true, data: problemsOf(core.state, core.momentNow()) }),
    get_day({ reveal, approval }, actor) {
      const seesExpected = mayAct(core.state, actor, "expected");
      if (reveal && !seesExpected) return { ok: false, code: approvalMissing(actor) };
      if (seesExpected && (reveal || approval !== undefined || isShownAnew(core.state, actor)))
        record(expectedShownAct, actor.approvedBy?.code ?? null, actor);
      return { ok: true, data: dayViewOf(core.state, seesExpected) };
    },
    async check_journal() {
      try {
        const askService = () => client.listJournalHeads().then(bodyOf);
        return { ok: true, data: await checkJournal(journalStart.opened?.damaged ?? [], askService) };
      } catch (error) {
        ports.log("error", "the journal could not be checked to its end", { error: String(error) });
        return { ok: false, code: "failed" };
      }
    },
  };

  return async (command: TerminalCommand, actor: Actor): Promise<Reply> => {
    if (isForHost(command)) return { ok: false, code: "invalid" };
    if (isFor(command, "setUp", "enrolment", "terminal")) return answers[command.type](command as never, actor);
    const reply = isFor(command, "history") ? await history.answer(command, actor) : core.handle(command, actor);
    effects.turn();
    return reply ?? { ok: false, code: "failed" };
  };
};
