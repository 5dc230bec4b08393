/** What this run learns about itself and its surroundings: start and sleep, connection, access key, settings, journal. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { serviceResponded } from "./connection-state.ts";
import { headAnswered, serviceHeadRead } from "./journal-head.ts";
import { afterRestart, afterSleep } from "./recovery.ts";
import type { Moment, State } from "./state.ts";
import type { ProgramEvent } from "./transient-events.ts";

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
        credential: "good",
        keyNumber: state.keyNumber + 1,
        connection: "starting",
        respondedAtMs: 0,
        // Another device's links, or those of another enrolment.
        headReport: { ...state.headReport, serviceHead: { kind: "not_asked" } },
      };
    case "shop_read":
      return { ...state, shop: event.profile ?? state.shop, shopAskedMs: moment.monotonicMs };
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
