/** What this run learns about itself and its surroundings: start and sleep, connection, access key, settings, journal. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { repeatPauseMs } from "./bounds.ts";
import { serviceResponded } from "./connection-state.ts";
import { headAnswered, serviceHeadRead } from "./journal-head.ts";
import { afterRestart, afterSleep } from "./recovery.ts";
import type { Moment, Repeats, State } from "./state.ts";
import type { ProgramEvent } from "./transient-events.ts";

const changeRepeats = (state: State, change: (repeats: Repeats) => Partial<Repeats>): State =>
  state.repeats === null
    ? state
    : { ...state, repeats: { ...state.repeats, ...change(state.repeats), number: state.repeats.number + 1 } };

/** The state after an event that concerns the program and its surroundings. */
export const evolveProgram = (state: State, event: ProgramEvent, moment: Moment): State => {
  switch (event.type) {
    case "started":
      return afterRestart(
        { ...state, phase: "running", damagedEntries: state.damagedEntries + event.damagedEntries },
        moment,
      );
    case "resumed":
      return afterSleep(state, moment);
    case "service_responded":
      return serviceResponded(state, event.dateMs, moment);
    case "service_silent":
      return {
        ...state,
        connection: "offline",
        respondedAtMs: moment.monotonicMs,
        silentSinceMs: state.silentSinceMs ?? moment.monotonicMs,
        isDoubted: false,
      };
    case "service_doubted":
      return { ...state, isDoubted: true };
    case "probed":
      return { ...state, probes: state.probes + 1, respondedAtMs: moment.monotonicMs };
    case "credential_checked":
      return state.credential === "missing" ? state : { ...state, credential: event.verdict };
    case "enrolled":
      return {
        ...state,
        device: event.device,
        shopAskedMs: null,
        serviceRestore: null,
        repeats: null,
        credential: "good",
        keyNumber: state.keyNumber + 1,
        connection: "starting",
        respondedAtMs: 0,
        // Another device's links, or those of another enrolment.
        headReport: { ...state.headReport, serviceHead: { kind: "not_asked" } },
      };
    case "shop_read":
      return {
        ...state,
        shop: event.profile ?? state.shop,
        shopAskedMs: moment.monotonicMs,
        serviceRestore: event.restore ?? state.serviceRestore,
      };
    case "repeats_begun":
      return {
        ...state,
        repeats: {
          restoredAt: event.restoredAt,
          left: event.left,
          number: 0,
          failures: 0,
          notBeforeMs: moment.monotonicMs,
        },
      };
    case "repeat_ended":
      return changeRepeats(state, ({ left }) => ({
        left: left.slice(1),
        failures: 0,
        notBeforeMs: moment.monotonicMs + repeatPauseMs,
      }));
    case "repeat_postponed":
      return changeRepeats(state, ({ failures }) => ({ failures: failures + 1, notBeforeMs: event.notBeforeMs }));
    case "settings_changed":
      return { ...state, settings: event.settings, wrongSettings: [], changedSettings: [] };
    case "people_changed":
      return { ...state, people: event.people };
    case "own_service_changed":
      return { ...state, ownService: event.ownService };
    case "phone_access_changed":
      return { ...state, phoneAccess: event.phoneAccess };
    case "update_changed":
      return { ...state, update: event.update };
    case "journal_check_moved":
      return { ...state, journalCheck: event.progress };
    case "blocked":
      return { ...state, blocked: event.blocked };
    case "journal_health_changed":
      return { ...state, journalFailing: !event.takes };
    case "service_head_read":
      return serviceHeadRead(state, event.head);
    case "head_answered":
      return headAnswered(state, event.outcome, moment);
    case "duplicate_device_found":
      return { ...state, sameDeviceElsewhere: true };
    case "duplicate_device_checked":
      return { ...state, duplicateCheckedMs: moment.monotonicMs };
    default:
      return assertNever(event);
  }
};
