/** What every answer of the service does to the state: it is there, its clock shows, and after an outage nothing waits. */
import { clockOffReportMs, outageMs } from "./bounds.ts";
import type { Answer } from "./inputs.ts";
import type { Moment, State } from "./state.ts";

const retryAll = (state: State, moment: Moment): State["open"] =>
  new Map(
    [...state.open].map(([id, one]) => [
      id,
      one.requestState.failures > 0
        ? { ...one, requestState: { ...one.requestState, notBeforeMs: moment.monotonicMs } }
        : one,
    ]),
  );

const clockAt = (dateMs: number, { wallMs, monotonicMs }: Moment): State["serviceClock"] => {
  const offMs = wallMs - dateMs;
  return { dateMs, atMs: monotonicMs, offMs: Math.abs(offMs) > clockOffReportMs ? offMs : 0 };
};

/** @param dateMs the answer's Date, milliseconds since the epoch; null when it had none. */
export const serviceResponded = (state: State, dateMs: number | null, moment: Moment): State => {
  const outage = state.silentSinceMs !== null && moment.monotonicMs - state.silentSinceMs >= outageMs;
  return {
    ...state,
    open: outage ? retryAll(state, moment) : state.open,
    connection: "online",
    // What it says of itself may be new: it may have been put back to a copy meanwhile.
    shopAskedMs: state.connection === "offline" ? null : state.shopAskedMs,
    silentSinceMs: null,
    isDoubted: false,
    respondedAtMs: moment.monotonicMs,
    serviceClock: dateMs === null ? state.serviceClock : clockAt(dateMs, moment),
  };
};

/** The state with the service's clock as an answer's own Date shows it, for what the same answer says about times. */
export const withServiceClock = (state: State, answer: Answer, moment: Moment): State =>
  answer.kind === "answer" && !answer.ofEarlierKey
    ? { ...state, serviceClock: serviceResponded(state, answer.dateMs, moment).serviceClock }
    : state;
