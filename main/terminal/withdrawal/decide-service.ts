/** Decides what answers say apart from a withdrawal: the clock, the credential, the shop, a second device, the journal's head. */
import type { ShopProfile } from "../../../preload/contract.ts";
import { backOffMaxMs, duplicateWindowMs, probeOfflineMaxMs, shopAgainMs } from "../bounds.ts";
import {
  type Answer,
  backOffMs,
  bodyOf,
  classifyAnswer,
  codeOf,
  fieldsOf,
  httpOf,
  isUnsafeService,
  newestAnchor,
  type Reading,
  readRestore,
  readShop,
  type ServiceRestore,
} from "../service/answer.ts";
import { installationOf } from "./book.ts";
import type { DurableEvent, Event } from "./events.ts";
import { accept, type Decision, type Decisions, type EffectResult, type Input, type Turn } from "./inputs.ts";
import { putBackWithService } from "./problems.ts";
import { type State, serviceNowMs, shopOf, waitsForRestore } from "./state.ts";
import { factsOf, type RequestState, type Withdrawal } from "./withdrawal.ts";

type Of<T extends EffectResult["type"]> = Extract<EffectResult, { type: T }>;

/**
 * Whether one silence means that the service is away: not for retries about one withdrawal and for background calls,
 * whose answers alone may be lost.
 */
const meansOffline = ({ open }: State, input: EffectResult): boolean =>
  "withdrawalId" in input
    ? (open.get(input.withdrawalId)?.requestState.failures ?? 0) === 0
    : input.type === "look_up_answered" || input.type === "probe_answered";

/** The events that follow from every answer, whatever it was about. */
export const contactEvents = (state: State, input: Input): readonly Event[] => {
  if (!("answer" in input) || input.answer === null || input.answer.ofEarlierKey) return [];
  const { answer } = input;
  switch (answer.kind) {
    case "silence":
      return [
        // While other calls are answered, the next probe will check.
        { type: meansOffline(state, input) || state.connection !== "online" ? "service_silent" : "service_doubted" },
        ...(isUnsafeService(answer) ? [{ type: "credential_checked", verdict: "unsafe" } as const] : []),
      ];
    case "unauthorized":
      return [
        { type: "service_responded", dateMs: null },
        ...(answer.why === "invalid_client" ? [{ type: "credential_checked", verdict: "refused" } as const] : []),
      ];
    case "answer": {
      const good =
        (state.credential === "refused" || state.credential === "unsafe") &&
        classifyAnswer(answer) !== "later" &&
        httpOf(answer) !== 403;
      return [
        { type: "service_responded", dateMs: answer.dateMs },
        ...(good ? [{ type: "credential_checked", verdict: "good" } as const] : []),
      ];
    }
  }
};

/** Changes some fields of a withdrawal's request state. */
export const requestStateChanged = (withdrawal: Withdrawal, requestState: Partial<RequestState>): Event => ({
  type: "request_state_changed",
  withdrawalId: withdrawal.withdrawalId,
  requestState,
});

/**
 * Detects a confirm by another terminal with this device's identity, made since this one exists: with another installation's
 * tag, or (copied journal) with this one's tag and a recent id that this journal does not have. Times are the service's.
 */
export const duplicateDeviceEvents = (
  { state, moment }: Pick<Turn, "state" | "moment">,
  { terminalReference, confirmedAtMs }: Pick<Reading, "terminalReference" | "confirmedAtMs">,
): readonly Extract<Event, { type: "duplicate_device_found" }>[] => {
  const { device, installation } = state;
  if (state.sameDeviceElsewhere || device === null || installation === null) return [];
  if (typeof terminalReference !== "string" || confirmedAtMs === null) return [];
  const confirmedAgoMs = serviceNowMs(state, moment) - confirmedAtMs;
  if (confirmedAgoMs > moment.wallMs - installation.sinceWallMs) return [];
  const made = installationOf(device.deviceId, terminalReference);
  if (made === null) return [];
  const isOwn =
    made === installation.tag && (confirmedAgoMs > duplicateWindowMs || state.ownIds.has(terminalReference));
  return isOwn ? [] : [{ type: "duplicate_device_found" }];
};

/** `merchantId`: the requested shop; another may have been enrolled meanwhile, also one of this name at another service. */
const shopAnswered = (turn: Turn, { merchantId, answer }: Of<"shop_answered">): Decision => {
  const { device } = turn.state;
  if (device?.merchantId !== merchantId || answer.ofEarlierKey) return accept();
  const body = classifyAnswer(answer) === "done" ? bodyOf(answer) : undefined;
  const profile = body === undefined ? null : readShop(body, merchantId);
  const restore = profile === null ? null : readRestore(body);
  const { confirmed } = fieldsOf(body);
  const duplicates = Array.isArray(confirmed) ? duplicatesAmong(turn, confirmed.slice(0, confirmsMax)) : [];
  const isSaid = saysWhetherPutBack(turn.state, answer, profile);
  return accept(
    ...putBackTogether(turn.state, restore),
    { type: "shop_read", profile, restore, isSaid, ...(!isSaid && { againMs: shopAgainAfter(turn, answer) }) },
    ...(isSaid ? waitedForShop(turn) : []),
    ...duplicates,
  );
};

const shopAgainAfter = ({ state, fresh }: Turn, answer: Answer): number =>
  backOffMs(state.shopUnsaid.times + 1, probeOfflineMaxMs, fresh.fraction, answer, shopAgainMs);

/** What waited for the service's word on whether it was put back is asked again at once. */
const waitedForShop = ({ state, moment }: Turn): readonly Event[] =>
  [...state.open.values()]
    .filter((one) => waitsForRestore(state, one) && one.requestState.failures > 0)
    .map((one) => requestStateChanged(one, { notBeforeMs: moment.monotonicMs }));

/**
 * Also that it cannot say: a server of the plain specification does not have this call, and is not waited for. Where the shop was read
 * before, an answer without it and without a code of the service's is a gateway's.
 */
const saysWhetherPutBack = (state: State, answer: Answer, profile: ShopProfile | null): boolean => {
  const answerClass = classifyAnswer(answer);
  if (profile !== null) return true;
  if (answerClass === "later" || answerClass === "unknown") return false;
  if (shopOf(state) !== null) return codeOf(answer) !== null;
  return answerClass !== "done" || bodyOf(answer) !== undefined;
};

/**
 * A journal that has not answered the service's restore may itself be from before it. What it has of an earlier run may then have
 * been handed out, and neither knows. What an operator has decided about this run alone knows, and the service may have forgotten.
 */
const putBackTogether = (state: State, restore: ServiceRestore | null): readonly DurableEvent[] => {
  const restoredAt = restore?.restoredAt ?? null;
  if (restoredAt === null || restoredAt === state.restoreAnswered) return [];
  return [...state.open.values()]
    .filter((one) => waitsForRestore(state, one) || one.requestState.operatorDecided)
    .filter((one) => !one.doubtful && one.confirmAttempted)
    .map((withdrawal) => ({
      type: "discrepancy",
      withdrawal: factsOf(withdrawal),
      about: putBackWithService,
      http: null,
    }));
};

const confirmsMax = 10_000;

/** Compares confirms with this device's identity with this journal's own. */
const duplicatesAmong = (turn: Turn, confirms: readonly unknown[]): readonly Event[] => {
  const duplicates = confirms.flatMap((confirm) => {
    const { transaction_id_partner: partner, confirmed_at: confirmed } = fieldsOf(confirm);
    const confirmedAtMs = typeof confirmed === "string" ? Date.parse(confirmed) : Number.NaN;
    if (typeof partner !== "string" || !Number.isFinite(confirmedAtMs)) return [];
    return duplicateDeviceEvents(turn, { terminalReference: partner, confirmedAtMs });
  });
  return [...duplicates.slice(0, 1), { type: "duplicate_device_checked" }];
};

/** Schedules a retry with back-off. */
const headFailed = ({ state, moment, fresh }: Turn, answer: Answer | null): Event => ({
  type: "head_failed",
  notBeforeMs: moment.monotonicMs + backOffMs(state.headReport.failures + 1, backOffMaxMs, fresh.fraction, answer),
});

/** The service's newest link, read before the first report of a run; without it nothing is reported. */
const serviceHeadAnswered = (turn: Turn, { answer }: Of<"service_head_answered">): Decision => {
  if (answer.ofEarlierKey) return accept({ type: "head_failed", notBeforeMs: turn.moment.monotonicMs });
  const answerClass = classifyAnswer(answer);
  const body = bodyOf(answer);
  const head = answerClass === "done" ? newestAnchor(body) : null;
  if (head !== null) return accept({ type: "service_head_read", head });
  const isFailure =
    answerClass === "later" || answerClass === "unknown" || (answerClass === "done" && body === undefined);
  return accept(isFailure ? headFailed(turn, answer) : { type: "head_answered", outcome: "unsupported" });
};

const newFork = ({ journalFork, headReport: { serviceHead } }: State): DurableEvent | null => {
  const serviceHash = serviceHead.kind === "known" ? serviceHead.hash : undefined;
  const isSaid =
    journalFork.kind === "found" ||
    (journalFork.kind === "acknowledged" && (serviceHash === undefined || serviceHash === journalFork.serviceHash));
  return isSaid ? null : { type: "journal_forked", ...(serviceHash === undefined ? {} : { serviceHash }) };
};

/** A fork is recorded once, and again only after it was acknowledged and a link was accepted, or the service has another link. */
const journalHeadAnswered = (turn: Turn, { changes, answer }: Of<"journal_head_answered">): Decision => {
  if (answer === null) return accept(headFailed(turn, answer));
  if (answer.ofEarlierKey) return accept({ type: "head_failed", notBeforeMs: turn.moment.monotonicMs });
  if (codeOf(answer) === "journal_forked") {
    const { journalFork, headReport } = turn.state;
    // A newer head of the same journal may have overtaken it, beside a report: what the service holds is compared first.
    if (journalFork.kind === "none" && headReport.serviceHead.kind === "compared")
      return accept({ type: "service_head_read", head: { kind: "not_asked" } });
    const fork = newFork(turn.state);
    return accept(...(fork === null ? [] : [fork]), { type: "head_answered", outcome: "forked", changes });
  }
  const answerClass = classifyAnswer(answer);
  if (answerClass === "later" || answerClass === "unknown") return accept(headFailed(turn, answer));
  // A server of the plain specification does not have this call.
  return accept({ type: "head_answered", outcome: answerClass === "done" ? "taken" : "unsupported", changes });
};

/** Answers that are not about a withdrawal. */
export const serviceDecisions = {
  probe_answered: ({ fresh }) => accept({ type: "probed", fraction: fresh.fraction }),
  shop_answered: shopAnswered,
  service_head_answered: serviceHeadAnswered,
  journal_head_answered: journalHeadAnswered,
} satisfies Partial<Decisions<Input>>;
